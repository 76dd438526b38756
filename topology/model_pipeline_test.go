package topology_test

import (
	"slices"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// The model calls package topology alone, millions of times. Its rules hold for the whole pipeline if that chooses the
// same in every state.
func TestDecideChoosesAsTheModelDoes(t *testing.T) {
	fleets := []*fleet{newFleet(t, 1, "1", "a", "b", "c"), newFleet(t, 1, "50%", "", "b")}
	if exhaustive {
		fleets[1] = newFleet(t, 2, "50%", "", "b")
	}
	fleets[1].options.LabelOptional = true // or nothing is allowed after the last node of b has gone
	paused := newFleet(t, 1, "1", "a", "b")
	paused.pauses = true
	overdue := newFleet(t, 1, "1", "a", "b")
	overdue.overdue = true
	fleets = append(fleets, paused, overdue, newFleetFor(t, "Drifted/AMIDrift", 1, "1", "a", "b"))
	for _, f := range fleets {
		e := newExploration(f)
		if story, _ := e.run(); story != "" {
			t.Fatal(story)
		}
		whole := newPipeline(t, f)
		for i := 0; i < len(e.states); i += 17 { // a sample
			s := decode(e.states[i])
			if want, got := f.decide(&s), whole.decide(&s); got != want {
				t.Fatalf("%s\nDecide chooses %+v, package topology %+v", s.picture(f.names), got, want)
			}
		}
	}
}

// A pipeline decides for a fleet with disruptkit.Decide. The window is a budget of the whole pool, which ends.
type pipeline struct {
	*fleet
	open, closed budget.Set
}

func newPipeline(t *testing.T, f *fleet) pipeline {
	zones := budget.Budget{Nodes: f.limit, TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{f.ordered}}
	compile := func(budgets ...budget.Budget) budget.Set {
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	return pipeline{f, compile(zones), compile(budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}, zones)}
}

func (p pipeline) decide(s *state) choice {
	pool := disruptkit.Pool{Name: "default", Budgets: p.closed, Topology: p.options}
	if s.open {
		pool.Budgets = p.open
	}
	in := disruptkit.Input{Now: today, Pools: []disruptkit.Pool{pool}}
	if roll := p.value(s.roll); roll.Key != "" {
		in.Memory = map[string]disruptkit.Memory{"default": {Roll: roll}}
	}
	zones := map[string]int{}
	for n, blockers := range p.members(s) {
		node := *n
		node.Blockers = slices.DeleteFunc(slices.Clone(blockers), func(b candidate.Blocker) bool { return b.Code == candidate.CodePaused })
		in.Nodes = append(in.Nodes, node)
		for z, name := range p.names {
			if n.Labels["zone"] == name {
				zones[n.Name] = z
			}
		}
	}
	for z, name := range p.names {
		if s.paused(z) {
			in.Pauses = append(in.Pauses, probe.Pause{Key: "zone", Domains: []string{name}})
		}
	}
	d := disruptkit.Decide(in, candidate.Drifted)
	c := choice{zone: -1, allowed: len(d.Allowed), roll: p.position(d.Memory["default"].Roll)}
	for _, a := range d.Allowed {
		c.mixed = c.mixed || c.zone >= 0 && c.zone != zones[a.Node]
		c.zone = zones[a.Node]
	}
	return c
}
