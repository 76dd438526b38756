package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// manyPods are more than are named where the same holds back several pods of a node.
const manyPods = 4

// A why is what holds a candidate back: a blocker, or the same for several of its pods.
type why struct {
	gate        candidate.Gate
	says        string // without the pod
	pods        []string
	first, last time.Time // when they lift
	later       bool      // it holds nothing back yet
}

// whys takes blockers that say the same of several pods for one. What holds back now comes before what will later.
func whys(blockers []candidate.Blocker) []*why {
	var all []*why
	alike := map[string]*why{}
	inOrder := slices.SortedStableFunc(slices.Values(blockers), func(a, b candidate.Blocker) int { return rank(a) - rank(b) })
	for _, b := range inOrder {
		says, ofPod := strings.CutPrefix(b.Message, "pod "+b.Pod+" ")
		if b.Pod == "" || !ofPod {
			all = append(all, &why{gate: b.Gate, says: b.Message, first: b.Until, last: b.Until, later: b.Later})
			continue
		}
		id := fmt.Sprint(b.Code, b.Until.IsZero(), b.Later, says)
		w := alike[id]
		if w == nil {
			w = &why{gate: b.Gate, says: says, first: b.Until, last: b.Until, later: b.Later}
			alike[id] = w
			all = append(all, w)
		}
		w.pods = append(w.pods, b.Pod)
		if b.Until.Before(w.first) {
			w.first = b.Until
		}
		if b.Until.After(w.last) {
			w.last = b.Until
		}
	}
	return all
}

func rank(b candidate.Blocker) int {
	if b.Later {
		return 1
	}
	return 0
}

// text returns a sentence, which is to be wrapped.
func (w *why) text(c clock) string {
	var s strings.Builder
	s.WriteString(string(w.gate) + ": ")
	switch n := len(w.pods); {
	case n > manyPods:
		fmt.Fprintf(&s, "each of %s and %d more ", strings.Join(w.pods[:manyPods-1], ", "), n-manyPods+1)
	case n > 1:
		fmt.Fprintf(&s, "each of %s ", strings.Join(w.pods, ", "))
	case n == 1:
		s.WriteString(w.pods[0] + " ")
	}
	s.WriteString(w.says)
	end := tell.Together(c.until(w.last))
	switch {
	case end == "":
	case w.gate != candidate.GatePod:
		s.WriteString(", until " + end)
	case w.first.Equal(w.last):
		s.WriteString("; held until " + end)
	default:
		s.WriteString("; the last is held until " + end)
	}
	return s.String()
}
