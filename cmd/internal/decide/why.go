package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// manyPods are more than are named where the same blocks several pods of a node.
const manyPods = 4

// A why is what blocks a candidate: a blocker, or the same for several of its pods.
type why struct {
	gate        candidate.Gate
	says        string // without the pod
	pods        []string
	first, last time.Time // when time alone lifts them
}

// whys takes blockers that say the same of several pods for one.
func whys(blockers []candidate.Blocker) []*why {
	var all []*why
	alike := map[string]*why{}
	for _, b := range blockers {
		says, ofPod := strings.CutPrefix(b.Message, "pod "+b.Pod+" ")
		if b.Pod == "" || !ofPod {
			all = append(all, &why{gate: b.Gate, says: b.Message, first: b.Until, last: b.Until})
			continue
		}
		id := fmt.Sprint(b.Code, b.Until.IsZero(), says)
		w := alike[id]
		if w == nil {
			w = &why{gate: b.Gate, says: says, first: b.Until, last: b.Until}
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

// text returns a sentence, which is to be wrapped.
func (w *why) text(c tell.Clock) string {
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
	if end := tell.Together(c.Until(w.last)); end != "" {
		which := "it"
		if !w.first.Equal(w.last) {
			which = "the last"
		}
		s.WriteString("; time alone lifts " + which + " " + end)
	}
	return s.String()
}
