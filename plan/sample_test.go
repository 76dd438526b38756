package plan_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/plan"
)

// chancy generates models in which some of all steps depend on chance.
func chancy(s generate.Source) plan.Model {
	m := model(s)
	for _, t := range []*plan.Takes{&m.Launch, &m.Drain, &m.Recovery, &m.Eviction} {
		if s(3) == 0 {
			first := time.Duration(s(60)) * time.Second
			*t = plan.OneOf(first, first+time.Duration(s(60))*time.Minute, first+time.Duration(s(20))*time.Minute)
		}
	}
	m.Seed = uint64(s(5))
	return m
}

// sampleInput generates inputs in either dialect.
func sampleInput(t *rapid.T) disruptkit.Input {
	in := input(t)
	if rapid.IntRange(0, 3).Draw(t, "dialect") == 3 {
		in.Dialect = dialect.Karpenter
	}
	return in
}

func TestADrawIsThePlanOfItsSeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := sampleInput(t)
		o := plan.Options{Model: testkit.Arbitrary(chancy).Draw(t, "model"), Horizon: hours * time.Hour}
		draws := rapid.IntRange(1, 9).Draw(t, "draws")
		r := plan.Sample(in, o, draws)
		if n := len(r.Draws); n != draws && n != 1 {
			t.Fatalf("%d draws, want %d", n, draws)
		}
		var seeds []uint64
		pools := map[string][]time.Time{}
		for _, d := range r.Draws {
			seeds = append(seeds, d.Seed)
			one := o
			one.Model.Seed = d.Seed
			p := plan.Run(in, one)
			if want := finish(p.Finish, p.Count(p.Horizon.Add(1e6*time.Hour)).ToGo); !d.Finish.Equal(want) {
				t.Errorf("seed %d finishes at %s, and drawn at %s", d.Seed, want, d.Finish)
			}
			for _, pool := range p.Pools {
				pools[pool.Name] = append(pools[pool.Name], finish(pool.Finish, pool.ToGo))
			}
			checkLast(t, d, p)
			if d.Seed == r.Seed {
				if diff := gocmp.Diff(told(p), told(r.Plan)); diff != "" {
					t.Errorf("the plan in the middle: (-run +sample)\n%s", diff)
				}
			}
		}
		slices.Sort(seeds)
		for i, seed := range seeds {
			if seed != o.Model.Seed+uint64(i) {
				t.Errorf("the seeds are %d, from %d on", seeds, o.Model.Seed)
			}
		}
		var all []time.Time
		for _, d := range r.Draws {
			all = append(all, d.Finish)
		}
		checkSpread(t, "all", r.Finish, all)
		if len(r.Pools) != len(pools) {
			t.Errorf("%d pools, want %d", len(r.Pools), len(pools))
		}
		if !r.Finish.Middle.IsZero() && !r.Plan.Finish.Equal(r.Finish.Middle) {
			t.Errorf("the plan in the middle finishes at %s, and half of all by %s", r.Plan.Finish, r.Finish.Middle)
		}
		for i, pool := range r.Pools {
			if i > 0 && r.Pools[i-1].Name >= pool.Name {
				t.Errorf("pools are out of order")
			}
			checkSpread(t, pool.Name, pool.Finish, pools[pool.Name])
		}
	})
}

// finish is when all nodes are done that ever go; zero: not within the horizon.
func finish(at time.Time, toGo int) time.Time {
	if toGo > 0 {
		return time.Time{}
	}
	return at
}

// checkLast checks that no node of a plan is done after the one that is said to be the last.
func checkLast(t *rapid.T, d plan.Draw, p plan.Plan) {
	if (d.Node == "") != d.Finish.IsZero() {
		t.Errorf("the last node is %q: %+v", d.Node, d)
	}
	found := d.Node == ""
	for _, n := range p.Nodes {
		found = found || n.Name == d.Node && n.End().Equal(d.Finish)
	}
	if !found {
		t.Errorf("%s is not the last node: %s", d.Node, told(p))
	}
}

// checkSpread checks a spread by counting: at least a tenth finish by Early, but not by any time before it, and so on.
func checkSpread(t rapid.TB, what string, s plan.Spread, finishes []time.Time) {
	for _, c := range []struct {
		at     time.Time
		tenths int
	}{{s.Early, 1}, {s.Middle, 5}, {s.Late, 9}} {
		by, before := 0, 0
		for _, f := range finishes {
			if c.at.IsZero() || !f.IsZero() && !f.After(c.at) {
				by++
			}
			if !f.IsZero() && (c.at.IsZero() || f.Before(c.at)) {
				before++
			}
		}
		if 10*by < c.tenths*len(finishes) || 10*before >= c.tenths*len(finishes) {
			t.Errorf("%s: of %d, %d finish by %s, and %d before, want %d tenths", what, len(finishes), by, c.at, before, c.tenths)
		}
	}
}

func TestTheSameSeedHasTheSameAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := sampleInput(t)
		o := plan.Options{Model: testkit.Arbitrary(chancy).Draw(t, "model"), Horizon: hours * time.Hour}
		first, second := plan.Sample(in, o, 4), plan.Sample(in, o, 4)
		if diff := gocmp.Diff(first.Draws, second.Draws, gocmp.AllowUnexported(plan.Draw{})) + gocmp.Diff(first.Pools, second.Pools); diff != "" {
			t.Error(diff)
		}
	})
}

// With durations that are the same for all nodes, or known for each, there is nothing to sample.
func TestWhereNothingDependsOnChanceOnePlanIsMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := sampleInput(t)
		o := plan.Options{Model: testkit.Arbitrary(model).Draw(t, "model"), Horizon: hours * time.Hour}
		o.Model.Seed = uint64(rapid.IntRange(0, 9).Draw(t, "seed"))
		o.Model.Eviction = plan.OneOf(30*time.Second, 30*time.Second)
		runs := 0
		counted := o
		counted.Observe = func(disruptkit.Input, disruptkit.Decision) { runs++ }
		r := plan.Sample(in, counted, 0)
		once := runs
		p := plan.Run(in, counted)
		if runs != 2*once || len(r.Draws) != 1 || r.Draws[0].Seed != o.Model.Seed {
			t.Errorf("%d decisions, and %d of one run: %+v", once, runs-once, r.Draws)
		}
		if diff := gocmp.Diff(told(p), told(r.Plan)); diff != "" {
			t.Errorf("(-run +sample)\n%s", diff)
		}
		for _, s := range append([]plan.PoolRange{{Finish: r.Finish}}, r.Pools...) {
			if s.Finish.Early != s.Finish.Middle || s.Finish.Middle != s.Finish.Late {
				t.Errorf("a range of one plan: %+v", s)
			}
		}
	})
}

// A step of any kind that depends on chance is sampled, whether or not the first draw would tell.
func TestWhateverDependsOnChanceIsSampled(t *testing.T) {
	list := plan.OneOf(time.Minute, 20*time.Minute)
	rare := func(_ candidate.Node, _ time.Time, chance float64) time.Duration {
		return time.Duration(1+int(chance+1e-9)) * time.Minute
	}
	for rule, m := range map[string]plan.Model{
		"drains": {Drain: list}, "launches": {Launch: list}, "recoveries": {Recovery: list}, "evictions": {Eviction: list},
		"a long drain that is rare": {Drain: rare},
	} {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, two)}, Rules: rules(t, fixture.PDB("web"))}
		for i := range 3 {
			in.Nodes = append(in.Nodes, fixture.Sharing(fmt.Sprint("a-", i), "default", "a", 9, "web"))
		}
		r := plan.Sample(in, plan.Options{Model: m}, 12)
		if len(r.Draws) != 12 {
			t.Errorf("%s: %d draws", rule, len(r.Draws))
		}
		if rare := rule == "a long drain that is rare"; !rare && !r.Draws[0].Finish.Before(r.Draws[11].Finish) {
			t.Errorf("%s: all draws finish at %s", rule, r.Draws[0].Finish)
		}
	}
}

// thirty are nodes that are disrupted three at a time, and each drains for 1, 3 or 20 minutes.
func thirty(t testing.TB, rename string) (disruptkit.Input, plan.Options) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "3"})}}
	in.Nodes = fixture.Fleet(0, 30)
	for i := range in.Nodes {
		in.Nodes[i].Name = rename + in.Nodes[i].Name
	}
	return in, plan.Options{Model: plan.Model{Pass: -1, Drain: plan.OneOf(time.Minute, 3*time.Minute, 20*time.Minute)}}
}

// One draw of this fleet says from 1h04m to 2h12m, by how the nodes are called. Their mean is 30 * (2m + 8m) / 3.
func TestWhatNodesAreCalledDoesNotDecideWhenAPlanIsDone(t *testing.T) {
	var first plan.Spread
	names := []string{"", "ip-10-0-"}
	if os.Getenv("EXHAUSTIVE") != "" { // as in the step proof of .ci/run
		names = append(names, "x", "node-of-another-name-")
	}
	for _, rename := range names {
		in, o := thirty(t, rename)
		r := plan.Sample(in, o, 0)
		if len(r.Draws) != 200 {
			t.Errorf("%d draws", len(r.Draws))
		}
		var finishes []time.Time
		for _, d := range r.Draws {
			finishes = append(finishes, d.Finish)
		}
		checkSpread(t, rename, r.Finish, finishes)
		if first.Early.IsZero() {
			first = r.Finish
		}
		for what, pair := range map[string][2]time.Time{
			"early": {r.Finish.Early, first.Early}, "in the middle": {r.Finish.Middle, first.Middle}, "late": {r.Finish.Late, first.Late},
		} {
			if d := pair[0].Sub(pair[1]).Abs(); d > 6*time.Minute {
				t.Errorf("%q: %s differs by %s", rename, what, d)
			}
		}
		if took := r.Finish.Middle.Sub(in.Now); took < 95*time.Minute || took > 120*time.Minute {
			t.Errorf("%q: half of all draws finish after %s", rename, took)
		}
	}
}

func TestDrawsThatDoNotFinishComeLast(t *testing.T) {
	in, o := thirty(t, "")
	o.Horizon = 80 * time.Minute // a node has to start within it
	r := plan.Sample(in, o, 50)
	open := 0
	for i, d := range r.Draws {
		if d.Finish.IsZero() {
			open++
		} else if open > 0 {
			t.Fatalf("draw %d finishes, and one before it does not", i)
		}
	}
	if open <= 5 || open >= 45 || r.Finish.Early.IsZero() || !r.Finish.Late.IsZero() {
		t.Errorf("%d draws do not finish: %+v", open, r.Finish)
	}
}

// A large plan is drawn less often, but so often that one in ten means something.
func TestALargePlanIsDrawnLessOften(t *testing.T) {
	in, o := thirty(t, "")
	for _, test := range []struct{ effort, least, most int }{{1e8, 200, 200}, {200_000, 11, 199}, {1, 10, 10}} {
		restore := plan.LimitEffort(test.effort)
		if n := len(plan.Sample(in, o, 0).Draws); n < test.least || n > test.most {
			t.Errorf("%d draws with an effort of %d", n, test.effort)
		}
		if n := len(plan.Sample(in, o, 20).Draws); n != 20 {
			t.Errorf("%d draws, and 20 are asked for", n)
		}
		restore()
	}
}

// All nodes may be disrupted at once, but their pods share a PodDisruptionBudget that allows one.
func TestADrawSaysWhichPDBItsLastNodeWaitsFor(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Rules: rules(t, fixture.PDB("web"))}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
	for i := range 4 {
		in.Nodes = append(in.Nodes, fixture.Sharing(fmt.Sprint("a-", i), "default", "a", 99-i, "web"))
	}
	slow := plan.Model{Pass: -1, Eviction: plan.OneOf(time.Minute, 9*time.Minute)}
	for name, d := range map[string]dialect.Dialect{"waits before its start": dialect.Disruptkit, "waits while it drains": dialect.Karpenter} {
		in.Dialect = d
		for _, d := range plan.Sample(in, plan.Options{Model: slow}, 9).Draws {
			if d.PDB != "shop/web" || d.Node != "a-3" {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
	in.Nodes = in.Nodes[:1]
	if d := plan.Sample(in, plan.Options{Model: slow}, 1).Draws[0]; d.PDB != "" {
		t.Errorf("a node that waits for nobody: %+v", d)
	}
}

// The first pod waits for the node before it, and the second one for none.
func TestThePodThatWaitsLongestCounts(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Pools: []disruptkit.Pool{fixture.Pool(t, two)}}
	in.Rules = rules(t, fixture.PDB("api"), fixture.PDB("web"))
	in.Nodes = []candidate.Node{
		fixture.Sharing("a-0", "default", "a", 99, "api"), fixture.Sharing("a-1", "default", "a", 98, "api", "web"),
	}
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Eviction: plan.Constant(7 * time.Minute)}})
	if q := p.Nodes[1].Queue; q.PDB != "shop/api" || q.For != 7*time.Minute {
		t.Errorf("the queue is %+v\n%s", q, told(p))
	}
}

// The queue is how much later a node is gone than if it drained alone.
func TestAQueueIsHowLongTheLastPodOfANodeWaits(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Pools: []disruptkit.Pool{fixture.Pool(t, two)}}
	in.Rules = rules(t, fixture.PDB("web"))
	for i := range 2 {
		in.Nodes = append(in.Nodes, fixture.Sharing(fmt.Sprint("a-", i), "default", "a", 99-i, "web"))
	}
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Eviction: plan.Constant(7 * time.Minute)}})
	for i, want := range []time.Duration{0, 7 * time.Minute} {
		n := p.Nodes[i]
		if q := n.Queue; q.For != want || n.Gone.Sub(n.Start) != 5*time.Minute+want || (q.PDB == "shop/web") != (want > 0) {
			t.Errorf("%s is gone after %s: %+v", n.Name, n.Gone.Sub(n.Start), n.Queue)
		}
	}
}

// BenchmarkSample draws a plan of a pool whose nodes are disrupted one, or a tenth, at a time, and of ten pools with pods and PDBs.
func BenchmarkSample(b *testing.B) {
	drains := plan.OneOf(time.Minute, 3*time.Minute, 20*time.Minute)
	o := plan.Options{Model: plan.Model{Pass: -1, Drain: drains}}
	runs := 100
	if testing.Short() { // they take half a minute
		runs = 5
	}
	for _, nodes := range []string{"1", "10%"} {
		b.Run("nodes="+nodes, func(b *testing.B) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1000)}
			in.Pools = []disruptkit.Pool{fixture.Pool(b, budget.Budget{Nodes: nodes})}
			for b.Loop() {
				plan.Sample(in, o, runs)
			}
		})
	}
	b.Run("pods", func(b *testing.B) {
		in := benchmarkInput(b, 1000, func(node, pod, nodes int) int { return node%10*100 + (node*7+pod*13)%50 })
		for b.Loop() {
			plan.Sample(in, o, runs)
		}
	})
}

// BenchmarkNeeded finds what it takes for a pool of 1,000 nodes, with drains that are the same and with some by chance.
func BenchmarkNeeded(b *testing.B) {
	for name, m := range map[string]plan.Model{
		"one": {}, "several": {Drain: plan.OneOf(time.Minute, 3*time.Minute, 20*time.Minute)},
	} {
		b.Run(name, func(b *testing.B) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1000)}
			in.Pools = []disruptkit.Pool{fixture.Pool(b, budget.Budget{Nodes: "20"}, fixture.Freeze)}
			o := plan.Options{Model: m}
			r := plan.Sample(in, o, 10)
			for b.Loop() {
				needs := plan.Needed(in, o, r, fixture.Noon.Add(8*time.Hour))
				if len(needs) != 1 || len(needs[0].Changes) == 0 {
					b.Fatalf("%+v", needs)
				}
			}
		})
	}
}
