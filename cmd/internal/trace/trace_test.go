package trace

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/topology"
)

// Generators of inputs: the first five have turns of zones, most often.
var generators = []func(generate.Source) disruptkit.Input{
	generate.Turning, generate.WaitingInZones, generate.GroupedInZones, generate.Input, generate.Dated,
	generate.Waiting, generate.Grouped, generate.GroupedWaiting, generate.Paced, generate.Waved, generate.Ordered, generate.Aged,
	generate.Desired, generate.Inbound, generate.Soaked, generate.Tied,
}

// random calls f with what some generators make, and a reason, each time the same.
func random(t *testing.T, kinds int, f func(in disruptkit.Input, asked candidate.Reason)) {
	t.Helper()
	for kind, generator := range generators[:kinds] {
		each := 100
		if kind < 5 {
			each = 200
		}
		for i := range each {
			source := rand.New(rand.NewPCG(uint64(kind), uint64(i)))
			in := generator(source.IntN)
			if f(in, generate.Asked(source.IntN)); t.Failed() {
				t.Fatalf("generator %d, case %d: %+v", kind, i, in)
			}
		}
	}
}

// What Decide decides is a step of the model.
func TestNoDecisionIsAFault(t *testing.T) {
	random(t, len(generators), func(in disruptkit.Input, asked candidate.Reason) {
		d := disruptkit.Decide(in, asked)
		if faults := new(Trace).Follow(in, d); len(faults) > 0 {
			t.Errorf("%+v\n%+v", faults, d)
		}
	})
}

var law = regexp.MustCompile(`\((TURNS|LIMITS|ORDER|MEMORY)\)$`)

// Nearly whatever turns and limits of zones block is a fault if it goes all the same. The rest is where the model says nothing.
func TestWhatTopologyBlocksIsAFaultIfItIsDisrupted(t *testing.T) {
	found, missed := map[candidate.Code]int{}, map[candidate.Code]int{}
	random(t, 4, func(in disruptkit.Input, asked candidate.Reason) {
		d := disruptkit.Decide(in, asked)
		for _, c := range d.Blocked {
			var codes []candidate.Code
			elsewhere := false
			for _, b := range c.Blockers {
				codes, elsewhere = append(codes, b.Code), elsewhere || b.Gate != candidate.GateTopology
			}
			if elsewhere || len(codes) > 1 {
				continue
			}
			wrong := d
			wrong.Allowed = append(slices.Clip(d.Allowed), c)
			if len(new(Trace).Follow(in, wrong)) > 0 {
				found[codes[0]]++
			} else {
				missed[codes[0]]++
			}
		}
	})
	t.Log("found: ", found, "; missed: ", missed)
	for _, code := range []candidate.Code{candidate.CodeWaitsForDomain, candidate.CodeExhausted, candidate.CodeAllowsNone} {
		if found[code] <= 8*missed[code] {
			t.Errorf("%s: %d are found, and %d are missed", code, found[code], missed[code])
		}
	}
}

// Engines that decide wrongly make the same decision again from what they have recorded. The model finds each of them, by its law.
func TestAnEngineThatDecidesWronglyIsFound(t *testing.T) {
	without := func(in disruptkit.Input, which func(n *candidate.Node) bool) disruptkit.Input {
		in.Nodes = slices.DeleteFunc(slices.Clone(in.Nodes), func(n candidate.Node) bool { return which(&n) })
		return in
	}
	for _, engine := range []struct {
		name   string
		laws   []string
		decide func(in disruptkit.Input, asked candidate.Reason) disruptkit.Decision
	}{
		{"it forgets whose turn it is", []string{"ORDER"}, func(in disruptkit.Input, asked candidate.Reason) disruptkit.Decision {
			in.Memory = nil
			return disruptkit.Decide(in, asked)
		}},
		{"it does not see what is in flight", []string{"TURNS", "LIMITS"}, func(in disruptkit.Input, asked candidate.Reason) disruptkit.Decision {
			return disruptkit.Decide(without(in, (*candidate.Node).InFlight), asked)
		}},
		{"it decides each zone for itself", []string{"TURNS"}, func(in disruptkit.Input, asked candidate.Reason) (d disruptkit.Decision) {
			for _, zone := range []string{"a", "b", "c", ""} {
				one := disruptkit.Decide(without(in, func(n *candidate.Node) bool { return n.Labels["zone"] != zone }), asked)
				d.Allowed, d.Blocked, d.Memory = append(d.Allowed, one.Allowed...), append(d.Blocked, one.Blocked...), one.Memory
			}
			return d
		}},
		{"it remembers no turn", []string{"MEMORY"}, func(in disruptkit.Input, asked candidate.Reason) disruptkit.Decision {
			d := disruptkit.Decide(in, asked)
			d.Memory = nil
			return d
		}},
	} {
		found := map[string]int{}
		random(t, 4, func(in disruptkit.Input, asked candidate.Reason) {
			for _, f := range new(Trace).Follow(in, engine.decide(in, asked)) {
				which := law.FindStringSubmatch(f.Want)
				if which == nil {
					t.Errorf("the law is not named: %+v", f)
					continue
				}
				found[which[1]]++
			}
		})
		t.Logf("%s: %v", engine.name, found)
		for _, law := range engine.laws {
			if found[law] < 3 {
				t.Errorf("%s: faults by law: %v, want more of %s", engine.name, found, law)
			}
		}
	}
}

// rolling returns a pool of two zones whose nodes have drifted; those that are named are in flight for that.
func rolling(t *testing.T, inFlight ...string) disruptkit.Input {
	t.Helper()
	set, err := budget.Compile([]budget.Budget{{Nodes: "2", TopologyKey: "zone", Sequential: true}})
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC), Pools: []disruptkit.Pool{{Name: "web", Budgets: set}}}
	for _, name := range []string{"a1", "a2", "b1", "b2"} {
		n := candidate.Node{
			Name: name, Pool: "web", Labels: map[string]string{"zone": name[:1]}, Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Hour)}},
		}
		if slices.Contains(inFlight, name) {
			n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Drifted
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

// A zone has had the turn, and a decision allows a node of another one.
func TestWhenAZoneMayBeLeft(t *testing.T) {
	now := rolling(t).Now
	waits := candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Source: &candidate.Source{Key: "zone"},
	}
	nominated := candidate.Blocker{Gate: candidate.GateNode, Code: candidate.CodeNominated}
	for _, row := range []struct {
		name   string
		idle   time.Duration
		said   []candidate.Blocker // of a1
		change func(in *disruptkit.Input, a1 *candidate.Node)
		want   string
	}{
		{"its node could be disrupted", time.Hour, []candidate.Blocker{waits}, nil, "ORDER"},
		{"its node could be disrupted, and the zone has no space", time.Hour, []candidate.Blocker{waits}, func(in *disruptkit.Input, _ *candidate.Node) {
			for range 2 {
				in.Nodes = append(in.Nodes, candidate.Node{Name: "a" + string(rune('3'+len(in.Nodes))), Pool: "web", Labels: in.Nodes[0].Labels,
					Phase: candidate.Running, Leaving: candidate.Draining, DisruptedFor: candidate.Empty})
			}
		}, ""},
		{"its node waits for another group as well", time.Hour, []candidate.Blocker{{
			Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Source: &candidate.Source{Key: "zone", Group: "all"},
		}}, nil, ""},
		{"it has patience", 14 * time.Minute, []candidate.Blocker{nominated}, nil, "ORDER"},
		{"it has lost patience", 15 * time.Minute, []candidate.Blocker{nominated}, nil, ""},
		{"it has patience for ever", time.Hour, []candidate.Blocker{nominated}, func(in *disruptkit.Input, _ *candidate.Node) {
			in.Pools[0].Topology.Patience = candidate.Forever
		}, "ORDER"},
		{"its clock was ahead", -time.Hour, []candidate.Blocker{nominated}, nil, "ORDER"},
		{"its node is held for good", time.Minute, []candidate.Blocker{{Gate: candidate.GateNode, Code: candidate.CodeDoNotDisrupt, ForGood: true}}, nil, ""},
		{"it is paused", time.Minute, []candidate.Blocker{{Gate: candidate.GateProbe, Code: candidate.CodePaused}}, nil, ""},
		{"a new node is not Ready", time.Hour, []candidate.Blocker{nominated}, func(_ *disruptkit.Input, a1 *candidate.Node) {
			a1.Conditions, a1.Phase = nil, candidate.NotReady
		}, "ORDER"},
		{"a new node is not Ready, and nobody waits for that", time.Hour, []candidate.Blocker{nominated}, func(in *disruptkit.Input, a1 *candidate.Node) {
			in.Pools[0].Topology.Unsettled = true
			a1.Conditions, a1.Phase = nil, candidate.NotReady
		}, ""},
		{"an old node is not Ready", time.Hour, []candidate.Blocker{nominated}, func(_ *disruptkit.Input, a1 *candidate.Node) { a1.Phase = candidate.NotReady }, ""},
		{"its node is in flight", time.Hour, nil, func(_ *disruptkit.Input, a1 *candidate.Node) {
			a1.Leaving, a1.DisruptedFor = candidate.Draining, candidate.Drifted
		}, "TURNS"},
		{"its node terminates", time.Hour, nil, func(_ *disruptkit.Input, a1 *candidate.Node) {
			a1.Leaving, a1.DisruptedFor = candidate.Terminating, candidate.Drifted
		}, "TURNS"},
		{"its node is in flight for another reason", time.Hour, nil, func(_ *disruptkit.Input, a1 *candidate.Node) {
			a1.Leaving, a1.DisruptedFor = candidate.Draining, candidate.Empty
		}, ""},
		{"a group orders its zones as well", time.Hour, []candidate.Blocker{waits}, func(in *disruptkit.Input, _ *candidate.Node) {
			in.Groups = []disruptkit.Group{{Name: "all", Pools: []string{"web"}}}
		}, ""},
	} {
		in := rolling(t)
		in.Memory = map[string]disruptkit.Memory{"web": {Roll: topology.Roll{Key: "zone", Domain: "a", IdleSince: now.Add(-row.idle)}}}
		if row.change != nil {
			row.change(&in, &in.Nodes[0])
		}
		d := disruptkit.Decision{
			Allowed: []candidate.Candidate{{Node: "b1", Pool: "web", Reason: candidate.Drifted}},
			Blocked: []candidate.Candidate{{Node: "a1", Pool: "web", Reason: candidate.Drifted, Blockers: row.said}},
			Memory:  map[string]disruptkit.Memory{"web": {Roll: topology.Roll{Key: "zone", Domain: "b"}}},
		}
		laws := []string{""}
		if faults := new(Trace).Follow(in, d); len(faults) > 0 {
			laws = law.FindStringSubmatch(faults[0].Want)
		}
		if got := laws[len(laws)-1]; got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// Each node that goes uses a slot of its zone, and one of all, as those do that are in flight.
func TestNoMoreGoThanThereArePlaces(t *testing.T) {
	for _, row := range []struct {
		rule  budget.Budget
		names []string // that may be disrupted; the first that is too many is the last one
	}{
		{budget.Budget{Nodes: "2"}, []string{"a2", "b1"}},
		{budget.Budget{Nodes: "50%"}, []string{"a2", "b1"}},
		{budget.Budget{Nodes: "1", TopologyKey: "zone"}, []string{"b1", "b2"}},
		{budget.Budget{Nodes: "100%", TopologyKey: "zone"}, []string{"b1", "b2", "a2", "a1"}},
	} {
		set, err := budget.Compile([]budget.Budget{row.rule})
		if err != nil {
			t.Fatal(err)
		}
		in := rolling(t, "a1")
		in.Pools[0].Budgets = set
		var d disruptkit.Decision
		for i, name := range row.names {
			d.Allowed = append(d.Allowed, candidate.Candidate{Node: name, Pool: "web", Reason: candidate.Drifted})
			faults := new(Trace).Follow(in, d)
			if wrong := i == len(row.names)-1; wrong != (len(faults) == 1 && law.FindStringSubmatch(faults[0].Want)[1] == "LIMITS") || !wrong && len(faults) > 0 {
				t.Errorf("%+v, %v: %v", row.rule, row.names[:i+1], faults)
			}
		}
	}
}

func TestATurnIsRememberedWhileItLasts(t *testing.T) {
	at := func(zone string) map[string]disruptkit.Memory {
		return map[string]disruptkit.Memory{"web": {Roll: topology.Roll{Key: "zone", Domain: zone}}}
	}
	nominated := []candidate.Blocker{{Gate: candidate.GateNode, Code: candidate.CodeNominated}}
	toGo := []candidate.Candidate{{Node: "a1", Pool: "web", Reason: candidate.Drifted, Blockers: nominated}}
	for _, row := range []struct {
		name     string
		was, is  map[string]disruptkit.Memory
		inFlight []string
		ordered  bool
		wrong    bool
	}{
		{"it is as it was", at("a"), at("a"), nil, true, false},
		{"it is forgotten", at("a"), nil, nil, true, true},
		{"it moves to where nothing starts", nil, at("b"), nil, true, true},
		{"it moves to where a node is in flight", nil, at("b"), []string{"b1"}, true, false},
		{"it moves, and zones take no turns", at("a"), at("b"), nil, false, true},
		{"it ends, and zones take no turns", at("a"), nil, nil, false, false},
	} {
		in := rolling(t, row.inFlight...)
		in.Memory = row.was
		if !row.ordered {
			in.Pools[0].Budgets = budget.Set{}
		}
		faults := new(Trace).Follow(in, disruptkit.Decision{Blocked: toGo, Memory: row.is})
		if row.wrong != (len(faults) == 1) || row.wrong && law.FindStringSubmatch(faults[0].Want)[1] != "MEMORY" {
			t.Errorf("%s: %v", row.name, faults)
		}
	}
}

// Repair of a node that was never initialized is counted by no budget, and so uses no slot.
func TestWhatNoBudgetCountsUsesNoSlot(t *testing.T) {
	for _, rule := range []budget.Budget{{Nodes: "0"}, {Nodes: "0", TopologyKey: "zone"}} {
		set, err := budget.Compile([]budget.Budget{rule})
		if err != nil {
			t.Fatal(err)
		}
		in := rolling(t)
		in.Pools[0].Budgets = set
		in.Nodes[0].Phase, in.Nodes[0].Conditions = candidate.Registered, []candidate.Condition{{Reason: candidate.Unhealthy, Since: in.Now.Add(-time.Hour)}}
		d := disruptkit.Decide(in, candidate.Unhealthy)
		if faults := new(Trace).Follow(in, d); len(d.Allowed) != 1 || len(faults) > 0 {
			t.Errorf("%+v: %v, %+v", rule, faults, d)
		}
	}
}

// What is allowed by turns is never in flight in two zones: then something has started that the last decision did not allow. What others put in
// flight may be anywhere.
func TestStepsAreFollowed(t *testing.T) {
	letGo := func(nodes ...string) disruptkit.Decision {
		d := disruptkit.Decision{Memory: map[string]disruptkit.Memory{}}
		for _, name := range nodes {
			d.Allowed = append(d.Allowed, candidate.Candidate{Node: name, Pool: "web", Reason: candidate.Drifted})
			d.Memory["web"] = disruptkit.Memory{Roll: topology.Roll{Key: "zone", Domain: name[:1]}}
		}
		return d
	}
	type step struct {
		inFlight []string
		letGo    []string
	}
	for _, row := range []struct {
		name  string
		steps []step
		wrong bool
	}{
		{"one zone after the other", []step{{nil, []string{"a1", "a2"}}, {[]string{"a1", "a2"}, nil}, {nil, []string{"b1"}}, {[]string{"b1"}, nil}}, false},
		{"what an older decision has allowed starts late", []step{{nil, []string{"a1", "a2"}}, {nil, []string{"b1"}}, {[]string{"a1", "b1"}, nil}}, true},
		{"it is reported once", []step{{nil, []string{"a1"}}, {nil, []string{"b1"}}, {[]string{"a1", "b1"}, nil}, {[]string{"a1", "b1"}, nil}}, true},
		{"others start elsewhere", []step{{nil, []string{"a1"}}, {[]string{"a1", "b1"}, nil}}, false},
		{"what has come back is allowed anew", []step{{nil, []string{"a1"}}, {[]string{"a1"}, nil}, {nil, []string{"b1"}}, {[]string{"b1", "a1"}, nil}}, false},
	} {
		var trace Trace
		found := 0
		for _, s := range row.steps {
			in := rolling(t, s.inFlight...)
			for _, f := range trace.Follow(in, letGo(s.letGo...)) {
				if f.Where == "input.nodes" {
					found++
				}
			}
		}
		if found > 1 || row.wrong != (found == 1) {
			t.Errorf("%s: %d faults", row.name, found)
		}
	}
}

// A decision on 5,000 nodes in 20 pools is followed in a time that does not matter beside that of reading it.
func BenchmarkFollow(b *testing.B) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "10%"}, {Nodes: "5", TopologyKey: "zone", Sequential: true}})
	if err != nil {
		b.Fatal(err)
	}
	in := disruptkit.Input{Now: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)}
	for i := range 5000 {
		pool := string(rune('a' + i%20))
		if i < 20 {
			in.Pools = append(in.Pools, disruptkit.Pool{Name: pool, Budgets: set})
		}
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: string(rune('a'+i%20)) + time.Duration(i).String(), Pool: pool, Labels: map[string]string{"zone": string(rune('a' + i/20%3))}, Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Duration(i) * time.Minute)}},
		})
	}
	d := disruptkit.Decide(in, candidate.Drifted)
	var trace Trace
	for b.Loop() {
		if faults := trace.Follow(in, d); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
