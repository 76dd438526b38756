package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/candidate"
)

// settle finds out how new Machines have ended, and counts that in the memory of their pools: a pool whose new Machines fail waits
// (disruptkit.Backoff), and then, until the next one has come. Whatever a Machine was made for, a replacement would end as it did.
func (r *roller) settle(f *fleet, state *cluster.State) {
	was, came, failed, coming := state.Coming, map[string]bool{}, map[string]bool{}, map[string]bool{}
	state.Coming = map[string]time.Time{}
	there := map[string]int{} // Machines by pool, less those that are disrupted
	for i := range f.input.Nodes {
		n, m := &f.input.Nodes[i], f.machines[f.input.Nodes[i].Name]
		id := n.Pool + "/" + n.Name
		since, new := was[id]
		delete(was, id)
		if !n.InFlight() {
			there[n.Pool]++
		}
		_, takesPart := f.policies[n.Pool]
		switch {
		case !takesPart || outdated(m) != nil: // those to come are others
		case n.Phase == candidate.Running:
			came[n.Pool] = came[n.Pool] || new
		case n.InFlight():
			failed[n.Pool] = failed[n.Pool] || new
		default:
			if !new {
				since = f.input.Now
			}
			state.Coming[id], coming[n.Pool] = since, true
			sick := meta.IsStatusConditionFalse(m.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
			if late := f.input.Now.Sub(since) >= r.startup; sick || late {
				r.log("Machine %s does not become Available: its pool waits", n.Name)
				failed[n.Pool] = true
			}
		}
	}
	for id := range was { // gone before it was Available
		pool, _, _ := strings.Cut(id, "/")
		failed[pool] = true
	}
	if state.Memory == nil {
		state.Memory = map[string]disruptkit.Memory{}
	}
	for i := range f.input.Pools {
		p := &f.input.Pools[i]
		m := state.Memory[p.Name]
		if came[p.Name] {
			m.Backoff = disruptkit.Backoff{}
		}
		if failed[p.Name] {
			m.Backoff = m.Backoff.Fail(f.input.Now, rand.Float64())
		}
		state.Memory[p.Name] = m
		if m.Backoff.Level > 0 && (coming[p.Name] || there[p.Name] < p.Desired) {
			for _, reason := range []candidate.Reason{candidate.Drifted, candidate.Expired} {
				deny(&p.Verdicts, "new Machines", candidate.CodeBackedOff, reason, "one has failed, and another one is to come first")
			}
		}
	}
}

// replace reports of new Machines which ones they replace, so that the places of these soak from when the new ones are Available. Cluster API does
// not know, and in a pool, whose places are all alike, it makes no difference: so they are those that are gone and do not soak yet, or
// not for long.
func (f *fleet) replace(state cluster.State) {
	for _, p := range f.input.Pools {
		gone := slices.DeleteFunc(slices.Clone(state.Memory[p.Name].Soak.Slots), func(one disruptkit.Slot) bool { return f.machines[one.Node] != nil })
		slices.SortStableFunc(gone, func(a, b disruptkit.Slot) int {
			if a.Since.IsZero() != b.Since.IsZero() {
				return map[bool]int{true: -1, false: 1}[a.Since.IsZero()]
			}
			return b.Since.Compare(a.Since)
		})
		for i := range f.input.Nodes {
			n := &f.input.Nodes[i]
			if _, comes := state.Coming[p.Name+"/"+n.Name]; comes && n.Pool == p.Name && len(gone) > 0 {
				n.Replaces, gone = gone[0].Node, gone[1:]
			}
		}
	}
}
