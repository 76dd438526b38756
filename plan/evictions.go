package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// evictions are of pods that share PodDisruptionBudgets. They are one after the other, whatever nodes the pods are on:
// a PodDisruptionBudget allows the next one when the replacement of an earlier pod is Ready.
type evictions struct {
	model Model
	needs [][]need  // by node id, in the order of their times
	users [][]int32 // by PDB: the ids of the nodes that need it
	used  [][]usage // by PDB: of each disruption that it allows; none: it holds up no drain
}

// A usage is when a disruption that a PDB allows is used: from the eviction of a pod until its replacement is Ready.
// The spans are in order, and apart.
type usage []span

type span struct{ from, to time.Time }

// free returns the first time, from a time on, at which the disruption is not used.
func (u usage) free(from time.Time) time.Time {
	for _, s := range u {
		if !s.from.After(from) && from.Before(s.to) {
			from = s.to
		}
	}
	return from
}

// add returns the usage with one more span.
func (u usage) add(s span) usage {
	i := 0
	for i < len(u) && u[i].to.Before(s.from) {
		i++
	}
	j := i
	for ; j < len(u) && !u[j].from.After(s.to); j++ {
		s = span{schedule.First(s.from, u[j].from), schedule.Last(s.to, u[j].to)}
	}
	return slices.Replace(u, i, j, s)
}

// A need is what the drain of a node needs of a PDB.
type need struct {
	pdb    int32
	source *candidate.Source // names it
	pods   int
	pod    string    // one of them
	from   time.Time // they are not evicted before; farAway: never
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
		model: m, needs: make([][]need, len(in.Nodes)),
		users: make([][]int32, len(pdbs)), used: make([][]usage, len(pdbs)),
	}
	sources := make([]*candidate.Source, len(pdbs))
	for i := range pdbs {
		sources[i] = &candidate.Source{PDBs: []string{pdbs[i].Namespace + "/" + pdbs[i].Name}}
	}
	gate := openPDBs(in)
	var v candidate.PodVerdict
	for id := range in.Nodes {
		n := &in.Nodes[id]
		if len(n.Conditions) == 0 && m.expiry(*n).IsZero() && !goes(n) || len(n.Pods) == 0 {
			continue
		}
		for _, part := range apart(gate, n) {
			gate.Judge(&v, &part.node, &candidate.Condition{})
			for _, u := range v.Uses {
				if allowed := pdbs[u.PDB].DisruptionsAllowed; allowed > 0 && allowed <= mostSlots {
					if e.used[u.PDB] == nil {
						e.used[u.PDB] = make([]usage, allowed)
					}
					pod := part.node.Pods[u.Pod].String()
					e.needs[id] = append(e.needs[id], need{u.PDB, sources[u.PDB], int(u.Pods), pod, part.from})
					e.users[u.PDB] = append(e.users[u.PDB], int32(id))
				}
			}
		}
		slices.SortStableFunc(e.needs[id], func(a, b need) int { return a.from.Compare(b.from) })
	}
	return e
}

// A detained is a node with those of its pods that are not evicted before a time; farAway: never.
type detained struct {
	node candidate.Node
	from time.Time
}

// apart returns a node once for each time from which on pods of it may be evicted.
func apart(gate *candidate.PodGate, n *candidate.Node) []detained {
	if len(heldUp(gate, n)) == 0 {
		return []detained{{node: *n}}
	}
	var parts []detained
	for i := range n.Pods {
		one, from := *n, time.Time{}
		one.Digest, one.Pods = nil, n.Pods[i:i+1:i+1]
		for _, b := range heldUp(gate, &one) {
			if from = schedule.Last(from, b.Until); b.Until.IsZero() {
				from = farAway
				break
			}
		}
		j := slices.IndexFunc(parts, func(p detained) bool { return p.from.Equal(from) })
		if j < 0 {
			parts = append(parts, detained{one, from})
			continue
		}
		parts[j].node.Pods = append(parts[j].node.Pods, n.Pods[i])
	}
	return parts
}

// openPDBs opens a gate of pods that counts every node against the PDBs of its pods, as the API server does. In
// Karpenter's dialect, a node uses a PDB only if that allows nothing.
func openPDBs(in disruptkit.Input) *candidate.PodGate {
	in.Rules.Dialect = dialect.Disruptkit
	return candidate.OpenPods(in.Rules, in.Now)
}

// A queue is how long the last pod of a node waits for its eviction behind others that share its PodDisruptionBudget.
type queue struct {
	pdb   *candidate.Source
	lasts time.Duration
}

// A drain begins when the first pod may be evicted. The pods can start again once the replacement of the node is Ready.
// Pods that are left when its grace period ends are killed; zero: it never does.
type drain struct{ at, ready, end time.Time }

// drains books the evictions of a node, and returns how long the last one waits, and for which PodDisruptionBudgets
// pods still wait when they are killed, since its grace period ends.
func (e *evictions) drains(id int, n candidate.Node, d drain, now time.Time) (last queue, killed []candidate.Blocker) {
	if e == nil {
		return last, nil
	}
	takes := e.model.eviction(n, d.at)
	for _, need := range e.needs[id] {
		all, free, kills := e.unused(need.pdb, now), schedule.Last(d.at, need.from), false
		end := e.model.cut(need.pod, d)
		for range need.pods {
			i, evicted := first(all, free)
			if !end.IsZero() && evicted.After(end) { // it is killed
				if !kills && free.Before(end) {
					kills, killed = true, append(killed, spentBlocker(need, evicted))
				}
				i, _ = first(all, end)
				evicted = end
			} else if evicted.Equal(farAway) {
				continue
			}
			all[i] = all[i].add(span{evicted, schedule.Last(evicted.Add(takes), d.ready)})
			if waits := evicted.Sub(d.at); evicted.After(free) && waits > last.lasts {
				last = queue{need.source, waits}
			}
		}
	}
	return last, killed
}

// first returns which disruption is free first, from a time on, and when.
func first(all []usage, from time.Time) (i int, at time.Time) {
	for j, u := range all {
		if free := u.free(from); j == 0 || free.Before(at) {
			i, at = j, free
		}
	}
	return i, at
}

// A hindrance is the need of a node whose PDB allows nothing for the longest, and when that ends.
type hindrance struct {
	need
	until time.Time
}

// busy returns what hinders nodes now, by their ids.
func (e *evictions) busy(now time.Time) map[int32]hindrance {
	if e == nil {
		return nil
	}
	all, ends := map[int32]hindrance{}, make([]time.Time, len(e.used))
	for pdb := range ends {
		if ends[pdb] = e.spent(int32(pdb), now); !ends[pdb].IsZero() {
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

// spent returns when a PDB allows something again. Zero: it does now.
func (e *evictions) spent(pdb int32, now time.Time) (end time.Time) {
	for _, u := range e.used[pdb] {
		free := u.free(now)
		if free.Equal(now) {
			return time.Time{}
		}
		end = schedule.First(end, free)
	}
	return end
}

// unused returns the disruptions that a PDB allows, without their usage up to now.
func (e *evictions) unused(pdb int32, now time.Time) []usage {
	all := e.used[pdb]
	for i := range all {
		all[i] = slices.DeleteFunc(all[i], func(s span) bool { return !s.to.After(now) })
	}
	return all
}
