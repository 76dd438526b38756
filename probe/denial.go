package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// A Denial says that nodes must not be disrupted for a reason. The zero Denial denies everything.
type Denial struct {
	Reason candidate.Reason // with its children; "": every reason
	Pools  []PoolSelector   // any of these; none: every pool. Only read
	Cause  string           // what the message is to say of it, if there is more to say
	Until  time.Time        // when it lifts by itself, if the verdict is not stale by then; zero: when is unknown
	// Absent is how many good answers in a row have not had it: it is lifted at the success threshold.
	Absent int
}

// A PoolSelector selects pools by name, by label (key=value), or by the value of any label. (RFC, option 3: nodePools.labels.)
type PoolSelector string

// Selects reports whether a pool is meant.
func (s PoolSelector) Selects(pool string, labels map[string]string) bool {
	return selecting(pool, labels)[s]
}

// isNone reports whether no pool can have such a name or label.
func (s PoolSelector) isNone() bool {
	const longest = 253 + 1 + 63 + 1 + 63 // domain/name=value
	return s == "" || len(s) > longest || strings.ContainsFunc(string(s), unicode.IsControl)
}

// selecting returns all selectors that mean a pool.
func selecting(pool string, labels map[string]string) map[PoolSelector]bool {
	names := map[PoolSelector]bool{PoolSelector(pool): true}
	for key, value := range labels {
		names[PoolSelector(value)], names[PoolSelector(key+"="+value)] = true, true
	}
	return names
}

// Concerns reports whether a pool's nodes must not be disrupted for a reason. Where the reason is unknown (""), it may be
// any. As with budgets, a child that is denied says nothing of its method: where a caller tells no children, deny methods.
func (d Denial) Concerns(reason candidate.Reason, pool string, labels map[string]string) bool {
	return d.holdsBack(reason) && d.isAbout(selecting(pool, labels))
}

// same reports whether two denials say the same.
func (d Denial) same(other Denial) bool {
	return d.compare(other) == 0 && d.Cause == other.Cause && d.Until.Equal(other.Until)
}

// isAbout reports whether the pool is meant that the selectors select.
func (d Denial) isAbout(selectors map[PoolSelector]bool) bool {
	return len(d.Pools) == 0 || slices.ContainsFunc(d.Pools, func(s PoolSelector) bool { return selectors[s] })
}

// holdsBack is candidate.Reason.Covers, in any case: a child that was written in another must not be let go without a word.
func (d Denial) holdsBack(reason candidate.Reason) bool {
	n := len(d.Reason)
	return n == 0 || reason == "" || len(reason) >= n && strings.EqualFold(string(reason[:n]), string(d.Reason)) && (len(reason) == n || reason[n] == '/')
}

// String returns "Drifted", "Drifted in gpu, team=search", or "everything", and the cause, if there is one.
func (d Denial) String() string {
	text := quote.Text(cmp.Or(string(d.Reason), "everything"))
	if len(d.Pools) > 0 {
		var named []string
		for _, pool := range d.Pools[:min(few, len(d.Pools))] {
			named = append(named, quote.Text(string(pool)))
		}
		text += " in " + first(named, len(d.Pools), ", ")
	}
	if d.Cause != "" {
		text += " (" + d.Cause + ")"
	}
	return text
}

// few is how many of many are named.
const few = 5

// first names the first few of many.
func first[T any](some []T, all int, between string) string {
	var text strings.Builder
	for i, one := range some[:min(few, len(some))] {
		if i > 0 {
			text.WriteString(between)
		}
		fmt.Fprint(&text, one)
	}
	if all > few {
		fmt.Fprintf(&text, " and %d more", all-few)
	}
	return text.String()
}
