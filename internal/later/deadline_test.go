package later_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestUntilIsKeptWithDeadlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Dated).Draw(t, "input"))
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			at, lifts := candidate.LiftsAt(c.Blockers)
			i := slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })
			if !lifts || itsOwn(c) || in.Pools[i].Budgets.Compiled().LongestPace() > 0 { // paces count those that go once they are in flight
				continue
			}
			for _, then := range disruptkit.Decide(withNow(in, at), asked).Blocked {
				if fixture.Key(then) == fixture.Key(c) && !alreadyAllowed(then) {
					t.Fatalf("%s is held back until %v, and then, too: now %v, then %v", c.Node, at, c.Blockers, then.Blockers)
				}
			}
		}
	})
}

// All that may go goes, and stays in flight; nothing else changes but the time. A window that closes while a node waits for a pace is not
// foreseen, so a pool has either paces or windows.
func TestUntilIsWhenADeadlineLetsANodeGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, reason := arbitrary(generate.DatedUnzoned).Draw(t, "input"), arbitrary(generate.Reason).Draw(t, "reason")
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.Pods, n.Conditions, n.Phase = nil, n.Conditions[:1], candidate.Running
			n.Conditions[0].Reason, n.Conditions[0].Urgency = reason, time.Time{}
		}
		without := func(b budget.Budget) bool { return b.Per != "" }
		if rapid.Bool().Draw(t, "paces") {
			without = func(b budget.Budget) bool { return b.Schedule != "" }
		}
		for i := range in.Pools {
			in.Pools[i].Budgets, _ = budget.Compile(slices.DeleteFunc(in.Pools[i].Budgets.Budgets(), without))
		}
		promised := map[string]time.Time{}
		d := disruptkit.Decide(in, reason)
		for _, c := range d.Blocked {
			if until, lifts := candidate.LiftsAt(c.Blockers); lifts && !itsOwn(c) {
				promised[c.Node] = until
			}
		}
		story := fixture.Story(d)
		for range 100 {
			in = in.Apply(d)
			if d.NextChange.IsZero() || len(promised) == 0 {
				break
			}
			in.Now = d.NextChange
			d = disruptkit.Decide(in, reason)
			for _, c := range d.Allowed {
				if until, ok := promised[c.Node]; ok && !until.Equal(in.Now) {
					t.Fatalf("%s goes at %v, and was held back until %v\n%s", c.Node, in.Now, until, story)
				}
				delete(promised, c.Node)
			}
			for node, until := range promised {
				if !in.Now.Before(until) {
					t.Fatalf("%s was held back until %v, and then, too\n%s%s", node, until, story, fixture.Story(d))
				}
			}
		}
	})
}

// itsOwn reports whether more than budgets, back-offs and zones holds back a candidate.
func itsOwn(c candidate.Candidate) bool {
	return slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
		return b.Gate == candidate.GateNode || b.Gate == candidate.GatePod || b.Gate == candidate.GateProbe
	})
}

func TestTheNextChangeIsAlsoADeadline(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted"})
	in.Nodes[0].DoNotDisrupt = true
	in.Nodes[0].Conditions[0].Deadline = fixture.Clock("12:30")
	if got := disruptkit.Decide(in, "Drifted").NextChange; !got.Equal(fixture.Clock("12:30")) {
		t.Error(got)
	}
}

// The freeze comes after the deadline, and there is room beside the older node, which is nominated, too.
func TestANodeThatIsOverdueBeforeAFreezeMayGoForGood(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted"}, budget.Budget{Nodes: "2"}, fixture.During(budget.Budget{Nodes: "0"}, "0 13 * * *", "1h"))
	in.Nodes[0].NominatedUntil = fixture.Clock("12:01")
	in.Nodes[0].Conditions[0].Deadline, in.Nodes[1].Conditions[0].Deadline = fixture.Clock("12:20"), fixture.Clock("12:30")
	if got := disruptkit.Decide(in, "Drifted").Allowed; len(got) != 1 || got[0].Node != "a-2" || !got[0].Until.IsZero() {
		t.Error(got)
	}
}

// The older node is not Ready, so it uses less once it is in flight. Whether there is room beside it at 12:06 is not foreseen.
func TestABackOffHasNoEndForANodeThatMayBecomeOverdueBefore(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted"}, budget.Budget{Nodes: "2"})
	in.Memory = map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 2, Until: fixture.Clock("12:10")}}}
	in.Nodes[0].Phase = candidate.NotReady
	in.Nodes[0].Conditions[0].Deadline, in.Nodes[1].Conditions[0].Deadline = fixture.Clock("12:05"), fixture.Clock("12:06")
	var got []string
	for _, c := range disruptkit.Decide(in, "Drifted").Blocked {
		for _, b := range c.Blockers {
			got = append(got, fmt.Sprint(c.Node, " ", b.Gate, " ", b.Until.Format("15:04")))
		}
	}
	if want := []string{"a-1 backoff 12:05", "a-2 backoff 00:00"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// At 13:00 the node of zone a is overdue, for a reason that nobody asks about. From then on the zones take turns, as the
// window that is closed says, and zone a comes first.
func TestTheNextChangeIsADeadlineForAReasonThatNobodyAsksFor(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted/AMIDrift", "Drifted/SubnetDrift"},
		budget.Budget{Nodes: "1", Reasons: []candidate.Reason{"Drifted/AMIDrift"}},
		budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/SubnetDrift"}},
		fixture.During(budget.Budget{Nodes: "100%", TopologyKey: "zone", Sequential: true}, "0 0 * * *", "1h"))
	in.Nodes[0].Labels, in.Nodes[1].Labels = map[string]string{"zone": "b"}, map[string]string{"zone": "a"}
	in.Nodes[1].Conditions[0].Deadline = fixture.Clock("13:00")
	d := disruptkit.Decide(in, "Drifted/AMIDrift")
	if len(d.Allowed) != 1 || !d.Allowed[0].Until.Equal(fixture.Clock("13:00")) || !d.NextChange.Equal(fixture.Clock("13:00")) {
		t.Errorf("next change at %v, allowed: %v", d.NextChange, d.Allowed)
	}
	in.Now = d.NextChange
	if d = disruptkit.Decide(in, "Drifted/AMIDrift"); len(d.Allowed) != 0 {
		t.Errorf("allowed at %v: %v", in.Now, d.Allowed)
	}
}

// The back-off ends at 12:10. a is overdue at 12:05 and could go then, but not beside b and a node that is not Ready: two at once. Its start is
// not at 12:05, but at 12:10, when the pace counts it. So what c waits for is not over at 12:20, when a start at 12:05 would be 15 minutes ago.
func TestANodeThatIsOvertakenBeforeItIsOverdueWaitsForTheBackOff(t *testing.T) {
	in := disruptkit.Input{
		Now:    fixture.Noon,
		Pools:  []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2", Per: "15m"})},
		Memory: map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 1, Until: fixture.Clock("12:10")}}},
	}
	for _, c := range []struct {
		name, since, by string
		reason          candidate.Reason
	}{
		{"a", "08:00", "12:05", candidate.Drifted}, {"b", "11:00", "12:15", candidate.Empty}, {"sick", "11:00", "13:45", candidate.Underutilized},
		{"d", "11:00", "12:15", candidate.Drifted}, {"c", "07:00", "", candidate.Drifted},
	} {
		n := fixture.Wanted(c.name, fixture.Noon)
		n.Conditions = []candidate.Condition{{Reason: c.reason, Since: fixture.Clock(c.since), Deadline: fixture.Clock(c.by)}}
		if c.name == "sick" {
			n.Phase, n.NominatedUntil = candidate.NotReady, fixture.Clock("13:30")
		}
		in.Nodes = append(in.Nodes, n)
	}
	if fault := tellsTheTruth(in, ""); fault != "" {
		t.Error(fault)
	}
}
