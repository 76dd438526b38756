package engine_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func TestTheFlagNamesAnEngine(t *testing.T) {
	for _, test := range []struct {
		args string
		want engine.Engine
	}{
		{"", engine.Karpenter},
		{"--engine karpenter", engine.Karpenter},
		{"--engine guard", engine.Guard},
		{"--engine steward", engine.Steward},
		{"--engine disruptkit", engine.Disruptkit},
	} {
		var e engine.Engine
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		e.Flag(flags)
		if err := flags.Parse(strings.Fields(test.args)); err != nil || e != test.want {
			t.Errorf("%q: %s, %v", test.args, e, err)
		}
		if karpenters := e.Dialect() == dialect.Karpenter; karpenters != (e == engine.Karpenter) || !strings.Contains(e.Title(), "--engine "+e.String()) {
			t.Errorf("%s: %s, %q", e, e.Dialect(), e.Title())
		}
	}
	var e engine.Engine
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	e.Flag(flags)
	if err := flags.Parse([]string{"--engine", "Karpenter"}); err == nil || !strings.Contains(err.Error(), "write karpenter, guard, steward or disruptkit") {
		t.Error(err)
	}
}

func TestNumbersAreReportedWhereTheyDiffer(t *testing.T) {
	for _, test := range []struct {
		karpenter, guard, disruptkit string
		want                         string
		differ                       bool
	}{
		{"3", "3", "3", "Karpenter v1.15 and guard and disruptkit: 3", false},
		{"3", "0", "0", "Karpenter v1.15: 3, guard and disruptkit: 0", true},
		{"3", "3", "0", "Karpenter v1.15 and guard: 3, disruptkit: 0", true},
		{"3", "0", "3", "Karpenter v1.15: 3, guard: 0, disruptkit: 3", true},
		{"3", "0 probe", "0 budget", "Karpenter v1.15: 3, guard: 0 (probe), disruptkit: 0 (budget)", true}, // each for its own reason
		{"3 probe", "3", "3", "Karpenter v1.15: 3 (probe), guard and disruptkit: 3", false},
	} {
		numbers := map[engine.Engine]string{engine.Karpenter: test.karpenter, engine.Guard: test.guard, engine.Disruptkit: test.disruptkit}
		got, differ := engine.Numbers(engine.Disruptkit, func(e engine.Engine) (n, why string) {
			n, why, _ = strings.Cut(numbers[e], " ")
			return n, why
		})
		if got != test.want || differ != test.differ {
			t.Errorf("%q, %t, want %q, %t", got, differ, test.want, test.differ)
		}
	}
}

// The guard allows no more than it says itself, nor than Karpenter's own budgets do.
func TestTheGuardTakesTheSmallerNumber(t *testing.T) {
	drifted := []candidate.Reason{candidate.Drifted}
	for _, test := range []struct {
		name             string
		own, annotated   []budget.Budget
		specific         bool
		inFlight         candidate.Reason // of one more node
		goes, karpenters int
	}{
		{"Karpenter's, where that is smaller", []budget.Budget{{Nodes: "2"}}, []budget.Budget{{Nodes: "3", Reasons: drifted}}, false, "", 2, 2},
		{"its own, where that is smaller", []budget.Budget{{Nodes: "3"}}, []budget.Budget{{Nodes: "1", Reasons: drifted}}, false, "", 1, 3},
		{"none, where any budget is broken to Karpenter", []budget.Budget{{Nodes: "3"}, {Nodes: "ten", Reasons: []candidate.Reason{candidate.Empty}}}, nil, false, "", 0, 0},
		{"Karpenter's, where all in flight counts", []budget.Budget{{Nodes: "3"}}, []budget.Budget{{Nodes: "3", Reasons: drifted}}, true, candidate.Empty, 2, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			theirs, _ := budget.Spec{Budgets: test.own, Dialect: dialect.Karpenter}.Compile()
			set, _ := budget.Spec{Budgets: append(slices.Clip(test.own), test.annotated...), MostSpecific: test.specific}.Compile()
			in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}}
			for i := range 5 {
				in.Nodes = append(in.Nodes, candidate.Node{
					Name: fmt.Sprint(i), Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Hour)}},
				})
			}
			if test.inFlight != "" {
				in.Nodes = append(in.Nodes, candidate.Node{Name: "gone", Pool: "p", Phase: candidate.Running, Leaving: candidate.Draining, DisruptedFor: test.inFlight})
			}
			d := engine.Guarded(in, map[string]budget.Set{"p": theirs}, candidate.Drifted)
			if len(d.Allowed) != test.goes || d.Pools[0].Remaining != min(d.Pools[0].Remaining, test.karpenters) {
				t.Errorf("%d may be disrupted, want %d: %+v", len(d.Allowed), test.goes, d)
			}
			for _, n := range in.Nodes {
				if len(n.Blockers) > 0 {
					t.Errorf("the input is changed: %+v", n)
				}
			}
		})
	}
}

// Karpenter chooses the candidates, and the guard withholds some, so whatever the guard allows, Karpenter's rules for nodes and pods
// allow as well.
func TestTheGuardAllowsNoNodeThatKarpenterBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.Custom(func(t *rapid.T) disruptkit.Input {
			return generate.Input(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		}).Draw(t, "input")
		theirs := map[string]budget.Set{}
		for _, p := range in.Pools {
			theirs[p.Name] = p.Budgets.In(dialect.Karpenter)
		}
		reason := rapid.SampledFrom([]candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Unhealthy}).Draw(t, "reason")
		guard := engine.Guarded(in, theirs, reason)
		in.Dialect = dialect.Karpenter
		// A node may have a reason twice, since different times.
		key := func(c candidate.Candidate) string {
			return fmt.Sprint(c.Node, " ", c.Pool, " ", c.Reason, " ", c.Since)
		}
		held := map[string][]candidate.Blocker{}
		for _, c := range disruptkit.Decide(in, reason).Blocked {
			for _, b := range c.Blockers {
				if b.Gate != candidate.GateBudget && b.Code != candidate.CodeAlreadyAllowed {
					held[key(c)] = append(held[key(c)], b)
				}
			}
		}
		for _, c := range guard.Allowed {
			if blockers := held[key(c)]; len(blockers) > 0 {
				t.Fatalf("%s goes for %s, and Karpenter blocks it: %v", c.Node, c.Reason, blockers)
			}
		}
	})
}

// Karpenter has no deadlines: the pods of an overdue node block it, unless the reason is eventual.
func TestTheGuardAllowsNoOverdueNodeThatItsPodsBlockInKarpenter(t *testing.T) {
	for reason, goes := range map[candidate.Reason]int{candidate.Underutilized: 0, candidate.Drifted: 1} {
		set, _ := budget.Compile([]budget.Budget{{Nodes: "1"}})
		n := candidate.Node{
			Name: "a", Pool: "p", Phase: candidate.Running, HasGracePeriod: true,
			Conditions: []candidate.Condition{{Reason: reason, Since: noon.Add(-2 * time.Hour), Deadline: noon.Add(-time.Hour)}},
			Pods:       []candidate.Pod{{Namespace: "shop", Name: "web", Terms: candidate.Terms{Protect: candidate.Forever}}},
		}
		in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}, Nodes: []candidate.Node{n}}
		if d := engine.Guarded(in, map[string]budget.Set{"p": set.In(dialect.Karpenter)}, reason); len(d.Allowed) != goes {
			t.Errorf("%s: %d may be disrupted, want %d: %+v", reason, len(d.Allowed), goes, d.Blocked)
		}
	}
}

// A node that never was initialized needs no budget for its repair, neither Karpenter's nor the guard's.
func TestTheGuardRepairsWhatNoBudgetCounts(t *testing.T) {
	none := []budget.Budget{{Nodes: "0"}}
	theirs, _ := budget.Spec{Budgets: none, Dialect: dialect.Karpenter}.Compile()
	own, _ := budget.Compile(none)
	sick := []candidate.Condition{{Reason: "Unhealthy/Ready", Since: noon.Add(-time.Hour)}}
	in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p", Budgets: own}}, Nodes: []candidate.Node{
		{Name: "never initialized", Pool: "p", Phase: candidate.Registered, Conditions: sick},
		{Name: "not Ready", Pool: "p", Phase: candidate.NotReady, Conditions: sick},
	}}
	d := engine.Guarded(in, map[string]budget.Set{"p": theirs}, candidate.Unhealthy)
	if len(d.Allowed) != 1 || d.Allowed[0].Node != "never initialized" {
		t.Errorf("may be disrupted: %+v", d.Allowed)
	}
}

func TestAPodDisruptionBudgetThatIsNotValidStopsTheGuardToo(t *testing.T) {
	broken := &candidate.Selector{MatchLabels: map[string]string{"a b": "c"}}
	rules, _ := candidate.CompileRules([]candidate.PDB{{Namespace: "elsewhere", Name: "pdb", Selector: broken}}, nil)
	in := disruptkit.Input{Now: noon, Rules: rules, Pools: []disruptkit.Pool{{Name: "p"}}, Nodes: []candidate.Node{{
		Name: "n", Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Hour)}},
	}}}
	d := engine.Guarded(in, nil, candidate.Drifted)
	if len(d.Blocked) != 1 || d.Blocked[0].Blockers[0].Code != candidate.CodeInvalidPDB {
		t.Errorf("%+v", d)
	}
	if len(in.Pools[0].Blockers) > 0 || in.Rules.Dialect != dialect.Disruptkit {
		t.Errorf("the input is changed: %+v", in)
	}
}

// At every time the tighter timeline has the smaller of both numbers, and the guard's paces, and its segments follow each other.
func TestTheTighterTimelineHasTheSmallerNumbers(t *testing.T) {
	timeline := func(t *rapid.T, label string, end time.Time) (list []budget.Segment) {
		for at := noon; at.Before(end); {
			next := at.Add(time.Duration(rapid.IntRange(1, 9).Draw(t, label+" minutes")) * time.Minute)
			if next.After(end) {
				next = end
			}
			n := rapid.IntRange(0, 3).Draw(t, label)
			s := budget.Segment{Span: schedule.Span{Start: at, End: next}, Allowance: budget.Allowance{Nodes: n, Binding: budget.Indexes(1 << n)}}
			if label == "guard" && n > 0 {
				s.Paces = budget.Indexes(rapid.SampledFrom([]int{0, 32, 64}).Draw(t, "paces"))
			}
			list = append(list, s)
			at = next
		}
		return list
	}
	segmentAt := func(list []budget.Segment, at time.Time) budget.Segment {
		return list[slices.IndexFunc(list, func(s budget.Segment) bool { return s.Contains(at) })]
	}
	rapid.Check(t, func(t *rapid.T) {
		end := noon.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "minutes")) * time.Minute)
		a, b := timeline(t, "guard", end), timeline(t, "Karpenter", end)
		before := fmt.Sprint(a, b)
		got := engine.Tighter(a, b)
		if fmt.Sprint(a, b) != before {
			t.Fatal("the timelines are changed")
		}
		at := noon
		for i, s := range got {
			if !s.Start.Equal(at) || !s.End.After(s.Start) || i > 0 && s.Allowance == got[i-1].Allowance && s.Paces == got[i-1].Paces {
				t.Fatalf("%v", got)
			}
			at = s.End
		}
		if !at.Equal(end) {
			t.Fatalf("it ends at %s, want %s", at, end)
		}
		for at := noon; at.Before(end); at = at.Add(30 * time.Second) {
			s, g := segmentAt(got, at), segmentAt(a, at)
			paces := g.Paces
			if s.Nodes == 0 {
				paces = 0
			}
			if s.Nodes != min(g.Nodes, segmentAt(b, at).Nodes) || s.Paces != paces {
				t.Fatalf("%v at %s of %v and %v", s, at, a, b)
			}
		}
	})
}
