package schedule

import (
	"math"
	"strings"
)

// String returns a description such as "0 17 * * mon-fri for 16h, UTC". The time inside one window and outside another
// reads "0 2 * * * for 4h, UTC and outside (0 0 24 12 * for 72h, UTC)".
func (w Window) String() string { return w.Abbreviated(math.MaxInt) }

// Abbreviated returns at most the first bytes of String, followed by "…" if there are more. It builds only what it
// returns, however many parts the window has.
func (w Window) Abbreviated(bytes int) string {
	if w.w != nil && w.isLeaf() && len(w.w.text) <= bytes {
		return w.w.text
	}
	t := text{most: bytes}
	t.window(w)
	if t.Len() > bytes {
		return t.String()[:bytes] + "…"
	}
	return t.String()
}

// A text is a description that stops growing once it has more than most bytes.
type text struct {
	strings.Builder
	most int
}

func (t *text) window(w Window) {
	switch {
	case w.w == nil:
		t.WriteString("always")
	case w == never:
		t.WriteString("never")
	case w.isLeaf():
		t.WriteString(w.w.text)
	case w.w.complement:
		t.outside(w.w.parts[0])
	default:
		t.list(w.w.parts, " or ", t.window)
	}
}

// outside describes when w, which is not a complement, is closed. A union is closed when all of its parts are.
func (t *text) outside(w Window) {
	if w.isLeaf() {
		t.WriteString("outside (" + w.w.text + ")")
		return
	}
	t.list(w.w.parts, " and ", func(part Window) {
		not := part.Outside()
		isUnion := not.isUnion()
		if isUnion {
			t.WriteString("(")
		}
		t.window(not)
		if isUnion {
			t.WriteString(")")
		}
	})
}

func (t *text) list(parts []Window, conjunction string, describe func(Window)) {
	for i, part := range parts {
		if t.Len() > t.most {
			return
		}
		if i > 0 {
			t.WriteString(conjunction)
		}
		describe(part)
	}
}
