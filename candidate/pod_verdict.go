package candidate

import (
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodVerdict says how the pods of a node block it. The zero PodVerdict does not block it.
type PodVerdict struct {
	Blockers []Blocker // present ones
	// Until is when the first of the pods' open windows closes: until then, time alone adds no blocker. Zero means never.
	// If it takes too long to compute when a window opens or closes (see [schedule.Window.UntilAtLeast]), Until is a time
	// until which nothing changes: judge again then.
	Until time.Time
	// Waived says that PDBs do not hold the node back, although its disruption uses them up.
	Waived bool

	refused  int32      // how many uses are refused; these come first, unless there is a digest
	digest   *Digest    // the digest that the node was judged by; nil: none
	refusing uint64     // the uses of the digest that are refused, as a bit set
	overdue  *time.Time // when the node is overdue; from then on its pods no longer hold it back; nil: never
	gate     *PodGate
	node     *Node
	spent    int32     // PodGate.spent when the node was judged
	open     []opening // windows that close at Until or later
	uses     []use
}

// An opening is an open window with a pod that may only go in it.
type opening struct {
	pod    *Pod
	window schedule.Window
	whose  int // the position of the PodSchedule; own: the pod's annotations
}

const own = -1

// A use is a node's use of a PDB, with its first pod that the PDB selects. It is refused if the PDB allowed nothing
// when the node was judged.
type use struct{ pdb, pod int32 }

// PDBs yields the PDBs that the node uses up by one disruption each, as positions in Rules.PDBs, with the first pod
// that each selects.
func (v PodVerdict) PDBs() iter.Seq2[int, *Pod] {
	return func(yield func(int, *Pod) bool) {
		for _, u := range v.uses {
			if !yield(int(u.pdb), &v.node.Pods[u.pod]) {
				return
			}
		}
	}
}

// Closed returns the blocker that the node will have at a later time: the first pod whose window is open now and closed
// then. The blocker has no Until.
func (v PodVerdict) Closed(at time.Time) (b Blocker, closed bool) {
	for _, o := range v.open {
		if schedule.InWindow(o.window, at) || v.node.late(at) || v.overdue != nil && !at.Before(*v.overdue) {
			continue
		}
		if other := v.gate.closed(o, windowState{text: textOf(o.window)}); !closed || other.Compare(b) < 0 {
			b, closed = other, true
		}
	}
	return b, closed
}

// endAt limits the verdict to the time before a deadline.
func (v *PodVerdict) endAt(deadline time.Time) {
	for i := range v.Blockers {
		b := &v.Blockers[i]
		b.Until, b.ForGood = until.First(b.Until, deadline), false
	}
	if !v.Until.Before(deadline) {
		v.Until = time.Time{}
	}
}

// closed returns the blocker of the pod while its window is closed.
func (g *PodGate) closed(o opening, state windowState) Blocker {
	whose, source := "its disruption schedule", (*Source)(nil)
	if o.whose != own {
		whose, source = g.rules.Schedules[o.whose].Title, g.sources.schedule(o.whose, g.rules)
	}
	b := g.texts.blocker(o.pod, CodeOutsideSchedule, " may go only when ", whose, " lets it: ", state.text)
	b.Until, b.Source = state.until, source
	return b
}

// textOf describes a window, shortened for a sentence.
func textOf(w schedule.Window) string { return w.Abbreviated(200) }
