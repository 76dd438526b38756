package disruptkit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/probe"
)

// due returns the fleet whose nodes, from the oldest on, have deadlines such as "11:00"; "-" is none.
func due(deadlines string) []candidate.Node {
	texts := strings.Fields(deadlines)
	nodes := fixture.Fleet(0, len(texts))
	for i, text := range texts {
		if text != "-" {
			nodes[i].Conditions[0].Deadline = fixture.Clock(text)
		}
	}
	return nodes
}

// TestWhatHoldsBackOverdueNodes at noon: who goes, and what holds back the others.
func TestWhatHoldsBackOverdueNodes(t *testing.T) {
	none, two := budget.Budget{Nodes: "0"}, budget.Budget{Nodes: "2"}
	pace := budget.Budget{Nodes: "2", Per: "1h"}
	started := map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "x", At: fixture.Clock("11:50")}, {Node: "y", At: fixture.Clock("11:55")}}}}
	waits := map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 2, Until: fixture.Clock("12:02")}}}
	for _, c := range []struct {
		name      string
		deadlines string
		budgets   []budget.Budget
		change    func(in *disruptkit.Input)
		want      string
	}{
		{"no window", "11:00 -", []budget.Budget{fixture.Freeze, two}, nil, "a-1; a-2 budget/allows-none"},
		{"from the deadline on", "12:00", []budget.Budget{fixture.Freeze, two}, nil, "a-1"},
		{"not before", "12:01", []budget.Budget{fixture.Freeze, two}, nil, "a-1 budget/allows-none"},
		{"how many go at once: as many as the least budget above 0 lets, active or not", "11:00 11:01 11:02",
			[]budget.Budget{fixture.Freeze, {Nodes: "5"}, fixture.During(two, "0 0 * * *", "1h")}, nil, "a-1 a-2; a-3 budget/exhausted"},
		{"one goes at once where no budget gives more than 0", "11:00 11:01", []budget.Budget{none}, nil, "a-1; a-2 budget/exhausted"},
		{"those in flight, for whatever reason", "- 11:01", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, func(in *disruptkit.Input) {
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, candidate.Empty
		}, "a-2 budget/exhausted; a-1 node/deleting budget/allows-none"},
		{"those that are not Ready", "- 11:01", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, func(in *disruptkit.Input) {
			in.Nodes[0].Phase = candidate.NotReady
		}, "a-2 budget/exhausted; a-1 budget/allows-none"},
		{"no more than others where budgets let nodes go", "- - 11:00 11:01", []budget.Budget{{Nodes: "3"}, fixture.During(budget.Budget{Nodes: "1"}, "0 0 * * *", "1h")}, nil,
			"a-3 a-4 a-1; a-2 budget/exhausted"},
		{"nothing where no budget is for the reason", "11:00 11:01 11:02", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"Empty"}}}, nil, "a-1 a-2 a-3"},
		{"no pace", "11:00 -", []budget.Budget{pace}, func(in *disruptkit.Input) { in.Memory = started }, "a-1; a-2 budget/paced"},
		{"how many a pace lets start, of those in flight", "11:00 11:01 11:02", []budget.Budget{pace}, func(in *disruptkit.Input) { in.Memory = started }, "a-1 a-2; a-3 budget/exhausted"},
		{"no back-off", "11:00 -", []budget.Budget{two}, func(in *disruptkit.Input) { in.Memory = waits }, "a-1; a-2 backoff/backed-off"},
		{"how many go at once in a back-off", "11:00 11:01 11:02", []budget.Budget{{Nodes: "5"}, fixture.During(two, "0 0 * * *", "1h")},
			func(in *disruptkit.Input) { in.Memory = waits }, "a-1 a-2; a-3 budget/exhausted"},
		{"how many go at once in a back-off, but only for reasons that back off", "11:00 11:01 11:02", []budget.Budget{{Nodes: "5"}, fixture.During(two, "0 0 * * *", "1h")},
			func(in *disruptkit.Input) {
				in.Memory = waits
				for i := range in.Nodes {
					in.Nodes[i].Conditions[0].Reason = candidate.Empty
				}
			}, "a-1 a-2 a-3"},
		{"a pause", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) {
			in.Pauses = []probe.Pause{{By: "alice", Until: fixture.Clock("13:00")}}
		}, "a-1 probe/paused"},
		{"a probe", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{{Probe: "p", Code: candidate.CodeUnhealthy}}
		}, "a-1 probe/unhealthy"},
		{"do-not-disrupt", "11:00", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) { in.Nodes[0].DoNotDisrupt = true }, "a-1 node/do-not-disrupt"},
		{"a pending pod that is expected", "11:00", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) {
			in.Nodes[0].NominatedUntil = fixture.Clock("12:01")
		}, "a-1 node/nominated"},
		{"the caller's blockers", "11:00", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) { in.Nodes[0].Blockers = fixture.Spent }, "a-1 pod/pdb"},
		{"a budget that is broken", "11:00", []budget.Budget{two, {Nodes: "two"}}, nil, "a-1 budget/invalid-budget"},
		{"an unknown reason", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) { in.Nodes[0].Conditions[0].Reason = "drifted" }, "a-1 budget/unknown-reason"},
		{"no time", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) { in.Now = time.Time{} }, "a-1 node/no-time budget/no-time"},
		{"a deadline before the reason began to hold is none", "-", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) {
			c := &in.Nodes[0].Conditions[0]
			c.Deadline = c.Since.Add(-1)
		}, "a-1 budget/allows-none"},
		{"one since when the reason holds is one", "-", []budget.Budget{fixture.Freeze, two}, func(in *disruptkit.Input) {
			c := &in.Nodes[0].Conditions[0]
			c.Deadline = c.Since
		}, "a-1"},
		{"one of a reason of which nobody knows since when it holds", "11:00", []budget.Budget{fixture.Freeze, two}, func(in *disruptkit.Input) {
			in.Nodes[0].Conditions[0].Since = time.Time{}
		}, "a-1"},
		{"in Karpenter's dialect there are no deadlines", "11:00", []budget.Budget{fixture.Freeze, two}, func(in *disruptkit.Input) {
			in.Dialect = dialect.Karpenter
		}, "a-1 budget/allows-none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := budget.Compile(c.budgets)
			in := disruptkit.Input{Now: fixture.Noon, Nodes: due(c.deadlines), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			if c.change != nil {
				c.change(&in)
			}
			if diff := cmp.Diff(c.want, told(disruptkit.Decide(in, ""))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// told returns "a-1 a-2; a-3 budget/exhausted": who goes, and what holds back each of the others now.
func told(d disruptkit.Decision) string {
	texts := []string{strings.Join(fixture.Allowed(d), " ")}
	if len(d.Allowed) == 0 {
		texts = nil
	}
	for _, c := range d.Blocked {
		text := c.Node
		for _, b := range c.Blockers {
			text += " " + string(b.Gate) + "/" + string(b.Code)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestOverdueIsTold(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: due("11:00 12:00 13:00 -"), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}}
	d := disruptkit.Decide(in, "Drifted")
	var got []string
	for _, c := range append(d.Allowed, d.Blocked...) {
		text := c.Node
		if !c.Deadline.IsZero() {
			text += c.Deadline.Format(" 15:04")
		}
		if c.Overdue {
			text += " overdue"
		}
		got = append(got, text)
	}
	if diff := cmp.Diff([]string{"a-1 11:00 overdue", "a-2 12:00 overdue", "a-3 13:00", "a-4"}, got); diff != "" {
		t.Error(diff)
	}
}

// Overdue nodes and others share the numbers of their pool and reason.
func TestNumbersAreToldOncePerReason(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: due("11:00 -"), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}}
	in.Nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
	var got []candidate.Reason
	for _, p := range disruptkit.Decide(in, candidate.Drifted).Pools {
		got = append(got, p.Reason)
	}
	if diff := cmp.Diff([]candidate.Reason{"Drifted", "Drifted/AMIDrift"}, got); diff != "" {
		t.Error(diff)
	}
}

// What an overdue node is told that has to wait for others, of four nodes of which two are overdue.
func TestAnOverdueNodeIsToldHowManyMayGo(t *testing.T) {
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		change  func(in *disruptkit.Input)
		want    string
	}{
		{"by the least limit above 0", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, nil,
			"a-2: the node is overdue, and 1 of 4 nodes may be disrupted at once then, 1 allowed now: budgets[1] is 1"},
		{"beside those in flight", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, func(in *disruptkit.Input) { in.Nodes[3].Leaving = candidate.Draining },
			"a-1: the node is overdue, and 1 of 4 nodes may be disrupted at once then, 1 in flight or not Ready: budgets[1] is 1\n" +
				"a-2: the node is overdue, and 1 of 4 nodes may be disrupted at once then, 1 in flight or not Ready: budgets[1] is 1"},
		{"beside both", []budget.Budget{fixture.Freeze, {Nodes: "2"}}, func(in *disruptkit.Input) { in.Nodes[3].Phase = candidate.NotReady },
			"a-2: the node is overdue, and 2 of 4 nodes may be disrupted at once then, 1 in flight or not Ready, 1 allowed now: budgets[1] is 2"},
		{"or what is broken", []budget.Budget{fixture.Freeze, {Nodes: "two"}}, nil,
			`a-1: no node may be disrupted: budgets[1].nodes: nodes "two": write a count such as 5, or a percentage from 0% to 100%` + "\n" +
				`a-2: no node may be disrupted: budgets[1].nodes: nodes "two": write a count such as 5, or a percentage from 0% to 100%`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := budget.Compile(c.budgets)
			in := disruptkit.Input{Now: fixture.Noon, Nodes: due("11:00 11:01 - -"), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			if c.change != nil {
				c.change(&in)
			}
			var got []string
			for _, blocked := range disruptkit.Decide(in, "").Blocked {
				for _, b := range blocked.Blockers {
					if blocked.Overdue && b.Gate == candidate.GateBudget {
						got = append(got, blocked.Node+": "+b.Message)
					}
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Where two pools have one name, nobody knows whose deadlines hold, or whose back-off.
func TestPoolsOfOneNameHaveNoDeadlineAndNoBackOff(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Drift: budget.Control{Deadline: "1h"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	one := disruptkit.Pool{Name: "default", Budgets: set}
	for pools, want := range map[int]string{1: "a-1 overdue; 1 backed off", 2: "a-1; 0 backed off"} {
		d := disruptkit.Decide(disruptkit.Input{
			Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{one, one}[:pools],
			Memory: map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 2, Until: fixture.Clock("12:02")}}},
		}, candidate.Drifted)
		var got string
		for _, c := range append(d.Allowed, d.Blocked...) {
			got += c.Node
			if c.Overdue || !c.Deadline.IsZero() {
				got += " overdue"
			}
		}
		if got += fmt.Sprintf("; %d backed off", len(d.Pools[0].Blockers)); got != want {
			t.Errorf("%d pools: %s, want %s", pools, got, want)
		}
	}
}
