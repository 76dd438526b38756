package candidate

import (
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A PodVerdict says how the pods of a node block it. The zero PodVerdict does not block it. A PodVerdict means nothing
// to other gates, or for other nodes.
type PodVerdict struct {
	Blockers []Blocker // present ones
	spent    int32     // Gate.spent when the node was judged
	refused  int32     // how many uses are refused, unless digested; these come first
	digested bool      // the node was judged by its digest

	// Waived says that PDBs do not hold the node back, although its disruption uses them up.
	Waived bool

	// Until is when the first of the pods' open windows closes: until then, time alone adds no blocker. Zero means
	// never. If it takes too long to compute when a window opens or closes (see schedule.Window.UntilAtLeast), Until is
	// a time until which nothing changes: judge again then.
	Until time.Time

	Uses []PDBUse // of PDBs; the list must not be changed

	refusing uint64 // the uses that are refused, as a bit set, if the node was judged by its digest
}

// A PDBUse is a node's use of a PDB. If the node goes, it uses up one disruption of the PDB for all its pods. The use
// is refused if the PDB allowed nothing when the node was judged.
type PDBUse struct {
	PDB int32 // its position in Rules.PDBs
	Pod int32 // the position in Node.Pods of the first pod that the PDB selects
}

// endAt limits the verdict to the time before a deadline.
func (v *PodVerdict) endAt(deadline time.Time) {
	for i := range v.Blockers {
		b := &v.Blockers[i]
		b.Until, b.ForGood = schedule.First(b.Until, deadline), false
	}
	if !v.Until.Before(deadline) {
		v.Until = time.Time{}
	}
}
