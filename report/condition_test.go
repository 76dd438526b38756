package report_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

// conditionLines returns the conditions of a node: "Type Status Reason 15:04 message".
func conditionLines(r report.Report, node string) (lines []string) {
	for _, n := range r.Nodes {
		for _, c := range n.Conditions {
			if n.Node == node {
				status := map[bool]string{true: "True", false: "False"}[c.Status]
				lines = append(lines, strings.Join([]string{c.Type, status, c.Reason, c.LastTransitionTime.Format("15:04"), c.Message}, " "))
			}
		}
	}
	return lines
}

const unrestricted = "DisruptionBudgetRestricted False WithinBudget 12:00 No budget restricts disruption now."

// "DisruptionBudgetRestricted", "BudgetExceeded", "DisruptionAllowed" and "WithinBudget", with their messages, are
// those of the RFC ("NodeClaimConditions"). The node is a-2, the younger of two that have drifted.
func TestTheConditionsOfANodeClaimSayWhetherItMayBeDisrupted(t *testing.T) {
	zone := func(in *disruptkit.Input, sequential bool) {
		for i := range in.Nodes {
			in.Nodes[i].Labels = map[string]string{"zone": "a"}
		}
		in.Pools[0] = pool(t, budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: sequential})
	}
	for _, c := range []struct {
		name string
		set  func(in *disruptkit.Input)
		want []string
	}{
		{"within its budget it may", func(*disruptkit.Input) {},
			[]string{unrestricted, "DisruptionAllowed True WithinBudget 12:00 Disruption allowed within current budget."}},
		{"a budget that is used up restricts it", func(in *disruptkit.Input) { in.Pools[0] = pool(t, budget.Budget{Nodes: "1"}) }, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/exhausted: 1 of 5 nodes may be disrupted at once, 1 already allowed: budgets[0] is 1",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: budget/exhausted: 1 of 5 nodes may be disrupted at once, 1 already allowed: budgets[0] is 1",
		}},
		{"so does one of 0, and reports when it ends", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)",
		}},
		{"so does a zone's", func(in *disruptkit.Input) { zone(in, false) }, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"topology/exhausted: 1 of 5 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 1 per zone",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"topology/exhausted: 1 of 5 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 1 per zone",
		}},
		{"a zone's of 0 as well", func(in *disruptkit.Input) {
			zone(in, false)
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", TopologyKey: "zone"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"topology/allows-none: 0 of 5 nodes of a may be disrupted at once: budgets[0] is 0 per zone",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: topology/allows-none: 0 of 5 nodes of a may be disrupted at once: budgets[0] is 0 per zone",
		}},
		{"another zone's turn is not a budget", func(in *disruptkit.Input) { zone(in, true); in.Nodes[1].Labels = map[string]string{"zone": "b"} }, []string{
			unrestricted, "DisruptionAllowed False WaitsForDomain 12:00 Disruption not allowed: topology/waits-for-domain: b waits for a (0 in flight, 1 to go)"}},
		{"an annotation is not a budget", func(in *disruptkit.Input) { in.Nodes[1].DoNotDisrupt = true }, []string{
			unrestricted, "DisruptionAllowed False DoNotDisrupt 12:00 Disruption not allowed: node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\""}},
		{"a pod's PodDisruptionBudget is none of these budgets", func(in *disruptkit.Input) {
			in.Nodes[1].Pods = []candidate.Pod{{Namespace: "ml", Name: "train"}}
			in.Rules, _ = candidate.CompileRules([]candidate.PDB{{Namespace: "ml", Name: "all", Selector: &candidate.Selector{}}}, nil)
		}, []string{unrestricted, "DisruptionAllowed False AllowsNone 12:00 Disruption not allowed: pod/allows-none: pod ml/train has PDB ml/all, which allows no disruption now"}},
		{"where a budget and a gate block it, the budget is the reason, and both are reported", func(in *disruptkit.Input) {
			in.Pools[0], in.Nodes[1].DoNotDisrupt = pool(t, budget.Budget{Nodes: "0"}), true
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0; " +
				"node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\"",
		}},
		{"of two gates the first is the reason", func(in *disruptkit.Input) {
			in.Nodes[1].DoNotDisrupt, in.Nodes[1].NominatedUntil = true, friday.Add(time.Minute)
		}, []string{unrestricted, "DisruptionAllowed False Nominated 12:00 Disruption not allowed: " +
			"node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z); node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\""}},
		{"the caller's own code becomes a word", func(in *disruptkit.Input) {
			in.Nodes[1].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no room_for-its pods", Message: "none"}}
		}, []string{unrestricted, "DisruptionAllowed False NoRoomForItsPods 12:00 Disruption not allowed: node/no room_for-its pods: none"}},
		{"no code at all is one as well", func(in *disruptkit.Input) {
			in.Nodes[1].Blockers = []candidate.Blocker{{Gate: "mine", Message: "none"}, {Gate: "mine", Message: "none"}}
		}, []string{unrestricted, "DisruptionAllowed False Blocked 12:00 Disruption not allowed: mine/: none"}},
		{"one that is in flight is on its way", func(in *disruptkit.Input) { in.Nodes[1].Leaving = candidate.Draining }, []string{
			unrestricted, "DisruptionAllowed False Deleting 12:00 Disruption not allowed: node/deleting: the node is already being disrupted"}},
		{"one that reboots is on its way as well", func(in *disruptkit.Input) { in.Nodes[1].Rebooting = true }, []string{
			unrestricted, "DisruptionAllowed False Rebooting 12:00 Disruption not allowed: node/rebooting: the node is rebooting"}},
		{"one that is in flight uses up the budget, which does not restrict it", func(in *disruptkit.Input) {
			in.Pools[0], in.Nodes[1].Leaving, in.Nodes[1].DisruptedFor = pool(t, budget.Budget{Nodes: "1"}), candidate.Draining, "Drifted"
		}, []string{
			unrestricted, "DisruptionAllowed False Deleting 12:00 Disruption not allowed: node/deleting: the node is already being disrupted for Drifted"}},
		{"one of two reasons that is allowed makes it allowed", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}})
			in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty"})
		}, []string{unrestricted, "DisruptionAllowed True WithinBudget 12:00 Disruption allowed within current budget."}},
		{"where none of two may, both are reported", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}, budget.Budget{Nodes: "0%", Reasons: []candidate.Reason{"Empty"}})
			in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (Drifted); budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[1] is 0% (Empty)",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0 (Drifted); budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[1] is 0% (Empty)",
		}},
		{"where the same blocks both, it is reported once", func(in *disruptkit.Input) {
			in.Pools[0], in.Nodes[1].DoNotDisrupt = pool(t, budget.Budget{Nodes: "0"}), true
			in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: budget/allows-none: 0 of 5 nodes may be disrupted now: budgets[0] is 0; " +
				"node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\"",
		}},
		{"of one that nobody wants gone nothing is said", func(in *disruptkit.Input) { in.Nodes[1].Conditions = nil }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(3, 2), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
			c.set(&in)
			wantLines(t, "conditions", conditionLines(summarized(report.Report{}, in, "Drifted", "Empty"), "a-2"), c.want...)
		})
	}
}

func TestAConditionKeepsItsTimeAsLongAsItsStatusStays(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1)}
	var r report.Report
	for i, step := range []struct{ budget, blocked, restricted, allowed string }{
		{"0", "", "True 12:00", "False 12:00"},
		{"0", "", "True 12:00", "False 12:00"},
		{"5", "do-not-disrupt", "False 14:00", "False 12:00"}, // another reason, the same status
		{"5", "", "False 14:00", "True 15:00"},
		{"6", "", "False 14:00", "True 15:00"},
		{"0", "", "True 17:00", "False 17:00"},
	} {
		in.Now, in.Pools = friday.Add(time.Duration(i)*time.Hour), []disruptkit.Pool{pool(t, budget.Budget{Nodes: step.budget})}
		in.Nodes = slices.Clone(in.Nodes)
		in.Nodes[0].DoNotDisrupt = step.blocked != ""
		r = summarized(r, in, "Drifted")
		var got []string
		for _, line := range conditionLines(r, "a-1") {
			words := strings.Fields(line)
			got = append(got, words[1]+" "+words[3])
		}
		wantLines(t, fmt.Sprint("conditions after ", i, " hours"), got, step.restricted, step.allowed)
	}
}

// A node that goes was restricted, or could be disrupted, and is neither any more; also where no decision is about it.
func TestTheConditionsOfANodeChangeOnceItIsInFlight(t *testing.T) {
	for _, nodes := range []string{"0", "5"} {
		in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: nodes})}}
		first := summarized(report.Report{}, in, "Drifted")
		in.Now, in.Nodes = friday.Add(time.Hour), slices.Clone(in.Nodes)
		in.Nodes[0].Leaving = candidate.Draining
		for _, asked := range [][]candidate.Reason{{"Drifted"}, {"Empty"}, nil} {
			var got []string
			for _, line := range conditionLines(summarized(first, in, asked...), "a-1") {
				got = append(got, strings.Join(strings.Fields(line)[:3], " "))
			}
			wantLines(t, fmt.Sprintf("conditions with a budget of %s, asked for %q", nodes, asked), got,
				"DisruptionBudgetRestricted False WithinBudget", "DisruptionAllowed False Deleting")
		}
	}
}

func TestTheJSONOfAConditionIsThatOfKubernetes(t *testing.T) {
	c := report.Condition{Type: "DisruptionAllowed", Status: true, Reason: "WithinBudget", Message: "Disruption allowed within current budget.",
		LastTransitionTime: time.Date(2024, 1, 25, 10, 0, 0, 999, time.FixedZone("CET", 3600))}
	want := `{"type":"DisruptionAllowed","status":"True","reason":"WithinBudget","message":"Disruption allowed within current budget.","lastTransitionTime":"2024-01-25T09:00:00Z"}`
	for _, want := range []string{want, strings.Replace(want, `"True"`, `"False"`, 1)} {
		got, err := json.Marshal(c)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
		c.Status = false
	}
}
