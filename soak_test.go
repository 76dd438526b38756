package disruptkit_test

import (
	"fmt"
	"maps"
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
)

func TestSoaksBlockNodesAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agreesWithNaive(t, testkit.Arbitrary(generate.Soaked).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
}

// soaking returns an input with other soaks: change gets each that there is.
func soaking(in disruptkit.Input, change func(soak string) string) disruptkit.Input {
	of := func(set budget.Set) budget.Set {
		spec := set.Spec()
		for i := range spec.Budgets {
			if b := &spec.Budgets[i]; b.Soak != "" {
				b.Soak = change(b.Soak)
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

func noSoak(string) string { return "" }

// remembering returns an input whose memory knows all places: none is taken but those of nodes in flight.
func remembering(in disruptkit.Input) disruptkit.Input {
	memory := maps.Clone(in.Memory)
	for key, m := range memory {
		m.Soak = budget.Soaking{For: "720h", Since: in.Now.Add(-1000 * time.Hour)}
		memory[key] = m
	}
	in.Memory = memory
	return in
}

// Each candidate is asked alone, as in TestOneMoreGroupNeverAllowsMore.
func TestOneMoreSoakNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Soaked).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		longer := soaking(in, func(string) string { return "6h" })
		for i := range in.Nodes {
			alone := func(in disruptkit.Input) int {
				in.Nodes = slices.Clone(in.Nodes)
				for j := range in.Nodes {
					if j != i {
						in.Nodes[j].DoNotDisrupt, in.Nodes[j].DoNotRepair = true, true
					}
				}
				return len(disruptkit.Decide(in, asked).Allowed)
			}
			with, without := alone(in), alone(soaking(in, noSoak))
			if with > without || alone(longer) > with {
				t.Fatalf("%s may be disrupted, and may not with a shorter soak, or none", in.Nodes[i].Name)
			}
		}
	})
}

func TestWhereNothingSoaksASoakChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := remembering(testkit.Arbitrary(generate.Soaked).Draw(t, "input")), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for i := range in.Nodes { // one that terminates is not counted, but holds its place
			if n := &in.Nodes[i]; n.Leaving == candidate.Terminating {
				n.Leaving = candidate.Draining
			}
			if n := &in.Nodes[i]; n.InFlight() && n.Phase.Joining() {
				n.Phase = candidate.Running
			}
			if n := &in.Nodes[i]; !n.Ready() { // nor is a place taken until a replacement is Ready
				n.Replaces = ""
			}
		}
		want, got := disruptkit.Decide(soaking(in, noSoak), asked), disruptkit.Decide(in, asked)
		if diff := cmp.Diff(fixture.Allowed(want), fixture.Allowed(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Without a memory, nothing is disrupted for one soak. Then the same is allowed as if it were known that nothing soaks.
func TestALostMemoryCostsOneSoak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := soaking(testkit.Arbitrary(generate.SoakedWaiting).Draw(t, "input"), func(string) string { return "2h" })
		for i := range in.Nodes {
			in.Nodes[i].Leaving, in.Nodes[i].Rebooting = candidate.Staying, false
		}
		known := remembering(in)
		known.Now = in.Now.Add(2 * time.Hour)
		for key, m := range in.Memory {
			m.Soak = budget.Soaking{}
			in.Memory[key] = m
		}
		lost := in
		lost.Memory = maps.Clone(in.Memory)
		for key, m := range disruptkit.Decide(soaking(in, func(string) string { return "2h" }), "Nothing").Memory {
			was := lost.Memory[key]
			was.Soak = m.Soak
			if lost.Memory == nil {
				lost.Memory = map[string]disruptkit.Memory{}
			}
			lost.Memory[key] = was
		}
		lost.Now = known.Now
		if diff := cmp.Diff(fixture.Allowed(disruptkit.Decide(known, "")), fixture.Allowed(disruptkit.Decide(lost, ""))); diff != "" {
			t.Fatal("after one soak: " + diff)
		}
		lost.Now = known.Now.Add(-1)
		for _, c := range disruptkit.Decide(lost, "").Allowed {
			for _, p := range in.Pools {
				always := func(b budget.Budget) bool { return b.Soak != "" && b.Schedule == "" && len(b.Reasons) == 0 }
				if p.Name == c.Pool && slices.ContainsFunc(p.Budgets.Budgets(), always) && !p.Budgets.MostSpecific() && !c.Overdue {
					t.Fatalf("%s goes before the soak has passed", c.Node)
				}
			}
		}
	})
}

func TestKarpenterKnowsNoSoak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Soaked).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Dialect = dialect.Karpenter
		with, without := disruptkit.Decide(in, asked), disruptkit.Decide(soaking(in, noSoak), asked)
		without.Warnings, with.Warnings = nil, nil // "karpenter.sh/v1 has no field soak"
		if diff := cmp.Diff(without, with, compiled); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A roll is what really happens to nodes: when each is gone, and its replacement Ready. Decisions see it only now and then.
type roll struct {
	in         disruptkit.Input
	gone, free map[string]time.Time // when a node is gone, and its place no longer taken
	ready      map[string]time.Time // when a replacement is
}

// No decision allows more than are free: a slot is used until its node is gone, its replacement Ready, and the soak has passed, also
// where the memory is lost.
func TestNoTimeSeesMorePlacesTakenThanTheBudgetHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit, soak := rapid.IntRange(1, 3).Draw(t, "n"), rapid.SampledFrom([]time.Duration{10 * time.Minute, time.Hour}).Draw(t, "soak")
		set, err := budget.Compile([]budget.Budget{{Nodes: fmt.Sprint(limit), Soak: fmt.Sprintf("%dm", int(soak.Minutes()))}})
		if err != nil {
			t.Fatal(err)
		}
		r := roll{in: disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 8), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}},
			gone: map[string]time.Time{}, free: map[string]time.Time{}, ready: map[string]time.Time{}}
		minutes := func(most int, what string) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(t, what)) * time.Minute
		}
		for range 40 {
			d := disruptkit.Decide(r.in, "")
			r.in.Memory = d.Memory
			for _, c := range d.Allowed {
				if rapid.IntRange(0, 4).Draw(t, "starts") == 0 {
					continue
				}
				r.gone[c.Node], r.ready[c.Node] = r.in.Now.Add(minutes(30, "drains")), r.in.Now.Add(minutes(60, "launches"))
				r.free[c.Node] = r.gone[c.Node].Add(soak)
				if r.ready[c.Node].After(r.gone[c.Node]) {
					r.free[c.Node] = r.ready[c.Node].Add(soak)
				}
				taken := 0
				for _, free := range r.free {
					if free.After(r.in.Now) {
						taken++
					}
				}
				if taken > limit {
					t.Fatalf("%d slots are used at %v, of %d: %v", taken, r.in.Now, limit, r.free)
				}
			}
			r.in.Now = r.in.Now.Add(minutes(20, "passes"))
			r.happens()
			if rapid.IntRange(0, 15).Draw(t, "memory") == 0 {
				r.in.Memory = nil
			}
		}
	})
}

// happens brings the nodes up to date.
func (r *roll) happens() {
	nodes := slices.Clone(r.in.Nodes)
	for i := range nodes {
		if n := &nodes[i]; !r.gone[n.Name].IsZero() {
			n.Leaving = candidate.Draining
		}
		if n := &nodes[i]; n.Replaces != "" && !r.ready[n.Replaces].After(r.in.Now) {
			n.Phase, n.ReadySince = candidate.Running, r.ready[n.Replaces]
		}
	}
	nodes = slices.DeleteFunc(nodes, func(n candidate.Node) bool {
		at := r.gone[n.Name]
		return !at.IsZero() && !at.After(r.in.Now)
	})
	for _, old := range slices.Sorted(maps.Keys(r.gone)) {
		if !slices.ContainsFunc(nodes, func(n candidate.Node) bool { return n.Replaces == old }) {
			n := candidate.Node{Name: "new-" + old, Pool: "default", Replaces: old, Phase: candidate.Launched}
			if !r.ready[old].After(r.in.Now) {
				n.Phase, n.ReadySince = candidate.Running, r.ready[old]
			}
			nodes = append(nodes, n)
		}
	}
	r.in.Nodes = nodes
}

// fates tells candidates with the codes of their blockers.
func fates(d disruptkit.Decision) string {
	var all []string
	for _, c := range d.Allowed {
		all = append(all, c.Node+" goes")
	}
	for _, c := range d.Blocked {
		text := c.Node
		for _, b := range c.Blockers {
			text += " " + string(b.Code)
			if !b.Until.IsZero() {
				text += " until " + b.Until.Format("15:04")
			}
		}
		if strings.HasPrefix(text, "a-") { // not a node in flight
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

func TestSinceWhenPlacesAreKnown(t *testing.T) {
	for _, c := range []struct {
		name, kept, since string // in the memory
		soak, want        string
	}{
		{"a budget that is new", "", "", "10m", "soaks until 12:10; 10m since 12:00"},
		{"known for long", "10m", "11:00", "10m", "goes; 10m since 11:00"},
		{"known for less than a soak", "10m", "11:55", "10m", "soaks until 12:05; 10m since 11:55"},
		{"a soak that is longer than before", "10m", "01:00", "1h", "soaks until 12:50; 1h since 11:50"},
		{"which has not been known for long", "10m", "11:55", "1h", "soaks until 12:55; 1h since 11:55"},
		{"one that is shorter than before", "1h", "01:00", "10m", "goes; 10m since 01:00"},
		{"by a clock that was ahead", "10m", "13:00", "10m", "soaks until 12:10; 10m since 12:00"},
		{"what cannot be read", "long", "11:00", "10m", "soaks until 12:10; 10m since 12:00"},
		{"no budget soaks any more", "10m", "11:00", "", "goes;  since 00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Soak: c.soak})}}
			m := disruptkit.Memory{Soak: budget.Soaking{For: c.kept}}
			if c.since != "" {
				m.Soak.Since = fixture.Clock(c.since)
			}
			in.Memory = map[string]disruptkit.Memory{"default": m}
			d := disruptkit.Decide(in, candidate.Drifted)
			next := d.Memory["default"].Soak
			got := strings.TrimPrefix(fates(d), "a-1 ") + "; " + next.For + " since " + next.Since.Format("15:04")
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Without a time, and while it is unclear which of two pools it is of, nothing of it is lost.
func TestMemoryOfPlacesIsKept(t *testing.T) {
	want := budget.Soaking{For: "10m", Since: fixture.Clock("11:00"), Places: []budget.Place{{Node: "x", Reason: "Drifted", Since: fixture.Clock("11:55"), Seen: true}}}
	pool := fixture.Pool(t, budget.Budget{Nodes: "1", Soak: "10m"})
	for name, in := range map[string]disruptkit.Input{
		"no time":           {Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{pool}},
		"two of one name":   {Now: fixture.Noon, Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{pool, pool}},
		"Karpenter's rules": {Now: fixture.Noon, Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{pool}, Dialect: dialect.Karpenter},
		"not in the input":  {Now: fixture.Noon},
		"a moment later":    {Now: fixture.Noon.Add(1), Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{pool}},
	} {
		in.Memory = map[string]disruptkit.Memory{"default": {Soak: want}}
		got := disruptkit.Decide(in, candidate.Drifted).Memory["default"].Soak
		if !(disruptkit.Memory{Soak: got}).Equal(disruptkit.Memory{Soak: want}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTheBlockerOfASoak(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2", Soak: "10m"})}, Nodes: fixture.Fleet(0, 2)}
	known := budget.Soaking{For: "10m", Since: fixture.Clock("01:00"), Places: []budget.Place{
		{Node: "x", Since: fixture.Clock("11:58"), Seen: true}, {Node: "y", Since: fixture.Clock("11:57"), Seen: true}}}
	one := known
	one.Places = known.Places[:1]
	joining := append(slices.Clip(in.Nodes), candidate.Node{Name: "z", Pool: "default", Phase: candidate.Launched, Replaces: "y"})
	var got []string
	for _, m := range []budget.Soaking{known, one, {}} {
		in.Memory = map[string]disruptkit.Memory{"default": {Soak: m}}
		in := in
		if len(m.Places) == 2 {
			in.Nodes = joining
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		for _, c := range d.Blocked[len(d.Blocked)-1:] {
			got = append(got, c.Node+": "+c.Blockers[0].Message)
		}
	}
	want := []string{
		"a-2: no free slot (1 soaking, 1 not yet gone or replaced): budgets[0] is 2, soak 10m",
		"a-2: no free slot (1 soaking, 1 allowed now): budgets[0] is 2, soak 10m",
		"a-2: no free slot (unknown slots may soak): budgets[0] is 2, soak 10m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Nodes of two pools replace the same node. Its slot is in use in the pool of the replacement that is not Ready.
func TestASlotIsUsedOnlyWhereAReplacementIsNotReady(t *testing.T) {
	soaks := []budget.Budget{{Nodes: "1", Soak: "1h"}}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, soaks...), fixture.Pool(t, soaks...)}}
	in.Pools[1].Name = "other"
	in.Memory = map[string]disruptkit.Memory{}
	for _, p := range in.Pools {
		in.Memory[p.Name] = disruptkit.Memory{Soak: budget.Soaking{For: "1h", Since: in.Now.Add(-24 * time.Hour)}}
	}
	joins := candidate.Node{Name: "a-3", Pool: "default", Replaces: "gone", Phase: candidate.Registered}
	ready := candidate.Node{Name: "b-3", Pool: "other", Replaces: "gone", Phase: candidate.Running, ReadySince: fixture.Clock("9:00")}
	held, free := fixture.Wanted("a-1", in.Now, "Drifted"), fixture.Wanted("b-1", in.Now, "Drifted")
	free.Pool = "other"
	in.Nodes = []candidate.Node{joins, ready, held, free}
	if got := fixture.Allowed(disruptkit.Decide(in, "Drifted")); !slices.Equal(got, []string{"b-1"}) {
		t.Errorf("%v may be disrupted, want b-1", got)
	}
}

// A replacement that is not Ready also counts for the node that it replaces, and budgets of Unhealthy do not count nodes that are not Ready. So its repair
// does not wait for its own readiness.
func TestNoNodeWaitsForItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Soaked).Draw(t, "input")
		if len(in.Nodes) == 0 {
			return
		}
		n := rapid.SampledFrom(in.Nodes).Draw(t, "replacement")
		n.Name, n.Replaces, n.Phase, n.Leaving, n.Rebooting = "successor", "gone-9", candidate.NotReady, candidate.Staying, false
		n.Conditions = []candidate.Condition{{Reason: candidate.Unhealthy, Since: in.Now.Add(-time.Hour)}}
		in.Nodes = append(slices.Clip(in.Nodes), n)
		blockers := func() (all []string) {
			for _, c := range disruptkit.Decide(in, candidate.Unhealthy).Blocked {
				for _, b := range c.Blockers {
					if c.Node == n.Name && b.Gate == candidate.GateBudget {
						all = append(all, b.Message)
					}
				}
			}
			return all
		}
		with := blockers()
		in.Nodes[len(in.Nodes)-1].Replaces = ""
		if diff := cmp.Diff(blockers(), with); diff != "" {
			t.Fatal("blockers of the same node that replaces nothing, and of one that does (+):", diff)
		}
	})
}
