package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Soaked generates inputs with budgets that soak, of pools and of groups, and with places in the memory: of nodes that
// are gone, in flight, replaced, or never started, and some forged ones.
func Soaked(s Source) disruptkit.Input {
	return soaked(s, oneOf(s, SoakedWaiting, Input, Paced, Grouped, Dated))
}

// SoakedWaiting generates small fleets whose candidates wait for slots that soak, and for what they wait for in
// Waiting.
func SoakedWaiting(s Source) disruptkit.Input {
	return soaked(s, oneOf(s, Waiting, Waiting, WaitingInZones, GroupedWaiting))
}

// soaked lets budgets of an input soak.
func soaked(s Source, in disruptkit.Input) disruptkit.Input {
	if in.Memory == nil {
		in.Memory = map[string]disruptkit.Memory{}
	}
	soak := func(set budget.Set, key string) budget.Set {
		spec := set.Spec()
		spec.Budgets = append(set.Spec().Budgets, budget.Budget{Nodes: pick(s, "1", "2", "50%"), Soak: someSoak(s)})
		for i := range spec.Budgets {
			b := &spec.Budgets[i]
			if s.Bool() && b.TopologyKey == "" && b.Per == "" && b.Nodes != "0" && b.Nodes != "0%" {
				b.Soak = someSoak(s)
			}
		}
		m := in.Memory[key]
		m.Soak = soaking(s, in)
		in.Memory[key] = m
		set, _ = spec.Compile()
		return set
	}
	for i := range in.Pools {
		if s(3) > 0 || len(in.Groups) == 0 {
			in.Pools[i].Budgets = soak(in.Pools[i].Budgets, in.Pools[i].Name)
		}
	}
	for i := range in.Groups {
		if s.Bool() {
			in.Groups[i].Budgets = soak(in.Groups[i].Budgets, in.Groups[i].Key())
		}
	}
	for i := range in.Nodes {
		if s.seldom() {
			in.Nodes[i].Replaces = pick(s, "gone-1", "gone-2", fmt.Sprintf("node-%02d", s(6)))
		}
	}
	return in
}

func someSoak(s Source) string { return pick(s, "1h", "20m", "5h", "30m") }

// soaking generates the memory of places.
func soaking(s Source, in disruptkit.Input) (m disruptkit.Soaking) {
	if s.seldom() {
		return m // it is lost
	}
	m.For, m.Since = pick(s, "5h", "5h", "5h", "1h", "long"), in.Now.Add(-time.Duration(s.Between(0, 8))*time.Hour)
	if s.Bool() {
		m.Since = in.Now.Add(-1000 * time.Hour)
	}
	if s.seldom() {
		m.Since = in.Now.Add(time.Minute)
	}
	m.Slots = several(s, 0, 4, func(s Source) disruptkit.Slot {
		one := disruptkit.Slot{
			Node:   pick(s, "gone-1", "gone-2", "gone-3", fmt.Sprintf("node-%02d", s(6))),
			Reason: pick(s, candidate.Drifted, "", Reason(s)),
			Since:  in.Now.Add(-time.Duration(s.Between(-1, 20)) * 15 * time.Minute),
			Seen:   !s.seldom(),
		}
		if s.seldom() {
			one.Since = time.Time{}
		}
		return one
	})
	return m
}
