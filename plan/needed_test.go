package plan_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/probe"
)

func TestNeeded(t *testing.T) {
	one := budget.Budget{Nodes: "1"}
	web := func(n int) []candidate.Node {
		var nodes []candidate.Node
		for i := range n {
			nodes = append(nodes, fixture.Sharing(fmt.Sprint("a-", i+1), "default", "a", 99-i, "web"))
		}
		return nodes
	}
	shared := func(in *disruptkit.Input) { in.Rules = rules(t, fixture.PDB("web")) }
	for _, test := range []struct {
		rule    string
		budgets []budget.Budget
		nodes   []candidate.Node
		by      string
		in      func(*disruptkit.Input)
		want    string
	}{
		{"it is done by then", []budget.Budget{one}, fixture.Fleet(0, 6), "12:30", nil, ""},
		{"the least count", []budget.Budget{one}, fixture.Fleet(0, 6), "12:29", nil, `
budgets[0] of pool default is 2 instead of 1: 12:15
`},
		{"a larger one", []budget.Budget{one}, fixture.Fleet(0, 6), "12:12", nil, `
budgets[0] of pool default is 3 instead of 1: 12:10
`},
		{"the least percentage: 29 % of seven are three", []budget.Budget{{Nodes: "10%"}}, fixture.Fleet(0, 6), "12:12", nil, `
budgets[0] of pool default is 29% instead of 10%: 12:12
`},
		{"nearly all of them", []budget.Budget{{Nodes: "10%"}}, fixture.Fleet(0, 6), "12:06", nil, `
budgets[0] of pool default is 84% instead of 10%: 12:05
`},
		{"the default", nil, fixture.Fleet(0, 6), "12:12", nil, `
budgets[0] of pool default is 29% instead of 10%: 12:12
`},
		{"a freeze without an end", []budget.Budget{{Nodes: "0"}}, fixture.Fleet(0, 6), "13:00", nil, `
budgets[0] of pool default is 1 instead of 0: 12:30
`},
		{"a freeze without an end in percent", []budget.Budget{{Nodes: "0%"}}, fixture.Fleet(0, 6), "13:00", nil, `
budgets[0] of pool default is 1% instead of 0%: 12:30
`},
		{"a freeze: some nodes in it, or as many quarters of an hour less as there must be", []budget.Budget{fixture.Freeze}, fixture.Fleet(0, 2), "16:21", nil, `
budgets[0] of pool default is 1 (0 9 * * * for 8h, UTC) instead of 0 (0 9 * * * for 8h, UTC): 12:10
budgets[0] of pool default is 0 (0 9 * * * for 7h15m, UTC) instead of 0 (0 9 * * * for 8h, UTC): 16:20
`},
		{"a window that is too short", []budget.Budget{one, {Nodes: "0", Schedule: "0 11 * * *", Duration: "61m", Outside: true}}, fixture.Fleet(0, 3), "13:00", nil, `
budgets[0] of pool default is 3 instead of 1: 12:05
budgets[1] of pool default is 1 (outside 0 11 * * * for 61m, UTC) instead of 0 (outside 0 11 * * * for 61m, UTC): 12:15
budgets[1] of pool default is 0 (outside 0 11 * * * for 1h16m, UTC) instead of 0 (outside 0 11 * * * for 61m, UTC): 12:15
`},
		{"two budgets, each of which is too little", []budget.Budget{one, fixture.Freeze}, fixture.Fleet(0, 6), "12:20", nil, `
budgets[0] of pool default is 2 instead of 1, and budgets[1] of pool default is 2 (0 9 * * * for 8h, UTC) instead of 0 (0 9 * * * for 8h, UTC): 12:15
`},
		{"what saves most comes first", []budget.Budget{{Nodes: "0", Schedule: "0 11 * * *", Duration: "61m", Outside: true}, one}, fixture.Fleet(0, 3), "13:00", nil, `
budgets[1] of pool default is 3 instead of 1: 12:05
budgets[0] of pool default is 1 (outside 0 11 * * * for 61m, UTC) instead of 0 (outside 0 11 * * * for 61m, UTC): 12:15
budgets[0] of pool default is 0 (outside 0 11 * * * for 1h16m, UTC) instead of 0 (outside 0 11 * * * for 61m, UTC): 12:15
`},
		{"of several budgets, what is enough stays as it is", []budget.Budget{{Nodes: "4"}, one, fixture.Freeze}, fixture.Fleet(0, 6), "12:20", nil, `
budgets[1] of pool default is 2 instead of 1, and budgets[2] of pool default is 2 (0 9 * * * for 8h, UTC) instead of 0 (0 9 * * * for 8h, UTC): 12:15
`},
		{"a node that cannot go within the horizon, whatever budgets say", []budget.Budget{one},
			[]candidate.Node{fixture.Fleet(0, 1)[0], fixture.GoesFrom(fixture.Wanted("late", fixture.Noon, candidate.Drifted), 14, 2)}, "12:20", nil, `
impossible: pod/outside-schedule alone takes 1h0m0s; without budgets never
`},
		{"a PDB alone takes longer", []budget.Budget{one}, web(6), "12:20", shared, `
impossible: PDB shop/web alone takes 30m0s; without budgets 12:30
`},
		{"a PDB whose evictions take turns", []budget.Budget{one}, web(6), "12:20", func(in *disruptkit.Input) { shared(in); in.Dialect = dialect.Karpenter }, `
impossible: PDB shop/web alone takes 55m0s; without budgets 12:55
`},
		{"a pause alone takes longer", []budget.Budget{one}, fixture.Fleet(0, 1), "12:20",
			func(in *disruptkit.Input) { in.Pauses = []probe.Pause{{Until: fixture.Clock("12:30")}} }, `
impossible: probe/paused alone takes 35m0s; without budgets 12:35
`},
		{"so does a group", []budget.Budget{{Nodes: "50%"}}, fixture.Fleet(0, 6), "12:20", func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "web", Pools: []string{"default"}, Budgets: fixture.Pool(t, one).Budgets}}
		}, `
impossible: group web alone takes 30m0s; without budgets 12:30
`},
		{"so does a reason that has to hold, which no change takes away", []budget.Budget{one}, fixture.Fleet(0, 1), "12:20", func(in *disruptkit.Input) {
			in.Pools[0].Budgets, _ = budget.Spec{Budgets: []budget.Budget{one}, Defaults: budget.Control{DisruptAfter: "99h30m"}}.Compile()
		}, `
impossible: node/disrupt-after alone takes 35m0s; without budgets 12:35
`},
		{"launches and drains take longer, and one node never goes", []budget.Budget{one}, []candidate.Node{fixture.Fleet(0, 1)[0], {
			Name: "odd", Pool: "default", Phase: candidate.Registered, Conditions: fixture.Fleet(0, 1)[0].Conditions,
		}}, "12:04", nil, `
impossible: drain alone takes 5m0s; without budgets 12:05
`},
		{"launches and drains take longer", []budget.Budget{one}, fixture.Fleet(0, 6), "12:04", nil, `
impossible: drain alone takes 5m0s; without budgets 12:05
`},
		{"the time is past", []budget.Budget{one}, fixture.Fleet(0, 6), "11:00", nil, `
impossible: drain alone takes 5m0s; without budgets 12:05
`},
		{"turns", []budget.Budget{fixture.Sequential("1")}, fixture.Zoned("a1* b1*"), "12:06", nil, `
pool default has budgets: [] instead of 1 per topology.kubernetes.io/zone, one at a time (no limit; without the field, 10%): 12:05
`},
		{"nodes that never go, whatever budgets say, do not count", []budget.Budget{one}, doNotDisrupt(fixture.Fleet(0, 6), 3), "12:20", nil, `
budgets[0] of pool default is 2 instead of 1: 12:15
`},
		{"no node can ever be disrupted", []budget.Budget{{Nodes: "0"}}, doNotDisrupt(fixture.Fleet(0, 1), 0), "12:20", nil, ""},
		{"nothing is to go", []budget.Budget{one}, fixture.Fleet(2, 0), "11:00", nil, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, test.budgets...)}, Nodes: test.nodes}
			if test.in != nil {
				test.in(&in)
			}
			o := plan.Options{Horizon: time.Hour}
			if test.by > "13:00" {
				o.Horizon = 0
			}
			if in.Dialect == dialect.Karpenter {
				o.Model.Eviction = plan.Constant(10 * time.Minute)
			}
			got := ""
			for _, n := range plan.Needed(in, o, plan.Sample(in, o, 0), fixture.Clock(test.by)) {
				for _, c := range n.Changes {
					got += fmt.Sprintf("%s: %s\n", c.Change, c.Comparison.Finish.Format("15:04"))
				}
				for _, w := range n.Alone {
					got += fmt.Sprintf("impossible: %s%s alone takes %s; without budgets %s\n",
						w.Cause, why(w), w.For, map[bool]string{true: "never", false: n.Unlimited.Format("15:04")}[n.Unlimited.IsZero()])
				}
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// why names a wait without a cause.
func why(w plan.Wait) string {
	switch {
	case w.Cause != "":
		return ""
	case w.Gate == "":
		return string(w.Code)
	}
	return fmt.Sprintf("%s/%s", w.Gate, w.Code)
}

// The answer is that of a loop that tries one node more each time.
func TestAChangeIsEnoughInNineOfTenDraws(t *testing.T) {
	in, o := thirty(t, "")
	r := plan.Sample(in, o, 10)
	different := map[string]bool{}
	times := []time.Duration{30, 60}
	if os.Getenv("EXHAUSTIVE") != "" { // as in the step proof of .ci/run
		times = []time.Duration{30, 40, 45, 50, 60, 75, 90, 105}
	}
	for _, after := range times {
		by := in.Now.Add(after * time.Minute)
		least := map[int]int{} // by how many draws have to be done
		for n := 30; n >= 3; n-- {
			set := fixture.Pool(t, budget.Budget{Nodes: strconv.Itoa(n)}).Budgets
			done := 0
			for _, d := range r.Draws {
				if !draw(in, o, set, d.Seed).Finish.After(by) {
					done++
				}
			}
			for _, enough := range []int{5, 9, 10} {
				if done >= enough {
					least[enough] = n
				}
			}
		}
		want := fmt.Sprintf("budgets[0] of pool default is %d instead of 3", least[9])
		needs := plan.Needed(in, o, r, by)
		if got := fmt.Sprint(needs); len(needs) > 0 && !strings.Contains(got, want) {
			t.Errorf("by %s: want %s, got %s", by, want, got)
		} else if len(needs) == 0 && least[9] > 3 {
			t.Errorf("by %s: want %s, got none", by, want)
		}
		different["than if half of them counted"] = different["than if half of them counted"] || least[5] != least[9]
		different["than if all of them counted"] = different["than if all of them counted"] || least[10] != least[9]
	}
	if len(different) != 2 || !different["than if half of them counted"] || !different["than if all of them counted"] {
		t.Errorf("it is never different %v", different)
	}
}

// A need of a pool is about that pool alone.
func TestEachPoolThatIsTooLateHasItsOwnNeed(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon}
	for i, name := range []string{"a", "b", "c"} {
		pool := fixture.Pool(t, budget.Budget{Nodes: "1"})
		pool.Name = name
		in.Pools = append(in.Pools, pool)
		for _, n := range fixture.Fleet(0, 2+2*i) {
			n.Name, n.Pool = name+n.Name, name
			in.Nodes = append(in.Nodes, n)
		}
	}
	needs := plan.Needed(in, plan.Options{}, plan.Sample(in, plan.Options{}, 0), fixture.Clock("12:12"))
	if len(needs) != 2 || needs[0].Pool != "b" || needs[1].Pool != "c" {
		t.Fatalf("%+v", needs)
	}
	for _, n := range needs { // both together
		for i := range in.Pools {
			if in.Pools[i].Name == n.Pool {
				in.Pools[i].Budgets = n.Changes[0].Budgets
			}
		}
	}
	if p := plan.Run(in, plan.Options{}); p.Finish.After(fixture.Clock("12:12")) {
		t.Errorf("with both changes: %s", p)
	}
}

func TestAChangeThatIsNeededIsEnoughAndOneStepLessIsNot(t *testing.T) {
	found, shared := 0, rules(t, fixture.PDB("web"))
	law := func(t *rapid.T) {
		in := disruptkit.Input{Now: fixture.Noon, Dialect: rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")}
		set, err := budget.Compile(rapid.SliceOfN(rapid.Custom(someBudget), 1, 3).Draw(t, "budgets"))
		if err != nil {
			t.Fatal(err)
		}
		in.Pools = []disruptkit.Pool{{Name: "default", Budgets: set}}
		in.Nodes = fixture.Fleet(rapid.IntRange(0, 5).Draw(t, "ready"), rapid.IntRange(1, 12).Draw(t, "drifted"))
		if rapid.Bool().Draw(t, "shared") {
			in.Rules = shared
			for i := range in.Nodes[:len(in.Nodes)/2] {
				in.Nodes[i].Pods = fixture.Sharing("x", "default", "a", 1, "web").Pods
			}
		}
		o := plan.Options{Model: plan.Model{Pass: -1, Drain: plan.OneOf(time.Minute, 9*time.Minute, time.Hour), Seed: 3}, Horizon: 10 * 24 * time.Hour}
		r := plan.Sample(in, o, rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "draws"))
		latest := 2000 // minutes; a time after the plan needs nothing
		if end := r.Plan.Finish; end.After(in.Now) {
			latest = min(latest, int(end.Sub(in.Now)/time.Minute)+10)
		}
		by := in.Now.Add(time.Duration(rapid.IntRange(1, latest).Draw(t, "by")) * time.Minute)
		none, _ := budget.Compile([]budget.Budget{})
		most := draw(in, o, none, r.Seed).Pools[0].Done // that can be done
		isEnough := func(set budget.Set) bool {
			done := 0
			for _, d := range r.Draws {
				pool := draw(in, o, set, d.Seed).Pools[0]
				if pool.ToGo == 0 && pool.Done >= most && !pool.Finish.After(by) {
					done++
				}
			}
			return done >= len(r.Draws)-len(r.Draws)/10
		}
		for _, n := range plan.Needed(in, o, r, by) {
			found += len(n.Changes)
			if isEnough(set) {
				t.Errorf("it is done by %s: %+v", by, n)
			}
			if isEnough(none) != (len(n.Changes) > 0) {
				t.Errorf("without budgets it is done by %s: %t: %+v", by, isEnough(none), n)
			}
			for _, c := range n.Changes {
				if other := draw(in, o, c.Budgets, r.Seed); !isEnough(c.Budgets) || !other.Finish.Equal(c.Comparison.Finish) {
					t.Errorf("by %s, %s: done at %s", by, c.Change, other.Finish)
				}
				for _, less := range lessThan(t, set, c.Budgets) {
					if isEnough(less) {
						t.Errorf("by %s, %s: less is enough, %s", by, c.Change, described(less))
					}
				}
				if text, err := json.Marshal(c.Budgets.Spec()); err != nil {
					t.Error(err)
				} else if _, dropped, err := admission.Admit(text); in.Dialect == dialect.Karpenter && (err != nil || len(dropped) > 0) {
					t.Errorf("Karpenter does not take %s: %v, %v", text, dropped, err)
				}
			}
			for _, w := range n.Alone {
				if !in.Now.Add(w.For).After(by) {
					t.Errorf("%s takes %s, which is not too long by %s", w, w.For, by)
				}
			}
		}
	}
	for range 4 { // the cases of one alone may need nothing
		rapid.Check(t, law)
	}
	if found == 0 {
		t.Error("nothing was ever needed")
	}
}

// someBudget generates budgets that Karpenter takes.
func someBudget(t *rapid.T) budget.Budget {
	b := budget.Budget{Nodes: rapid.SampledFrom([]string{"0", "0%", "1", "3", "10%", "25%", ""}).Draw(t, "nodes")}
	if rapid.Bool().Draw(t, "window") {
		b.Schedule = rapid.SampledFrom([]string{"0 9 * * *", "0 12 * * *", "30 13 * * *"}).Draw(t, "schedule")
		b.Duration = rapid.SampledFrom([]string{"30m", "1h", "8h", "23h45m", "90m"}).Draw(t, "duration")
	}
	return b
}

// draw plans with other budgets and a seed.
func draw(in disruptkit.Input, o plan.Options, set budget.Set, seed uint64) plan.Plan {
	in.Pools = slices.Clone(in.Pools)
	in.Pools[0].Budgets, o.Model.Seed = set, seed
	return plan.Run(in, o)
}

// lessThan returns the sets with one step less of what differs, for each budget that does and is still there.
func lessThan(t *rapid.T, before, after budget.Set) (all []budget.Set) {
	was, is := before.Budgets(), after.Budgets()
	for len(is) < len(was) { // which were taken out: those that differ least are compared
		return nil
	}
	for i := range is {
		less := is[i]
		switch {
		case is[i].Nodes != was[i].Nodes:
			n, err := strconv.Atoi(strings.TrimSuffix(less.Nodes, "%"))
			if err != nil {
				t.Fatal(err)
			}
			less.Nodes = strings.Replace(less.Nodes, strconv.Itoa(n), strconv.Itoa(n-1), 1)
		case is[i].Duration != was[i].Duration:
			d, err := time.ParseDuration(less.Duration)
			if err != nil {
				t.Fatal(err)
			}
			less.Duration = strings.TrimSuffix((d + 15*time.Minute).String(), "0s")
		default:
			continue
		}
		set, err := plan.WithBudget(after, i, less)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, set)
	}
	return all
}

// Karpenter's API server rejects a NodePool as a whole, whichever of its budgets is at fault.
func TestNoChangeIsOneThatKarpenterRejects(t *testing.T) {
	list := []budget.Budget{{Nodes: "0"}, {Nodes: "5", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 3), Pools: []disruptkit.Pool{fixture.Pool(t, list...)}}
	changes := func() (texts []string) {
		r := plan.Sample(in, plan.Options{}, 0)
		for _, n := range plan.Needed(in, plan.Options{}, r, fixture.Clock("13:00")) {
			for _, c := range n.Changes {
				texts = append(texts, c.Change)
			}
		}
		for trial := range plan.Try(in, plan.Options{}, r.Plan) {
			texts = append(texts, trial.Change)
		}
		return texts
	}
	if got := changes(); len(got) == 0 {
		t.Error("an autoscaler that takes it has no changes")
	}
	in.Dialect = dialect.Karpenter
	if got := changes(); len(got) > 0 {
		t.Errorf("Karpenter takes none of %q", got)
	}
	list[1].Reasons = []candidate.Reason{candidate.Drifted}
	in.Pools[0] = fixture.Pool(t, list...)
	if got := changes(); len(got) == 0 {
		t.Error("Karpenter takes a list without that, and there are no changes")
	}
}

// The node that is annotated expires in ten days. No budget can do anything about it, so the advice is about the rest.
func TestWhatGoesOnlyBecauseItExpiresIsNotWaitedFor(t *testing.T) {
	in := disruptkit.Input{
		Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 4),
		Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})},
	}
	in.Nodes[3].DoNotDisrupt = true
	var o plan.Options
	want := plan.Needed(in, o, plan.Sample(in, o, 0), fixture.Clock("12:12"))
	if len(want) != 1 || len(want[0].Changes) == 0 {
		t.Fatalf("%+v", want)
	}
	o.Model.Expires = func(n candidate.Node) time.Time { return in.Now.Add(240 * time.Hour) }
	got := plan.Needed(in, o, plan.Sample(in, o, 0), fixture.Clock("12:12"))
	if len(got) != 1 || len(got[0].Changes) != len(want[0].Changes) || got[0].Changes[0].Change != want[0].Changes[0].Change {
		t.Errorf("%+v, and without expiry %+v", got, want)
	}
}
