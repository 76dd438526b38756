package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// The answer is that of a loop that tries one node more each time.
func TestAChangeIsEnoughInNineOfTenDraws(t *testing.T) {
	in, o := thirty(t, "")
	r := plan.Sample(in, o, 10)
	different := map[string]bool{}
	times := []time.Duration{30, 40, 45, 50, 60, 75, 90, 105}
	if testing.Short() {
		times = []time.Duration{30, 60, 105}
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
	rapid.Check(t, func(t *rapid.T) {
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
		by := in.Now.Add(time.Duration(rapid.IntRange(1, 2000).Draw(t, "by")) * time.Minute)
		r := plan.Sample(in, o, rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "draws"))
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
				if other := draw(in, o, c.Budgets, r.Seed); !isEnough(c.Budgets) || !other.Finish.Equal(c.Comparison.After) {
					t.Errorf("by %s, %s: done at %s", by, c.Change, other.Finish)
				}
				for _, less := range lessThan(t, set, c.Budgets) {
					if isEnough(less) {
						t.Errorf("by %s, %s: less is enough, %s", by, c.Change, less)
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
	})
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
		for _, trial := range plan.Try(in, plan.Options{}, r.Plan) {
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
