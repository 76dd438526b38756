package candidate

import (
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodVerdict is what the pods of a node say against disrupting it. The zero PodVerdict says nothing.
type PodVerdict struct {
	Blockers []Blocker // now
	// Until is when a pod's window that is open now closes, of several the first: up to then, time alone adds no blocker.
	// Zero is never. Where it takes too long to find out when a window opens or closes (see schedule.Window.UntilAtLeast), it
	// stays as it is at least up to Until: judge again then.
	Until time.Time
	// Waived says that PDBs do not refuse the node, although disrupting it uses them up.
	Waived bool

	refused int32 // how many of the uses; they come first
	gate    *PodGate
	node    *Node
	spent   int       // PodGate.spent when the node was judged
	open    []opening // what closes at Until, or later
	uses    []use
}

// An opening is a window that is open, and a pod that may only go in it.
type opening struct {
	pod    *Pod
	window schedule.Window
	whose  *compiledSchedule // nil: the pod's own
}

// A use is the use of a PDB by the first pod of a node that has it. It is refused where the PDB allowed nothing when the node
// was judged.
type use struct{ pdb, pod int32 }

// PDBs yields the PDBs of which the node uses up one disruption each, as positions in Rules.PDBs, and the first pod that
// has it.
func (v PodVerdict) PDBs() iter.Seq2[int, *Pod] {
	return func(yield func(int, *Pod) bool) {
		for _, u := range v.uses {
			if !yield(int(u.pdb), &v.node.Pods[u.pod]) {
				return
			}
		}
	}
}

// Closed returns what will hold back the node at a later time: the first pod whose window, open now, is closed then. Until
// when is not looked for.
func (v PodVerdict) Closed(at time.Time) (b Blocker, closed bool) {
	for _, o := range v.open {
		if schedule.InWindow(o.window, at) || v.node.late(at) {
			continue
		}
		if other := o.closed(&texts{}, windowState{text: textOf(o.window)}); !closed || other.Compare(b) < 0 {
			b, closed = other, true
		}
	}
	return b, closed
}

// endAt limits what pods say to the time before a deadline.
func (v *PodVerdict) endAt(deadline time.Time) {
	for i := range v.Blockers {
		b := &v.Blockers[i]
		b.Until, b.ForGood = until.First(b.Until, deadline), false
	}
	if !v.Until.Before(deadline) {
		v.Until = time.Time{}
	}
}

// closed returns what holds back the pod outside of the window.
func (o opening) closed(t *texts, state windowState) Blocker {
	whose, source := "its disruption schedule", (*Source)(nil)
	if o.whose != nil {
		whose, source = o.whose.title, o.whose.source
	}
	b := t.blocker(o.pod, CodeOutsideSchedule, " may go only when ", whose, " lets it: ", state.text)
	b.Until, b.Source = state.until, source
	return b
}

// textOf describes a window, as far as a sentence can hold it.
func textOf(w schedule.Window) string { return w.Abbreviated(200) }
