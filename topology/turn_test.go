package topology_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// at is a time of today.
func at(clock string) time.Time {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		panic(err)
	}
	return time.Date(today.Year(), today.Month(), today.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}

// domainsOf counts nodes, each with its blockers.
func domainsOf(nodes iter.Seq2[*candidate.Node, []candidate.Blocker], b budget.Limit, o topology.Options, now time.Time) []topology.Domain {
	c := topology.NewCensus(b, o, now)
	for n, blockers := range nodes {
		if domain, waits := c.Count(n); waits {
			c.Wait(domain, n, blockers)
		}
	}
	domains, _ := c.Domains()
	return domains
}

func sequential(t testing.TB, nodes string, reasons ...candidate.Reason) budget.Limit {
	return scope(t, budget.Budget{Nodes: nodes, TopologyKey: "topology.kubernetes.io/zone", Sequential: true, Reasons: reasons})
}

func scope(t testing.TB, b budget.Budget) budget.Limit {
	t.Helper()
	set, err := budget.Compile([]budget.Budget{b})
	if err != nil {
		t.Fatal(err)
	}
	return set.Scopes("")[0]
}

func TestARollIsStoredAsJSON(t *testing.T) {
	for _, c := range []struct {
		roll topology.Roll
		want string
	}{
		{topology.Roll{Key: "zone", Domain: "a"}, `{"key":"zone","domain":"a"}`},
		{topology.Roll{Key: "zone", IdleSince: at("11:00")}, `{"key":"zone","domain":"","idleSince":"2026-11-23T11:00:00Z"}`},
	} {
		got, err := json.Marshal(c.roll)
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v", got, err)
		}
		var back topology.Roll
		if err := json.Unmarshal(got, &back); err != nil || back != c.roll {
			t.Errorf("%+v, %v", back, err)
		}
	}
}

func TestABudgetThatIsNotSequentialLeavesTheRollAlone(t *testing.T) {
	last := topology.Roll{Key: "rack", Domain: "7", IdleSince: at("03:00")}
	s := topology.SelectActiveZone(scope(t, budget.Budget{Nodes: "1", TopologyKey: "rack"}), []topology.Domain{
		{Name: "6", Allowed: 1, Remaining: 1, Rolling: 1}, {Name: "7", Allowed: 1, Remaining: 1},
	}, last, topology.Options{}, today)
	if s.Started != last || s.Kept != last || !s.Allows("6", 0) || !s.Allows("7", 0) || s.Allows("7", 1) {
		t.Errorf("%+v", s)
	}
}

func TestWhatHoldsBackANode(t *testing.T) {
	a := topology.Domain{Name: "a", Nodes: 4, Allowed: 1, Remaining: 1, ToGo: 2, Free: 2, OldestFree: "a1"}
	b := topology.Domain{Name: "b", Nodes: 4, Allowed: 2, Remaining: 1, InFlight: 1, ToGo: 2, Free: 2, OldestFree: "b1"}
	inB := topology.Roll{Key: "topology.kubernetes.io/zone", Domain: "b"}
	change := func(d topology.Domain, f func(*topology.Domain)) topology.Domain { f(&d); return d }
	stuck := func(d *topology.Domain) { d.Free, d.HeldUp = 0, "b1: PDB web/api allows no disruption" }
	for _, c := range []struct {
		name    string
		domains []topology.Domain
		o       topology.Options
		last    topology.Roll
		domain  string
		taken   int
		want    string
	}{
		{"nothing", []topology.Domain{a, b}, topology.Options{}, inB, "b", 0, ""},
		{"its zone's limit", []topology.Domain{a, b}, topology.Options{}, inB, "b", 1,
			"topology/exhausted: 2 of 4 nodes of b may be disrupted at once, 1 in flight for other reasons, 1 allowed now: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time"},
		{"a limit of 0", []topology.Domain{change(b, func(d *topology.Domain) { d.Allowed, d.Remaining = 0, 0 })}, topology.Options{}, inB, "b", 0,
			"topology/allows-none: 0 of 4 nodes of b may be disrupted at once, 1 in flight for other reasons: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time"},
		{"another zone's turn", []topology.Domain{a, b}, topology.Options{}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (0 in flight, 2 to go)"},
		{"another zone's turn, which is in flight", []topology.Domain{a, change(b, func(d *topology.Domain) { d.Rolling = 2 })}, topology.Options{}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (2 in flight, 2 to go)"},
		{"nodes in flight elsewhere, though it is its turn", []topology.Domain{change(a, func(d *topology.Domain) { d.Rolling = 1 }), b}, topology.Options{}, inB, "b", 0,
			"topology/waits-for-domain: b waits for the 1 in flight in a"},
		{"a zone that is held up", []topology.Domain{a, change(b, stuck)}, topology.Options{}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (0 in flight, 2 to go), held up by b1: PDB web/api allows no disruption (until 2026-11-23T12:15:00Z)"},
		{"a zone that is held up for as long as it takes", []topology.Domain{a, change(b, stuck)}, topology.Options{Patience: candidate.Forever}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (0 in flight, 2 to go), held up by b1: PDB web/api allows no disruption"},
		{"a zone that is held up by its limit", []topology.Domain{a, change(b, func(d *topology.Domain) { d.Allowed, d.Remaining = 1, 0 })}, topology.Options{}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (0 in flight, 2 to go), held up: 1 of 4 nodes of b may be disrupted at once, 1 in flight for other reasons (until 2026-11-23T12:15:00Z)"},
		{"a zone that is held up and has a new node that is not Ready", []topology.Domain{a, change(change(b, stuck), func(d *topology.Domain) { d.Unready, d.NotReady = 1, "b9" })}, topology.Options{}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (0 in flight, 2 to go), held up by b1: PDB web/api allows no disruption; b9 is not Ready"},
		{"a finished zone that has not settled", []topology.Domain{a, {Name: "b", Nodes: 4, Unready: 1, NotReady: "b9"}}, topology.Options{}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b to settle; b9 is not Ready"},
		{"a zone that is held up, and nobody waits for the new node that is not Ready", []topology.Domain{a, change(change(b, stuck), func(d *topology.Domain) { d.Unready, d.NotReady = 1, "b9" })}, topology.Options{Unsettled: true}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b (0 in flight, 2 to go), held up by b1: PDB web/api allows no disruption (until 2026-11-23T12:15:00Z)"},
		{"a finished zone that soaks", []topology.Domain{a, {Name: "b", Nodes: 4}}, topology.Options{Soak: time.Minute}, inB, "a", 0,
			"topology/waits-for-domain: a waits for b to settle (until 2026-11-23T12:01:00Z)"},
		{"nodes in flight elsewhere, and no patience ends that", []topology.Domain{change(a, func(d *topology.Domain) { d.Rolling = 1 }), change(b, func(d *topology.Domain) { d.Remaining = 0 })}, topology.Options{}, inB, "b", 0,
			"topology/waits-for-domain: b waits for the 1 in flight in a"},
		{"nodes without the label", []topology.Domain{change(a, func(d *topology.Domain) { d.Name, d.Rolling = "", 1 }), b}, topology.Options{}, topology.Roll{}, "b", 0,
			"topology/waits-for-domain: b waits for (no label) (1 in flight, 2 to go)"},
		{"the label that it lacks", []topology.Domain{change(a, func(d *topology.Domain) { d.Name = "" }), b}, topology.Options{Unlabelled: topology.Block}, topology.Roll{}, "", 0,
			"topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time"},
		{"a zone whose name cannot be read", []topology.Domain{a, b}, topology.Options{}, inB, "c\x1b[31m\n", 0,
			`topology/unknown-domain: nothing is known about "c\x1b[31m\n"`},
		{"a zone that nobody counted", []topology.Domain{a, b}, topology.Options{}, inB, "c", 0,
			"topology/unknown-domain: nothing is known about c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := topology.SelectActiveZone(sequential(t, "2"), c.domains, c.last, c.o, today)
			b, blocked := s.Blocker(c.domain, c.taken)
			got := ""
			if blocked {
				got = b.String()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if s.Allows(c.domain, c.taken) == blocked {
				t.Error("Allows and Blocker disagree")
			}
			if b.ForGood != (b.Code == candidate.CodeNoLabel) {
				t.Errorf("for good: %t", b.ForGood)
			}
		})
	}
	if (topology.Selection{}).Allows("a", 0) {
		t.Error("the zero Selection lets a node go")
	}
}

func TestADomainIsReadySinceTheLastOfItsNodes(t *testing.T) {
	for _, order := range [][]string{{"10:00", "11:00", ""}, {"11:00", "", "10:00"}, {"", "11:00", "10:00"}} {
		nodes := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
			for i, clock := range order {
				n := candidate.Node{Name: fmt.Sprint(i), Pool: "default", Phase: candidate.Running}
				if clock != "" {
					n.ReadySince = at(clock)
				}
				if !yield(&n, nil) {
					return
				}
			}
		}
		if d := domainsOf(nodes, sequential(t, "1"), topology.Options{}, at("12:00"))[0]; !d.ReadySince.Equal(at("11:00")) {
			t.Errorf("%q: %v", order, d.ReadySince)
		}
	}
}

func TestDeadlinesInTwoTimeZonesAreOneTime(t *testing.T) {
	for _, zones := range [][]*time.Location{{time.UTC, time.FixedZone("", 3600)}, {time.FixedZone("", 3600), time.UTC}} {
		nodes := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
			for i, since := range []string{"09:00", "08:00"} {
				n := candidate.Node{Name: fmt.Sprint(i), Pool: "default", Phase: candidate.Running,
					Conditions: []candidate.Condition{{Reason: "Drifted", Since: at(since), Deadline: at("11:00").In(zones[i])}}}
				if !yield(&n, nil) {
					return
				}
			}
		}
		if d := domainsOf(nodes, sequential(t, "1"), topology.Options{LabelOptional: true}, at("12:00"))[0]; d.OldestFree != "1" {
			t.Errorf("%v: %s is the oldest", zones, d.OldestFree)
		}
	}
}

func TestEachOfManyDomainsIsCountedOnce(t *testing.T) {
	nodes := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
		for i := range 20 {
			n := candidate.Node{Name: fmt.Sprint(i), Pool: "default", Phase: candidate.Running,
				Labels: map[string]string{"topology.kubernetes.io/zone": string(rune('k' - i%10))}}
			if !yield(&n, nil) {
				return
			}
		}
	}
	var got string
	for _, d := range domainsOf(nodes, sequential(t, "1"), topology.Options{}, at("12:00")) {
		got += fmt.Sprintf("%s%d ", d.Name, d.Nodes)
	}
	if want := "b2 c2 d2 e2 f2 g2 h2 i2 j2 k2 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Whatever the order of nodes and of their conditions, a node is as old as the oldest of its drift, and the first by name is told.
func TestTheOrderOfNodesAndConditionsNeverMatters(t *testing.T) {
	drift := []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: at("09:00")}, {Reason: "Drifted/SubnetDrift", Since: at("08:00")}, {Reason: "Empty", Since: at("07:00")}}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		nodes := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
			old := candidate.Node{Name: "old", Pool: "default", Phase: candidate.Running}
			for _, i := range order {
				old.Conditions = append(old.Conditions, drift[i])
			}
			for _, i := range order {
				if !yield(&candidate.Node{Name: fmt.Sprint("unready-", i), Pool: "default", Phase: candidate.NotReady}, nil) {
					return
				}
			}
			yield(&old, nil)
		}
		d := domainsOf(nodes, sequential(t, "1"), topology.Options{LabelOptional: true}, at("12:00"))[0]
		if !d.FreeSince.Equal(at("08:00")) || d.NotReady != "unready-0" || d.Unready != 3 {
			t.Errorf("%v: free since %v; %s of %d is not Ready", order, d.FreeSince, d.NotReady, d.Unready)
		}
	}
}
