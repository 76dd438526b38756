package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// evictions are of pods that share PodDisruptionBudgets. They go one after the other, whichever nodes the pods are
// on: a PodDisruptionBudget allows the next one when the replacement of an earlier pod is Ready.
type evictions struct {
	model  Model
	needs  [][]need      // by node id
	users  [][]int32     // by PDB: the ids of the nodes that need it
	free   [][]time.Time // by PDB: for each disruption that it allows, when it is next free; none: it holds up no drain
	booked [][]booking   // by PDB: those that have not ended
}

// A booking is the time from the eviction of a pod until its replacement is Ready.
type booking struct{ from, to time.Time }

// A need is what the drain of a node needs of a PDB.
type need struct {
	pdb  int32
	pods int
	pod  string // one of them
}

// mostSlots is how many disruptions a PDB may allow. One that allows more holds up no drain.
const mostSlots = 100

// newEvictions returns the evictions of a fleet at its beginning, or nil if they take no time.
func newEvictions(in disruptkit.Input, m Model) *evictions {
	pdbs := in.Rules.PDBs()
	if m.Eviction == nil || len(pdbs) == 0 {
		return nil
	}
	e := &evictions{
		model: m, needs: make([][]need, len(in.Nodes)), users: make([][]int32, len(pdbs)),
		free: make([][]time.Time, len(pdbs)), booked: make([][]booking, len(pdbs)),
	}
	gate := openPDBs(in)
	var v candidate.PodVerdict
	for id := range in.Nodes {
		n := &in.Nodes[id]
		if len(n.Conditions) == 0 && m.expiry(*n).IsZero() && !goes(n) || len(n.Pods) == 0 {
			continue
		}
		gate.Judge(&v, n, &candidate.Condition{})
		for _, u := range v.Uses {
			if allowed := pdbs[u.PDB].DisruptionsAllowed; allowed > 0 && allowed <= mostSlots {
				e.free[u.PDB] = make([]time.Time, allowed)
				e.needs[id] = append(e.needs[id], need{u.PDB, int(u.Pods), n.Pods[u.Pod].String()})
				e.users[u.PDB] = append(e.users[u.PDB], int32(id))
			}
		}
	}
	return e
}

// openPDBs opens a gate of pods that counts every node against the PDBs of its pods. In Karpenter's dialect, a node
// uses a PDB only if that allows nothing.
func openPDBs(in disruptkit.Input) *candidate.PodGate {
	in.Rules.Dialect = dialect.Disruptkit
	return candidate.OpenPods(in.Rules, in.Now)
}

// A queue is how long the last pod of a node waits for its eviction, and which pod does: others that share its
// PodDisruptionBudget go first.
type queue struct {
	pod   string
	lasts time.Duration
}

// drains books the evictions of a node whose drain begins at a time, and returns how long the last one waits. The pods
// have room once the replacement of the node is Ready.
func (e *evictions) drains(id int, n candidate.Node, at, ready time.Time) (last queue) {
	if e == nil {
		return last
	}
	takes := e.model.eviction(n, at)
	for _, need := range e.needs[id] {
		slots := e.free[need.pdb]
		for range need.pods {
			i := 0
			for j := range slots {
				if slots[j].Before(slots[i]) {
					i = j
				}
			}
			evicted := schedule.Last(at, slots[i])
			slots[i] = schedule.Last(evicted.Add(takes), ready)
			e.booked[need.pdb] = append(e.booked[need.pdb], booking{evicted, slots[i]})
			if waits := evicted.Sub(at); waits > last.lasts {
				last = queue{need.pod, waits}
			}
		}
	}
	return last
}

// A hindrance is a need of a node whose PDB allows nothing now, and until when: the one of its needs that lasts longest.
type hindrance struct {
	need
	until time.Time
}

// busy returns what hinders nodes now, by their ids.
func (e *evictions) busy(now time.Time) map[int32]hindrance {
	if e == nil {
		return nil
	}
	all, ends := map[int32]hindrance{}, make([]time.Time, len(e.booked))
	for pdb := range ends {
		if ends[pdb] = e.spent(pdb, now); !ends[pdb].IsZero() {
			for _, id := range e.users[pdb] {
				all[id] = hindrance{}
			}
		}
	}
	for id, by := range all {
		for _, need := range e.needs[id] {
			if until := ends[need.pdb]; until.After(by.until) {
				by = hindrance{need, until}
			}
		}
		all[id] = by
	}
	return all
}

// shared returns the PDBs for which the drain of a node may wait.
func (e *evictions) shared(id int) (pdbs []int32) {
	if e != nil {
		for _, need := range e.needs[id] {
			pdbs = append(pdbs, need.pdb)
		}
	}
	return pdbs
}

// spent returns until when a PDB allows nothing. Zero: it allows something now.
func (e *evictions) spent(pdb int, now time.Time) (end time.Time) {
	e.booked[pdb] = slices.DeleteFunc(e.booked[pdb], func(b booking) bool { return !b.to.After(now) })
	going := 0
	for _, b := range e.booked[pdb] {
		if !b.from.After(now) {
			going++
			end = schedule.First(end, b.to)
		}
	}
	if going < len(e.free[pdb]) {
		return time.Time{}
	}
	return end
}
