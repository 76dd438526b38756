package disruptkit_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
	"github.com/disruptkit/disruptkit/repair"
	"github.com/disruptkit/disruptkit/topology"
)

// All numbers and durations that a decision reads. A negative one is no 0: it never allows a node that is blocked without it, and is
// reported.
func TestANegativeNumberOrDurationIsReportedAndAllowsNothing(t *testing.T) {
	const reason = candidate.Unhealthy
	spec := func(change func(*budget.Spec)) func(*disruptkit.Input) {
		return func(in *disruptkit.Input) {
			s := budget.Spec{Budgets: []budget.Budget{}, Methods: nil}
			change(&s)
			in.Pools[0].Budgets, _ = s.Compile()
		}
	}
	list := func(b budget.Budget) func(*disruptkit.Input) {
		return spec(func(s *budget.Spec) { s.Budgets = []budget.Budget{b} })
	}
	breaks := func(b interface {
		Verdict([]time.Time, time.Time) probe.Verdict
	}) func(*disruptkit.Input) {
		return func(in *disruptkit.Input) { in.Verdicts = []probe.Verdict{b.Verdict(nil, in.Now)} }
	}
	group := func(o topology.Options) func(*disruptkit.Input) {
		return func(in *disruptkit.Input) {
			set, _ := budget.Compile([]budget.Budget{})
			in.Groups = []disruptkit.Group{{Name: "all", Pools: []string{"default"}, Budgets: set, Topology: o}}
		}
	}
	negative := -time.Minute
	for name, change := range map[string]func(*disruptkit.Input){
		"Pool.Desired":            func(in *disruptkit.Input) { in.Pools[0].Desired = -1 },
		"Pool.Topology.Patience":  func(in *disruptkit.Input) { in.Pools[0].Topology.Patience = negative },
		"Pool.Topology.Soak":      func(in *disruptkit.Input) { in.Pools[0].Topology.Soak = negative },
		"Group.Topology.Patience": group(topology.Options{Patience: negative}),
		"Group.Topology.Soak":     group(topology.Options{Soak: negative}),
		"Budget.Nodes":            list(budget.Budget{Nodes: "-1"}),
		"Budget.Nodes in percent": list(budget.Budget{Nodes: "-10%"}),
		"Budget.Duration":         list(budget.Budget{Nodes: "5", Schedule: "* * * * *", Duration: "-1h"}),
		"Budget.Per":              list(budget.Budget{Nodes: "5", Per: "-1h"}),
		"Budget.Soak":             list(budget.Budget{Nodes: "5", Soak: "-1h"}),
		"Control.DisruptAfter":    spec(func(s *budget.Spec) { s.Defaults.DisruptAfter = "-1h" }),
		"Control.MinAge":          spec(func(s *budget.Spec) { s.Defaults.MinAge = "-1h" }),
		"Control.Rollout.Waves":   spec(func(s *budget.Spec) { s.Drift.Rollout = &budget.Rollout{Waves: []string{"-1"}} }),
		"Control.Rollout.Bake":    spec(func(s *budget.Spec) { s.Drift.Rollout = &budget.Rollout{Waves: []string{"5"}, Bake: "-1h"} }),
		"Control.Deadline":        spec(func(s *budget.Spec) { s.Budgets, s.Defaults.Deadline = []budget.Budget{{Nodes: "0"}}, "-1h" }),
		"Condition.Bound":         func(in *disruptkit.Input) { in.Nodes[0].Conditions[0].Bound = &negative },
		"Pod.Terms.Protect": func(in *disruptkit.Input) {
			in.Nodes[0].Pods = []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: negative}}}
		},
		"PDB.DisruptionsAllowed": func(in *disruptkit.Input) {
			in.Rules, _ = candidate.CompileRules([]candidate.PDB{{Selector: &candidate.Selector{}, DisruptionsAllowed: -1}}, nil)
			in.Nodes[0].Pods = []candidate.Pod{{Name: "p"}}
		},
		"breaker.ScaleDown.MoreThan": breaks(breaker.ScaleDown{MoreThan: -1, Within: time.Hour}),
		"breaker.ScaleDown.Within":   breaks(breaker.ScaleDown{MoreThan: 5, Within: negative}),
		"breaker.ScaleDown.CoolDown": breaks(breaker.ScaleDown{MoreThan: 5, Within: time.Hour, CoolDown: negative}),
		"breaker.Replacement.CoolDown": func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{breaker.Replacement{Failures: 1, Of: 1, CoolDown: negative}.Verdict(nil, in.Now)}
		},
		"repair.Breaker.Percent": func(in *disruptkit.Input) {
			if b, blocked := (repair.Breaker{Percent: -1}).Blocker(10, 0); blocked {
				in.Nodes[0].Blockers = []candidate.Blocker{b}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: []candidate.Node{fixture.Wanted("a", fixture.Noon, candidate.Drifted)}}
			in.Pools[0].Budgets, _ = budget.Compile([]budget.Budget{})
			if name == "Condition.Bound" {
				in.Nodes[0].Conditions[0].Reason = reason
			}
			if d := disruptkit.Decide(in, ""); len(d.Allowed) != 1 {
				t.Fatal(fixture.Story(d))
			}
			change(&in)
			d := disruptkit.Decide(in, "")
			if len(d.Allowed) > 0 {
				t.Errorf("the node is allowed, with warnings %v", d.Warnings)
			}
			warned := slices.ContainsFunc(d.Warnings, func(w candidate.Warning) bool { return w.Message != "" })
			explained := len(d.Blocked) > 0 && len(d.Blocked[0].Blockers) > 0 && d.Blocked[0].Blockers[0].Code != candidate.CodeAllowsNone
			if !warned && !explained && name != "PDB.DisruptionsAllowed" { // a PDB's status may be below 0
				t.Errorf("nothing says what is wrong: %s", fixture.Story(d))
			}
		})
	}
	if blockers := candidate.NodeGate(&candidate.Node{Name: "a", Pool: "p", Phase: candidate.Running}, candidate.Condition{Reason: candidate.Drifted}, candidate.Minimum{Held: negative}, fixture.Noon); len(blockers) != 1 {
		t.Errorf("a negative Minimum: %v", blockers)
	}
	if set, err := repair.Compile([]repair.Policy{{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: negative, Action: repair.Replace}}); err == nil {
		t.Errorf("a negative TolerationDuration: %v", set)
	}
	if set, err := repair.Compile([]repair.Policy{{ConditionType: "Ready", ConditionStatus: "False", TerminationGracePeriod: &negative, Action: repair.Replace}}); err == nil {
		t.Errorf("a negative TerminationGracePeriod: %v", set)
	}
}

func TestNegativesBlockAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Grouped).Draw(t, "input")
		durations := rapid.SampledFrom([]time.Duration{-time.Hour, -2, topology.NoPatience, 0, time.Hour})
		for i := range in.Pools {
			in.Pools[i].Desired = rapid.IntRange(-1, 3).Draw(t, "desired")
			in.Pools[i].Topology.Patience, in.Pools[i].Topology.Soak = durations.Draw(t, "patience"), durations.Draw(t, "soak")
		}
		for i := range in.Groups {
			in.Groups[i].Topology.Patience, in.Groups[i].Topology.Soak = durations.Draw(t, "patience"), durations.Draw(t, "soak")
		}
		for i := range in.Nodes {
			for j := range in.Nodes[i].Conditions {
				bound := durations.Draw(t, "bound")
				in.Nodes[i].Conditions[j].Bound = &bound
			}
			for j := range in.Nodes[i].Pods {
				in.Nodes[i].Pods[j].Terms.Protect = durations.Draw(t, "protect")
			}
		}
		agreesWithNaive(t, in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
}
