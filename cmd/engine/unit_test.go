package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
)

// Units count as a whole against Karpenter's own budgets as well. Repair is for a node alone, and consolidation for no part of a unit.
func TestUnitsAreWholeToTheGuardAndTheSteward(t *testing.T) {
	const drifted, empty, underutilized, broken = candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Unhealthy
	for _, c := range []struct {
		rule           string
		karpenters     string
		reasons        [4]candidate.Reason // of two units of two nodes
		reason         candidate.Reason
		guard, steward string
	}{
		{"a unit counts as its nodes", "3", [4]candidate.Reason{drifted, drifted, drifted, drifted}, drifted, "a1 a2", "a1 a2"},
		{"no part of one fits", "1", [4]candidate.Reason{drifted, drifted, drifted, drifted}, drifted, "", ""},
		{"others follow", "2", [4]candidate.Reason{drifted}, drifted, "a1 a2", "a1 a2"},
		{"a broken node is alone", "4", [4]candidate.Reason{broken}, broken, "a1", "a1"},
		{"a unit that Karpenter offers as a whole may be consolidated, if it cannot be in part", "4",
			[4]candidate.Reason{underutilized, underutilized, underutilized}, underutilized, "a1 a2", ""},
		{"and one that is empty", "4", [4]candidate.Reason{empty, empty, empty}, empty, "a1 a2", "a1 a2"},
	} {
		theirs, _ := budget.Spec{Budgets: []budget.Budget{{Nodes: c.karpenters}}, Dialect: dialect.Karpenter}.Compile()
		set, _ := budget.Compile([]budget.Budget{{Nodes: "4"}})
		in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}}
		for i, reason := range c.reasons {
			unit := string("ab"[i/2])
			n := candidate.Node{Name: fmt.Sprint(unit, 1+i%2), Pool: "p", Unit: unit, Phase: candidate.Running}
			if reason != "" {
				n.Conditions = []candidate.Condition{{Reason: reason, Since: noon.Add(-time.Hour)}}
			}
			in.Nodes = append(in.Nodes, n)
		}
		of := map[string]budget.Set{"p": theirs}
		for as, d := range map[string]disruptkit.Decision{
			c.guard + " with the guard":     engine.Guarded(in, of, c.reason),
			c.steward + " with the steward": engine.Stewarded(in, of, c.reason),
		} {
			var got []string
			for _, a := range d.Allowed {
				got = append(got, a.Node)
			}
			if text, want := strings.Join(got, " "), strings.SplitN(as, " with", 2)[0]; text != want {
				t.Errorf("%s: %q may be disrupted, want %s: %v", c.rule, text, as, d.Blocked)
			}
		}
	}
}
