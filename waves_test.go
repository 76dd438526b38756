package disruptkit_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/internal/testkit/naive"
	"github.com/disruptkit/disruptkit/probe"
)

func TestWavesHoldNodesBackAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agreesWithNaive(t, testkit.Arbitrary(generate.Waved).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
}

// withWaves returns the input with other waves in all pools and groups: those that change returns, given what is written.
func withWaves(in disruptkit.Input, change func(*budget.Rollout) *budget.Rollout) disruptkit.Input {
	of := func(set budget.Set) budget.Set {
		spec := set.Spec()
		for _, c := range []*budget.Control{&spec.Defaults, &spec.Consolidation, &spec.Drift, &spec.Expiration, &spec.Emptiness} {
			if c.Rollout != nil {
				c.Rollout = change(c.Rollout)
			}
		}
		set, _ = spec.Compile()
		return set
	}
	in.Pools, in.Groups = slices.Clone(in.Pools), slices.Clone(in.Groups)
	for i := range in.Pools {
		in.Pools[i].Budgets = of(in.Pools[i].Budgets)
	}
	for i := range in.Groups {
		in.Groups[i].Budgets = of(in.Groups[i].Budgets)
	}
	return in
}

func none(*budget.Rollout) *budget.Rollout { return nil }

// Whatever goes, new nodes and those in flight are no more than the wave may have.
func TestNewOrInFlightNeverExceedsTheWave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Waved).Draw(t, "input")
		asked := rapid.SampledFrom([]candidate.Reason{candidate.Drifted, candidate.Expired}).Draw(t, "asked")
		goInWaves(t, in, asked)
	})
	// Random inputs need not have a node that goes in a wave. This one has.
	set, _ := budget.Spec{
		Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"2"}}},
	}.Compile()
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 3),
		Pools:  []disruptkit.Pool{{Name: "default", Budgets: set}},
		Groups: []disruptkit.Group{{Name: "all", Pools: []string{"default"}, Budgets: set}}}
	if waves := goInWaves(t, in, candidate.Drifted); waves != 2 {
		t.Errorf("nodes go in %d waves, not in the pool's and the group's", waves)
	}
}

// rolled returns the pools that have rolled for a method, as a memory says.
func rolled(m disruptkit.Memory, method candidate.Reason) []string {
	for _, w := range m.Waves {
		if w.Method == method {
			return w.Pools
		}
	}
	return nil
}

// goInWaves decides, and returns in how many waves of pools and groups nodes go. It fails if there are too many in one.
func goInWaves(t rapid.TB, in disruptkit.Input, asked candidate.Reason) (waves int) {
	d := disruptkit.Decide(in, asked)
	then := in.Apply(d)
	check := func(p disruptkit.PoolDecision, key string, pools []string) {
		went := slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool {
			return slices.Contains(pools, c.Pool) && p.Reason.Method().Covers(c.Reason)
		})
		if p.Wave == nil || !went {
			return
		}
		waves++
		if used := naive.Waves(then, key, pools, rolled(d.Memory[key], p.Reason.Method()), p.Reason.Method()); used > p.Wave.Nodes {
			t.Fatalf("%s: %d are new or in flight in a wave of %d", p.Pool, used, p.Wave.Nodes)
		}
	}
	for _, p := range d.Pools {
		check(p, p.Pool, []string{p.Pool})
	}
	for _, p := range d.Groups {
		check(p, disruptkit.Group{Name: p.Pool}.Key(), in.Groups[slices.IndexFunc(in.Groups, func(g disruptkit.Group) bool { return g.Name == p.Pool })].Pools)
	}
	return waves
}

// Each candidate is asked alone, as in TestOneMoreGroupNeverLetsMoreGo.
func TestOneMoreWaveNeverLetsMoreGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Waved).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Memory = nil
		at := rapid.IntRange(0, 3).Draw(t, "at")
		wave := rapid.SampledFrom([]string{"1", "2", "3", "1%", "20%", "60%"}).Draw(t, "wave")
		more := withWaves(in, func(r *budget.Rollout) *budget.Rollout {
			c := *r
			c.Waves = slices.Insert(slices.Clone(r.Waves), min(at, len(r.Waves)), wave)
			return &c
		})
		for i := range in.Nodes {
			if len(in.Nodes[i].Conditions) == 0 {
				continue
			}
			alone := func(in disruptkit.Input) int {
				in.Nodes = slices.Clone(in.Nodes)
				for j := range in.Nodes {
					if j != i && len(in.Nodes[j].Conditions) > 0 { // not new, and not to go
						in.Nodes[j].DoNotDisrupt, in.Nodes[j].DoNotRepair = true, true
					}
				}
				return len(disruptkit.Decide(in, asked).Allowed)
			}
			if with, before := alone(more), alone(in); with > before && !invalid(in) {
				t.Fatalf("%s may go, and may not without one more wave", in.Nodes[i].Name)
			}
		}
	})
}

// invalid reports whether some waves of an input are.
func invalid(in disruptkit.Input) bool {
	of := func(s budget.Set) bool {
		return slices.ContainsFunc(s.Warnings(), func(w candidate.Warning) bool { return w.Code == candidate.CodeInvalidRollout })
	}
	return slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return of(p.Budgets) }) ||
		slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return of(g.Budgets) })
}

func TestWavesAsLargeAsAllNodesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Waved).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for i := range in.Nodes { // one that joins, terminates, or shares its name is not counted, but is there
			n := &in.Nodes[i]
			n.Name, n.Phase, n.Leaving, n.Rebooting = fmt.Sprint(i), candidate.Running, candidate.Staying, false
		}
		if in.Memory = nil; invalid(in) {
			t.Skip("waves that are invalid hold back all nodes")
		}
		all := withWaves(in, func(*budget.Rollout) *budget.Rollout { return &budget.Rollout{Waves: []string{"100%"}, Bake: "1h"} })
		want, got := disruptkit.Decide(withWaves(in, none), asked), disruptkit.Decide(all, asked)
		if diff := cmp.Diff(fixture.Allowed(want), fixture.Allowed(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestKarpenterKnowsNoWaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Waved).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Dialect = dialect.Karpenter
		with, without := disruptkit.Decide(in, asked), disruptkit.Decide(withWaves(in, none), asked)
		without.Warnings, with.Warnings = nil, nil // "karpenter.sh/v1 has no field drift"
		if diff := cmp.Diff(without, with, compiled); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAGroupOfOnePoolWithWavesIsThatPoolWithThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.WavedWaiting).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Pools, in.Groups = slices.Clone(in.Pools[:1]), nil
		p := &in.Pools[0]
		spec := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: p.Budgets.Spec().Drift.Rollout}}
		p.Budgets, _ = spec.Compile()
		p.Verdicts = generate.Verdicts(in.Now)(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "verdict") })
		m := in.Memory[p.Name]
		m = disruptkit.Memory{Waves: m.Waves}
		for i := range m.Waves {
			m.Waves[i].Revision = p.Revision
		}
		in.Memory = map[string]disruptkit.Memory{p.Name: m}
		grouped := in
		g := disruptkit.Group{Name: "all", Pools: []string{p.Name}, Budgets: p.Budgets}
		grouped.Groups, grouped.Pools = []disruptkit.Group{g}, []disruptkit.Pool{*p}
		grouped.Pools[0].Budgets = unlimited(t)
		seen := disruptkit.Decide(grouped, asked).Memory[g.Key()].Waves // with the group's revision
		ofGroup := slices.Clone(m.Waves)
		for i := range ofGroup {
			ofGroup[i].Revision = "?"
			if len(seen) > 0 {
				ofGroup[i].Revision = seen[0].Revision
			}
		}
		if len(seen) == 0 && len(ofGroup) > 0 {
			t.Skip("the group's revision does not show")
		}
		grouped.Memory = map[string]disruptkit.Memory{g.Key(): {Waves: ofGroup}}
		want, got := disruptkit.Decide(in, asked), disruptkit.Decide(grouped, asked)
		a, b := want.Memory[p.Name].Waves, got.Memory[g.Key()].Waves
		for i := range a {
			a[i].Revision = ""
		}
		for i := range b {
			b[i].Revision = ""
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatal(diff)
		}
		want.Memory, got.Memory = nil, nil
		if diff := cmp.Diff(nameless(want), nameless(got), compiled); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A roll ends, whatever the waves, the order in which replacements become Ready, and the decisions whose memory is lost. At any time, no
// more nodes are new or in flight than the first wave that has not baked lets.
func TestARollInWavesEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := budget.Spec{Budgets: []budget.Budget{{Nodes: rapid.SampledFrom([]string{"1", "3", "100%"}).Draw(t, "budget")}}}
		spec.Drift.Rollout = &budget.Rollout{
			Waves: rapid.SampledFrom([][]string{{"1"}, {"1", "5"}, {"1", "10%", "50%"}, {"30%"}, {"20"}}).Draw(t, "waves"),
			Bake:  rapid.SampledFrom([]string{"", "0s", "1h"}).Draw(t, "bake"),
		}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, rapid.IntRange(1, 12).Draw(t, "nodes")),
			Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
		for range 400 {
			d := disruptkit.Decide(in, candidate.Drifted)
			w := *d.Pools[0].Wave
			in = in.Apply(d)
			if used := naive.Waves(in, "default", []string{"default"}, nil, candidate.Drifted); len(d.Allowed) > 0 && used > w.Nodes {
				t.Fatalf("%d are new or in flight in a wave of %d", used, w.Nodes)
			}
			if rapid.IntRange(0, 19).Draw(t, "loses memory") == 19 {
				in.Memory = nil
			}
			left := 0
			for i := range in.Nodes {
				switch n := &in.Nodes[i]; {
				case n.InFlight() && rapid.Bool().Draw(t, "is replaced"):
					n.Name, n.Leaving, n.DisruptedFor, n.Conditions = n.Name+"'", candidate.Staying, "", nil
					n.Phase = candidate.NotReady
				case n.Phase == candidate.NotReady:
					n.Phase = candidate.Running
				}
				left += len(in.Nodes[i].Conditions)
			}
			if left == 0 {
				return
			}
			in.Now = in.Now.Add(20 * time.Minute)
		}
		t.Fatal("it never ends")
	})
}

// atNoon returns what a pool of the given nodes is told of its waves: "a-1 goes; a-2 waits: wave-full until 13:00".
func atNoon(t *testing.T, in disruptkit.Input, r *budget.Rollout) string {
	t.Helper()
	spec := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: r}}
	in.Now, in.Pools = fixture.Noon, slices.Clone(in.Pools)
	if len(in.Pools) == 0 {
		in.Pools = []disruptkit.Pool{{Name: "default"}}
	}
	in.Pools[0].Budgets, _ = spec.Compile()
	var texts []string
	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		texts = append(texts, c.Node+" goes")
	}
	for _, c := range d.Blocked {
		text := c.Node
		for _, b := range c.Blockers {
			if b.Gate != candidate.GateWave {
				continue
			}
			text += " " + string(b.Code)
			if !b.Until.IsZero() {
				text += " until " + b.Until.Format("15:04")
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestWaves(t *testing.T) {
	waves := &budget.Rollout{Waves: []string{"1", "50%"}, Bake: "1h"}
	old, fresh := fixture.Fleet(0, 3), fixture.Fleet(1, 0)
	fresh[0].Name = "n"
	one := slices.Concat(old, fresh) // of 4, one is new
	remembers := func(baked, done int, since, revision string) map[string]disruptkit.Memory {
		return map[string]disruptkit.Memory{"default": {Waves: []budget.Progress{{
			Method: candidate.Drifted, Revision: revision, Waves: waves.Waves, Baked: baked, Done: done, Since: fixture.Clock(since),
		}}}}
	}
	changed := func(nodes []candidate.Node, change func(all []candidate.Node)) []candidate.Node {
		nodes = slices.Clone(nodes)
		change(nodes)
		return nodes
	}
	for _, c := range []struct {
		name string
		in   disruptkit.Input
		r    *budget.Rollout
		want string
	}{
		{"one goes first", disruptkit.Input{Nodes: old}, waves, "a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"it bakes from the first decision that sees it done", disruptkit.Input{Nodes: one}, waves,
			"a-1 bakes until 13:00; a-2 bakes until 13:00; a-3 bakes until 13:00"},
		{"it has baked for half an hour", disruptkit.Input{Nodes: one, Memory: remembers(0, 1, "11:30", "")}, waves,
			"a-1 bakes until 12:30; a-2 bakes until 12:30; a-3 bakes until 12:30"},
		{"it has baked", disruptkit.Input{Nodes: one, Memory: remembers(0, 1, "11:00", "")}, waves, "a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"without a bake the next wave begins at once", disruptkit.Input{Nodes: one}, &budget.Rollout{Waves: []string{"1", "50%"}, Bake: "0s"},
			"a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"by a clock that was ahead", disruptkit.Input{Nodes: one, Memory: remembers(0, 1, "15:00", "")}, waves,
			"a-1 bakes until 13:00; a-2 bakes until 13:00; a-3 bakes until 13:00"},
		{"a new revision begins again, where one node is new already", disruptkit.Input{
			Nodes: one, Memory: remembers(1, 0, "", "1"), Pools: []disruptkit.Pool{{Name: "default", Revision: "2"}},
		}, waves, "a-1 bakes until 13:00; a-2 bakes until 13:00; a-3 bakes until 13:00"},
		{"the same revision goes on", disruptkit.Input{
			Nodes: one, Memory: remembers(1, 0, "", "2"), Pools: []disruptkit.Pool{{Name: "default", Revision: "2"}},
		}, waves, "a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"other waves than those that have baked begin again", disruptkit.Input{Nodes: one, Memory: remembers(1, 0, "", "")},
			&budget.Rollout{Waves: []string{"1", "75%"}, Bake: "1h"}, "a-1 bakes until 13:00; a-2 bakes until 13:00; a-3 bakes until 13:00"},
		{"two nodes are added in the first wave, and the second one bakes from now on", disruptkit.Input{
			Nodes: slices.Concat(old, changed(fixture.Fleet(3, 0), func(all []candidate.Node) {
				for i := range all {
					all[i].Name += "-new"
				}
			})), Memory: remembers(0, 1, "11:30", ""),
		}, waves, "a-1 bakes until 13:00; a-2 bakes until 13:00; a-3 bakes until 13:00"},
		{"all that were new are gone: the first wave begins again", disruptkit.Input{Nodes: old, Memory: remembers(2, 0, "", "")}, waves,
			"a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"a new node is not Ready", disruptkit.Input{Nodes: changed(one, func(all []candidate.Node) { all[3].Phase = candidate.NotReady })}, waves,
			"a-1 wave-full; a-2 wave-full; a-3 wave-full"},
		{"and was, in a wave that has baked", disruptkit.Input{
			Nodes: changed(one, func(all []candidate.Node) { all[3].Phase = candidate.NotReady }), Memory: remembers(1, 0, "", ""),
		}, waves, "a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"a node that joins takes the place of the one in flight", disruptkit.Input{
			Nodes: changed(one, func(all []candidate.Node) { all[3].Phase = candidate.Launched }), Memory: remembers(0, 1, "11:30", ""),
		}, waves, "a-1 wave-full; a-2 wave-full; a-3 wave-full"},
		{"the replacement is missing", disruptkit.Input{Nodes: old, Pools: []disruptkit.Pool{{Name: "default", Desired: 4}}}, waves,
			"a-1 wave-full; a-2 wave-full; a-3 wave-full"},
		{"a probe denies it in the bake", disruptkit.Input{
			Nodes: one, Memory: remembers(0, 1, "11:30", ""), Pools: []disruptkit.Pool{{Name: "default", Verdicts: []probe.Verdict{{Probe: "p"}}}},
		}, waves, "a-1 bakes; a-2 bakes; a-3 bakes"},
		{"5 % of 3 nodes is 1", disruptkit.Input{Nodes: old}, &budget.Rollout{Waves: []string{"5%"}}, "a-1 goes; a-2 wave-full; a-3 wave-full"},
		{"a wave as large as the pool limits nothing", disruptkit.Input{Nodes: old}, &budget.Rollout{Waves: []string{"5"}, Bake: "1h"},
			"a-1 goes; a-2 goes; a-3 goes"},
		{"the canaries go first", disruptkit.Input{Nodes: changed(old, func(all []candidate.Node) { all[2].Labels = map[string]string{"canary": "true"} })},
			&budget.Rollout{Waves: []string{"2"}, From: &candidate.Selector{MatchLabels: map[string]string{"canary": "true"}}},
			"a-3 goes; a-1 goes; a-2 wave-full"},
		{"but after one with a deadline", disruptkit.Input{Nodes: changed(old, func(all []candidate.Node) {
			all[2].Labels = map[string]string{"canary": "true"}
			all[1].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Deadline: fixture.Clock("15:00")}}
		})}, &budget.Rollout{Waves: []string{"2"}, From: &candidate.Selector{MatchLabels: map[string]string{"canary": "true"}}},
			"a-2 goes; a-3 goes; a-1 wave-full"},
		{"an overdue node waits, too", disruptkit.Input{Nodes: changed(one, func(all []candidate.Node) {
			all[0].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Deadline: fixture.Clock("11:00")}}
		})}, waves, "a-1 bakes until 13:00; a-2 bakes until 13:00; a-3 bakes until 13:00"},
		{"waves that are broken let nothing go", disruptkit.Input{Nodes: old}, &budget.Rollout{Waves: []string{"0"}},
			"a-1 invalid-rollout; a-2 invalid-rollout; a-3 invalid-rollout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := atNoon(t, c.in, c.r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// "A wave is done when that many nodes are new and Ready, and none is in flight", and nodes that join or are missing count as in flight.
func TestAWaveBakesOnlyWhileNoNodeIsInFlightJoinsOrIsMissing(t *testing.T) {
	set, _ := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"1"}, Bake: "1h"}}}.Compile()
	for _, c := range []struct {
		name    string
		change  func(n *candidate.Node) // of one more node
		desired int
		bakes   bool
	}{
		{"none", nil, 0, true},
		{"none is missing", nil, 2, true},
		{"one is missing", nil, 3, false},
		{"one drains", func(n *candidate.Node) { n.Leaving = candidate.Draining }, 0, false},
		{"one has launched", func(n *candidate.Node) { n.Phase = candidate.Launched }, 0, false},
		{"one has registered", func(n *candidate.Node) { n.Phase = candidate.Registered }, 0, false},
		{"one joins for a node that is gone", func(n *candidate.Node) { n.Phase, n.Replaces = candidate.Launched, "gone" }, 0, false},
	} {
		for _, baked := range []time.Duration{0, 30 * time.Minute, time.Hour, 2 * time.Hour} {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: []candidate.Node{fixture.Wanted("old", fixture.Noon, candidate.Drifted), fixture.Wanted("new", fixture.Noon)},
				Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			in.Memory = disruptkit.Decide(in, candidate.Drifted).Memory
			in.Now, in.Pools[0].Desired = in.Now.Add(baked), c.desired
			if c.change != nil {
				n := fixture.Wanted("more", fixture.Noon)
				c.change(&n)
				in.Nodes = append(in.Nodes, n)
			}
			d := disruptkit.Decide(in, candidate.Drifted)
			since := time.Time{}
			if all := d.Memory["default"].Waves; len(all) > 0 {
				since = all[0].Since
			}
			if allowed := len(d.Allowed) > 0; allowed != (c.bakes && baked >= time.Hour) {
				t.Errorf("%s, after %v of 1h: old is allowed: %t", c.name, baked, allowed)
			}
			if bakes := !since.IsZero(); bakes != (c.bakes && baked < time.Hour) {
				t.Errorf("%s, after %v of 1h: the wave bakes: %t", c.name, baked, bakes)
			}
		}
	}
}

// "One that joins makes up for the node that it replaces": that of Node.Replaces, or else one that started before it was created.
func TestANodeThatJoinsMakesUpForTheNodeThatItReplaces(t *testing.T) {
	type joins struct{ replaces, created string }
	for _, c := range []struct {
		name     string
		starts   []string // of the nodes in flight, a-1 and so on; "": unknown
		joins    []joins
		newOrOld int // how many are in flight, or join
	}{
		{"nothing is in flight", nil, []joins{{"", "11:00"}}, 1},
		{"created later", []string{"10:00"}, []joins{{"", "11:00"}}, 1},
		{"created before", []string{"11:00"}, []joins{{"", "10:00"}}, 2},
		{"created at the same time", []string{"11:00"}, []joins{{"", "11:00"}}, 2},
		{"created at an unknown time", []string{"11:00"}, []joins{{"", ""}}, 2},
		{"started at an unknown time", []string{""}, []joins{{"", "11:00"}}, 2},
		{"by name", []string{"11:00"}, []joins{{"a-1", "10:00"}}, 1},
		{"by another name", []string{"10:00"}, []joins{{"gone", "11:00"}}, 2},
		{"two by one name", []string{"10:00"}, []joins{{"a-1", "11:00"}, {"a-1", "11:00"}}, 2},
		{"one node is replaced once", []string{"10:00"}, []joins{{"", "11:00"}, {"", "11:00"}}, 2},
		{"by name before by time", []string{"10:00"}, []joins{{"", "11:00"}, {"a-1", "11:00"}}, 2},
		{"each by its time", []string{"09:00", "10:30"}, []joins{{"", "11:00"}, {"", "10:00"}}, 2},
		{"one of two started too late", []string{"09:00", "11:30"}, []joins{{"", "11:00"}, {"", "10:00"}}, 3},
	} {
		set, _ := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"5"}, Bake: "1h"}}}.Compile()
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 9), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
		var m disruptkit.Memory
		for i, at := range c.starts {
			n := &in.Nodes[i]
			if n.Leaving = candidate.Draining; at != "" {
				m.Starts = append(m.Starts, budget.Start{Node: n.Name, At: fixture.Clock(at), Seen: true})
			}
		}
		in.Memory = map[string]disruptkit.Memory{"default": m}
		for i, j := range c.joins {
			n := candidate.Node{Name: fmt.Sprint("joins-", i), Pool: "default", Phase: candidate.Launched, Replaces: j.replaces}
			if j.created != "" {
				n.Created = fixture.Clock(j.created)
			}
			in.Nodes = append(in.Nodes, n)
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		if got := d.Pools[0].Wave.InUse; got != c.newOrOld || len(d.Allowed) != 5-got {
			t.Errorf("%s: %d are in flight or join, not %d, and %d are allowed", c.name, got, c.newOrOld, len(d.Allowed))
		}
	}
}

// Decisions remember when nodes in flight started, so that the next one knows what replaces them. Without memory, both count.
func TestStartsAreRememberedForWaves(t *testing.T) {
	set, _ := budget.Spec{Budgets: []budget.Budget{{Nodes: "1"}}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"5"}, Bake: "1h"}}}.Compile()
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 9), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	in = in.Apply(disruptkit.Decide(in, candidate.Drifted))
	in.Nodes = append(in.Nodes, candidate.Node{Name: "joins", Pool: "default", Phase: candidate.Launched, Created: fixture.Noon.Add(time.Minute)})
	in.Now = in.Now.Add(2 * time.Minute)
	d := disruptkit.Decide(in, candidate.Drifted)
	if got := d.Pools[0].Wave.InUse; got != 1 {
		t.Errorf("a node in flight and its replacement count as %d: %+v", got, in.Memory)
	}
	in.Memory = nil
	if got := disruptkit.Decide(in, candidate.Drifted).Pools[0].Wave.InUse; got != 2 {
		t.Errorf("without memory, they count as %d", got)
	}
	in.Memory, in.Nodes = d.Memory, in.Nodes[1:]
	for _, s := range disruptkit.Decide(in, candidate.Drifted).Memory["default"].Starts {
		if s.Node == "a-1" {
			t.Errorf("the node is gone, and %v is remembered", s)
		}
	}
}

// Together and one by one, as many are allowed: a node whose replacement joins already is the same slot before and after it starts.
func TestANodeWhoseReplacementJoinsTakesNoMoreOfAWave(t *testing.T) {
	set, _ := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"3"}, Bake: "1h"}}}.Compile()
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 9), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	in.Nodes = append(in.Nodes, candidate.Node{Name: "joins", Pool: "default", Phase: candidate.Launched, Replaces: "a-1"})
	together, alone := len(disruptkit.Decide(in, candidate.Drifted).Allowed), 0
	for range 9 {
		d := disruptkit.Decide(in, candidate.Drifted)
		d.Allowed = d.Allowed[:min(1, len(d.Allowed))]
		alone += len(d.Allowed)
		in = in.Apply(d)
	}
	if together != 3 || alone != 3 {
		t.Errorf("%d are allowed together, and %d one by one: a-1 and its replacement are one of 3", together, alone)
	}
}

// A node that joined before is no replacement of a node that starts later, however many decisions there are in between.
func TestANodeThatJoinedBeforeDoesNotRaiseAWave(t *testing.T) {
	set, _ := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"2"}, Bake: "1h"}}}.Compile()
	for _, created := range []time.Time{{}, fixture.Noon.Add(-time.Minute), fixture.Noon} {
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 3), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
		in.Nodes = append(in.Nodes, candidate.Node{Name: "joins", Pool: "default", Phase: candidate.Registered, Created: created})
		started := 0
		for range 3 {
			d := disruptkit.Decide(in, candidate.Drifted)
			started += len(d.Allowed)
			in = in.Apply(d)
			in.Now = in.Now.Add(10 * time.Second)
		}
		if started != 1 {
			t.Errorf("created %v: %d start beside one that joins in a wave of 2", created, started)
		}
	}
}

// Of ten pools of a group, only one has drifted: that the others' nodes have not is no sign that its new ones are good. What has rolled stays
// new, until all has.
func TestPoolsThatDoNotRollAreNotNew(t *testing.T) {
	set, _ := budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"1", "4"}, Bake: "1h"}}}.Compile()
	none, _ := budget.Compile([]budget.Budget{})
	in := disruptkit.Input{Now: fixture.Noon, Groups: []disruptkit.Group{{Name: "all", Budgets: set}}}
	for _, pool := range strings.Split("abcdefghij", "") {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: pool, Budgets: none})
		in.Groups[0].Pools = append(in.Groups[0].Pools, pool)
		for i := range 3 {
			n := candidate.Node{Name: fmt.Sprint(pool, i), Pool: pool, Phase: candidate.Running}
			in.Nodes = append(in.Nodes, n)
		}
	}
	old := func(pool string) {
		for i := range in.Nodes {
			if in.Nodes[i].Pool == pool {
				in.Nodes[i].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon}}
			}
		}
	}
	step := func(want string) {
		t.Helper()
		d := disruptkit.Decide(in, candidate.Drifted)
		in.Memory = d.Memory
		var goes []string
		for _, c := range d.Allowed {
			goes = append(goes, c.Node)
			i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			in.Nodes[i].Conditions = nil // its replacement is there at once
		}
		if got := strings.Join(goes, " "); got != want {
			t.Errorf("at %s goes %q, want %q; %+v", in.Now.Format("15:04"), got, want, d.Memory)
		}
		in.Now = in.Now.Add(30 * time.Minute)
	}
	step("")
	old("a")
	step("a0")
	step("") // it bakes
	step("")
	old("b")
	step("a1 a2 b0") // 4 are new; a is done
	step("")
	step("")
	step("b1 b2")
	step("")
	if len(in.Memory) > 0 {
		t.Errorf("all is new, and %+v is remembered", in.Memory)
	}
	old("c")
	step("c0")
}

// Another reason whose node is in flight sets the bake back, so what goes for it makes the end unknown to those behind it.
func TestABakeHasNoCertainEndWhileANodeGoesForAnotherReason(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: slices.Concat(fixture.Fleet(0, 1), []candidate.Node{
		fixture.Wanted("e", fixture.Noon.Add(-900*time.Hour), "Empty"), fixture.Wanted("n", fixture.Noon),
	})}
	set, _ := budget.Spec{Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"1"}, Bake: "1h"}}}.Compile()
	in.Pools = []disruptkit.Pool{{Name: "default", Budgets: set}}
	in.Nodes[1].Conditions[0].Since = fixture.Noon.Add(-900 * time.Hour)
	d := disruptkit.Decide(in, "")
	if len(d.Allowed) != 1 || d.Allowed[0].Node != "e" || d.Blocked[0].Blockers[0].Code != candidate.CodeBakes || !d.Blocked[0].Blockers[0].Until.IsZero() {
		t.Error(fixture.Story(d))
	}
	if w := d.Pools[1].Wave; w == nil || !w.Until.Equal(fixture.Clock("13:00")) || w.Wave != 1 || w.Of != 2 || !w.Since.Equal(fixture.Noon) || w.InUse != 2 {
		t.Errorf("%+v", w)
	}
}

func TestMemoryOfWavesIsKept(t *testing.T) {
	const text = `{"waves":[{"method":"Drifted","revision":"7","waves":["1","5%"],"baked":1,"done":2,"since":"2026-11-20T11:30:00Z"}]}`
	var m disruptkit.Memory
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(m); string(again) != text {
		t.Errorf("%s", again)
	}
	want := disruptkit.Memory{Waves: []budget.Progress{
		{Method: "Drifted", Revision: "7", Waves: []string{"1", "5%"}, Baked: 1, Done: 2, Since: fixture.Clock("11:30")},
	}}
	if !m.Equal(want) || m.Equal(disruptkit.Memory{}) {
		t.Error(m)
	}
	// Without a time, and while it is unclear which of two pools it is of, nothing of it is lost.
	broken, _ := budget.Spec{Drift: budget.Control{Rollout: &budget.Rollout{}}}.Compile()
	for name, in := range map[string]disruptkit.Input{
		"no time":           {Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{{Name: "default", Revision: "7"}}},
		"two of one name":   {Now: fixture.Noon, Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{{Name: "default"}, {Name: "default"}}},
		"broken":            {Now: fixture.Noon, Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{{Name: "default", Revision: "8", Budgets: broken}}},
		"Karpenter's rules": {Now: fixture.Noon, Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{{Name: "default"}}, Dialect: dialect.Karpenter},
		"not in the input":  {Now: fixture.Noon},
	} {
		if name == "no time" {
			in.Pools[0].Budgets, _ = budget.Spec{Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"1", "5%"}}}}.Compile()
		}
		in.Memory = map[string]disruptkit.Memory{"default": want}
		if got := disruptkit.Decide(in, candidate.Drifted).Memory["default"]; !(disruptkit.Memory{Waves: got.Waves}).Equal(want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
