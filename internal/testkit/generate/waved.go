package generate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Waved generates inputs whose pools and groups roll in waves. Some waves are broken, some have begun, and some bake.
func Waved(s Source) disruptkit.Input {
	in := oneOf(s, WavedWaiting, Input, Grouped, Dated, Ordered)
	return waved(s, in, true)
}

// WavedWaiting generates small fleets whose candidates wait for waves, and for what they wait for in Waiting.
func WavedWaiting(s Source) disruptkit.Input {
	in := oneOf(s, Waiting, Waiting, WaitingInZones, GroupedWaiting)
	if s.Bool() {
		none, _ := budget.Compile([]budget.Budget{})
		for i := range in.Pools {
			in.Pools[i].Budgets = none
		}
	}
	return waved(s, in, false)
}

// waved lets pools and groups of an input roll in waves.
func waved(s Source, in disruptkit.Input, broken bool) disruptkit.Input {
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if s(3) == 0 {
			n.Conditions = nil
		}
		if s.seldom() {
			n.Phase = Phase(s)
		}
		n.Labels["canary"] = pick(s, "", "", "true")
		if s(4) == 0 {
			n.Phase = pick(s, candidate.Launched, candidate.Registered)
			n.Created = in.Now.Add(time.Duration(s.Between(-4, 1)) * 10 * time.Minute)
			n.Replaces = pick(s, "", "", "gone", in.Nodes[s(len(in.Nodes))].Name)
		}
	}
	if in.Memory == nil {
		in.Memory = map[string]disruptkit.Memory{}
	}
	roll := func(set budget.Set, key, revision string) budget.Set {
		spec := set.Spec()
		of := pick(s, &spec.Drift, &spec.Drift, &spec.Defaults, &spec.Expiration)
		if broken && s.seldom() {
			of = pick(s, &spec.Emptiness, &spec.Consolidation)
		}
		of.Rollout = rollout(s, broken)
		m := in.Memory[key]
		for range s(3) * min(1, len(in.Nodes)) {
			m.Starts = append(m.Starts, disruptkit.Start{
				Node: in.Nodes[s(len(in.Nodes))].Name, Seen: s.Bool(), Over: s.seldom(),
				At: in.Now.Add(-time.Duration(s(5)) * 10 * time.Minute),
			})
		}
		for _, method := range []candidate.Reason{candidate.Drifted, candidate.Expired} {
			if s.Bool() {
				m.Waves = append(m.Waves, disruptkit.Progress{
					Method: method, Revision: revision, Waves: of.Rollout.Waves, Baked: s(3), Done: s(3),
					Since: in.Now.Add(-time.Duration(s.Between(-1, 8)) * 15 * time.Minute),
				})
			}
		}
		if s.Bool() {
			in.Memory[key] = m
		}
		set, _ = spec.Compile()
		return set
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Revision = pick(s, "", "1")
		if s(3) > 0 || len(in.Groups) == 0 {
			p.Budgets = roll(p.Budgets, p.Name, pick(s, p.Revision, p.Revision, p.Revision, "0"))
		}
	}
	for i := range in.Groups {
		g := &in.Groups[i]
		if s.Bool() {
			g.Budgets = roll(g.Budgets, g.Key(), "")
			if known := disruptkit.Decide(in, "").Memory[g.Key()].Waves; len(known) > 0 && s.Bool() {
				m := in.Memory[g.Key()]
				for _, w := range known { // they have the revision of the group
					w.Baked, w.Done, w.Since = s(3), s(3), in.Now.Add(-time.Duration(s.Between(-1, 8))*15*time.Minute)
					if s.Bool() {
						w.Pools = slices.Concat(w.Pools, g.Pools[:s(len(g.Pools)+1)])
					}
					m.Waves = append(m.Waves, w)
				}
				in.Memory[g.Key()] = m
			}
		}
	}
	return in
}

// rollout generates waves for small pools.
func rollout(s Source, broken bool) *budget.Rollout {
	r := &budget.Rollout{Bake: pick(s, "1h", "30m", "", "0s", "20h")}
	r.Waves = pick(s, []string{"1"}, []string{"1", "50%"}, []string{"1", "2", "4"}, []string{"10%", "3", "40%", "80%"},
		[]string{"3"}, []string{"5%", "30%"})
	if s(3) == 0 {
		r.From = &candidate.Selector{MatchLabels: map[string]string{"canary": "true"}}
	}
	if broken && s.seldom() {
		r.Waves = pick(s, []string{"0"}, []string{"110%"}, []string{"5%, 1%"}, []string{"5%", "1%"}, nil,
			[]string{"-1"})
	}
	if broken && s.seldom() {
		r.Bake = pick(s, "8784h", "long", "-1h", "Never")
	}
	return r
}
