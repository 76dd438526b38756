package topology_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
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

// describe returns whose turn it is, when that ends at the latest, and the roll with and without a start.
func describe(s topology.Selection) string {
	text := "nobody's turn"
	if s.Chosen {
		text = "turn of " + s.Active
	}
	if !s.GivesWay.IsZero() {
		text += " until " + s.GivesWay.Format("15:04")
	}
	roll := func(r topology.Roll) string {
		if r == (topology.Roll{}) {
			return "none"
		}
		if r.IdleSince.IsZero() {
			return r.Domain
		}
		return r.Domain + " idle since " + r.IdleSince.Format("15:04")
	}
	text += "; roll " + roll(s.Kept) + ", or " + roll(s.Started)
	if !s.NextChange.IsZero() {
		text += "; look again at " + s.NextChange.Format("15:04")
	}
	return text
}

func TestWhoseTurnItIs(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	inA := topology.Roll{Key: zone, Domain: "a"}
	idleSince := func(clock string) topology.Roll { r := inA; r.IdleSince = at(clock); return r }
	toGo := func(name string, free, waiting int) topology.Domain {
		return topology.Domain{Name: name, Nodes: 4, Allowed: 1, Remaining: 1, ToGo: free + waiting, Free: free, OldestFree: name + "1", FreeSince: at("09:00")}
	}
	with := func(d topology.Domain, change func(*topology.Domain)) topology.Domain { change(&d); return d }
	done := topology.Domain{Name: "a", Nodes: 4, Allowed: 1, Remaining: 1}
	for _, c := range []struct {
		name    string
		domains []topology.Domain
		last    topology.Roll
		o       topology.Options
		want    string // at 12:00
	}{
		{"an empty fleet has no turn", nil, topology.Roll{}, topology.Options{},
			"nobody's turn; roll none, or none"},
		{"an empty fleet ends the roll", nil, inA, topology.Options{},
			"nobody's turn; roll none, or none"},
		{"without a roll the oldest free node's zone begins", []topology.Domain{toGo("a", 1, 0), with(toGo("b", 1, 0), func(d *topology.Domain) { d.FreeSince = at("08:00") })}, topology.Roll{}, topology.Options{},
			"turn of b; roll none, or b"},
		{"of the same age by name", []topology.Domain{with(toGo("a", 1, 0), func(d *topology.Domain) { d.OldestFree = "z" }), toGo("b", 1, 0)}, topology.Roll{}, topology.Options{},
			"turn of b; roll none, or b"},
		{"a zone whose limit is used up does not begin", []topology.Domain{with(toGo("a", 1, 0), func(d *topology.Domain) { d.Remaining = 0 }), with(toGo("b", 1, 0), func(d *topology.Domain) { d.FreeSince = at("10:00") })}, topology.Roll{}, topology.Options{},
			"turn of b; roll none, or b"},
		{"a limit that is used up gives nobody a turn", []topology.Domain{with(toGo("a", 4, 0), func(d *topology.Domain) { d.Remaining = 0 })}, topology.Roll{}, topology.Options{},
			"nobody's turn; roll none, or none"},
		{"the last zone goes on, though another has the oldest node", []topology.Domain{toGo("a", 1, 0), with(toGo("b", 1, 0), func(d *topology.Domain) { d.FreeSince = at("08:00") })}, inA, topology.Options{},
			"turn of a; roll a, or a"},
		{"a zone that rolls is continued first", []topology.Domain{toGo("a", 1, 0), with(toGo("b", 1, 0), func(d *topology.Domain) { d.Rolling, d.InFlight, d.FreeSince = 1, 1, at("10:00") })}, topology.Roll{}, topology.Options{},
			"turn of b; roll b, or b"},
		{"of two that roll, the first by name", []topology.Domain{with(toGo("a", 1, 0), func(d *topology.Domain) { d.Rolling = 1 }), with(toGo("b", 1, 0), func(d *topology.Domain) { d.Rolling = 1 })}, topology.Roll{}, topology.Options{},
			"turn of a; roll a, or a"},
		{"a roll of another key is none", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, topology.Roll{Key: "rack", Domain: "a"}, topology.Options{},
			"turn of b; roll none, or b"},
		{"a roll in a zone without nodes is none", []topology.Domain{toGo("b", 1, 0)}, inA, topology.Options{},
			"turn of b; roll none, or b"},
		{"a roll without a key is none", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, topology.Roll{Domain: "a"}, topology.Options{},
			"turn of b; roll none, or b"},
		{"an idle zone is waited for, from now on", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, inA, topology.Options{},
			"turn of a until 12:15; roll a idle since 12:00, or a; look again at 12:15"},
		{"until its patience ends", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, idleSince("11:46"), topology.Options{},
			"turn of a until 12:01; roll a idle since 11:46, or a; look again at 12:01"},
		{"and then gives way, but stays the roll's zone until another starts", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, idleSince("11:45"), topology.Options{},
			"turn of b; roll a idle since 11:45, or b"},
		{"a zone that gave way and nobody wants has no turn", []topology.Domain{toGo("a", 0, 1)}, idleSince("11:45"), topology.Options{},
			"nobody's turn; roll a idle since 11:45, or a idle since 11:45"},
		{"what is free again in time goes on", []topology.Domain{toGo("a", 1, 1), toGo("b", 1, 0)}, idleSince("11:00"), topology.Options{},
			"turn of a; roll a, or a"},
		{"patience can be longer", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, idleSince("11:00"), topology.Options{Patience: 2 * time.Hour},
			"turn of a until 13:00; roll a idle since 11:00, or a; look again at 13:00"},
		{"patience can be none", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, inA, topology.Options{Patience: topology.NoPatience},
			"turn of b; roll a idle since 12:00, or b"},
		{"patience can be without end", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, idleSince("00:00"), topology.Options{Patience: candidate.Forever},
			"turn of a; roll a idle since 00:00, or a"},
		{"a time in the future is now", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, idleSince("18:00"), topology.Options{},
			"turn of a until 12:15; roll a idle since 12:00, or a; look again at 12:15"},
		{"a zone whose limit consolidation uses up is idle", []topology.Domain{with(toGo("a", 2, 0), func(d *topology.Domain) { d.InFlight, d.Remaining = 1, 0 }), toGo("b", 1, 0)}, idleSince("11:50"), topology.Options{},
			"turn of a until 12:05; roll a idle since 11:50, or a; look again at 12:05"},
		{"patience does not end while a new node is not Ready", []topology.Domain{with(toGo("a", 0, 1), func(d *topology.Domain) { d.Unready = 1 }), toGo("b", 1, 0)}, idleSince("08:00"), topology.Options{},
			"turn of a; roll a idle since 08:00, or a"},
		{"a finished zone is left at once", []topology.Domain{done, toGo("b", 1, 0)}, inA, topology.Options{},
			"turn of b; roll none, or b"},
		{"but not before its new nodes are Ready", []topology.Domain{with(done, func(d *topology.Domain) { d.Unready = 1 }), toGo("b", 1, 0)}, inA, topology.Options{},
			"turn of a; roll a idle since 12:00, or a"},
		{"unless nobody waits for that", []topology.Domain{with(done, func(d *topology.Domain) { d.Unready = 1 }), toGo("b", 1, 0)}, inA, topology.Options{Unsettled: true, Soak: time.Hour},
			"turn of b; roll none, or b"},
		{"a finished zone soaks", []topology.Domain{done, toGo("b", 1, 0)}, idleSince("11:55"), topology.Options{Soak: 10 * time.Minute},
			"turn of a until 12:05; roll a idle since 11:55, or a; look again at 12:05"},
		{"from when its last new node became Ready", []topology.Domain{with(done, func(d *topology.Domain) { d.ReadySince = at("11:58") }), toGo("b", 1, 0)}, idleSince("11:30"), topology.Options{Soak: 10 * time.Minute},
			"turn of a until 12:08; roll a idle since 11:30, or a; look again at 12:08"},
		{"also where a clock is ahead of ours", []topology.Domain{with(done, func(d *topology.Domain) { d.ReadySince = at("12:01") }), toGo("b", 1, 0)}, idleSince("11:30"), topology.Options{Soak: 10 * time.Minute},
			"turn of a until 12:11; roll a idle since 11:30, or a; look again at 12:11"},
		{"but not without a soak", []topology.Domain{with(done, func(d *topology.Domain) { d.ReadySince = at("12:01") }), toGo("b", 1, 0)}, idleSince("11:30"), topology.Options{},
			"turn of b; roll none, or b"},
		{"a zone with blocked nodes does not soak", []topology.Domain{toGo("a", 0, 1), toGo("b", 1, 0)}, idleSince("11:45"), topology.Options{Soak: time.Hour},
			"turn of b; roll a idle since 11:45, or b"},
		{"a blocker that lifts may change the turn", []topology.Domain{with(toGo("a", 0, 1), func(d *topology.Domain) { d.NextFree = at("12:10") }), with(toGo("b", 0, 1), func(d *topology.Domain) { d.NextFree = at("12:05") })}, topology.Roll{}, topology.Options{},
			"nobody's turn; roll none, or none; look again at 12:05"},
		{"a zone in which time alone lifts a blocker does not give way before", []topology.Domain{with(toGo("a", 0, 1), func(d *topology.Domain) { d.NextFree = at("12:15") }), toGo("b", 1, 0)}, inA, topology.Options{},
			"turn of a; roll a idle since 12:00, or a; look again at 12:15"},
		{"but one whose limit is used up does", []topology.Domain{with(toGo("a", 0, 1), func(d *topology.Domain) { d.NextFree, d.Remaining = at("12:05"), 0 }), toGo("b", 1, 0)}, inA, topology.Options{},
			"turn of a until 12:15; roll a idle since 12:00, or a; look again at 12:05"},
		{"also before the chosen zone has begun", []topology.Domain{toGo("a", 1, 0), with(toGo("b", 0, 1), func(d *topology.Domain) { d.NextFree = at("12:05") })}, topology.Roll{}, topology.Options{},
			"turn of a; roll none, or a; look again at 12:05"},
		{"or while the last one gives way", []topology.Domain{toGo("a", 1, 0), with(toGo("b", 0, 1), func(d *topology.Domain) { d.NextFree = at("12:05") }), toGo("c", 0, 1)}, topology.Roll{Key: zone, Domain: "c", IdleSince: at("11:45")}, topology.Options{},
			"turn of a; roll c idle since 11:45, or a; look again at 12:05"},
		{"but not while the last zone goes on", []topology.Domain{toGo("a", 1, 0), with(toGo("b", 0, 1), func(d *topology.Domain) { d.NextFree = at("12:05") })}, inA, topology.Options{},
			"turn of a; roll a, or a"},
		{"nor while any zone is rolling", []topology.Domain{with(toGo("a", 0, 1), func(d *topology.Domain) { d.Rolling, d.NextFree = 1, at("12:05") })}, topology.Roll{}, topology.Options{},
			"turn of a; roll a, or a"},
		{"nodes without the label take their turn", []topology.Domain{toGo("", 1, 0), with(toGo("b", 1, 0), func(d *topology.Domain) { d.FreeSince = at("10:00") })}, topology.Roll{}, topology.Options{},
			"turn of ; roll none, or "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := topology.SelectActiveZone(sequential(t, "1"), c.domains, c.last, c.o, today)
			if diff := cmp.Diff(c.want, describe(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
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

func TestWhatBlocksANode(t *testing.T) {
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
			"topology/exhausted: 2 of 4 nodes of b may be disrupted at once, 1 in flight for other reasons, 1 already allowed: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time"},
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
		t.Error("the zero Selection allows a node")
	}
}

func TestDomainsCountsNodes(t *testing.T) {
	drifted := []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: at("09:00")}, {Reason: "Empty", Since: at("08:00")}}
	node := func(name string, change func(*candidate.Node)) candidate.Node {
		n := candidate.Node{Name: name, Pool: "default", Phase: candidate.Running, Labels: map[string]string{"topology.kubernetes.io/zone": name[:1]}}
		if change != nil {
			change(&n)
		}
		return n
	}
	deletedFor := func(r candidate.Reason) func(*candidate.Node) {
		return func(n *candidate.Node) { n.Leaving, n.DisruptedFor, n.Conditions = candidate.Draining, r, drifted }
	}
	nodes := []candidate.Node{
		node("a1", func(n *candidate.Node) { n.Conditions = drifted }),
		node("a2", func(n *candidate.Node) { n.Conditions, n.NominatedUntil = drifted, at("12:30") }),
		node("a3", func(n *candidate.Node) { n.Conditions, n.DoNotDisrupt = drifted, true }),
		node("a4", func(n *candidate.Node) { n.Conditions, n.Phase = drifted, candidate.NotReady }),
		node("a5", func(n *candidate.Node) { n.Phase = candidate.NotReady }),
		node("a6", func(n *candidate.Node) { n.ReadySince = at("11:00") }),
		node("a7", func(n *candidate.Node) { n.Phase = candidate.Launched }),
		node("b1", deletedFor("Drifted")),
		node("b2", deletedFor("Drifted/SubnetDrift")),
		node("b3", deletedFor("Underutilized")),
		node("b4", deletedFor("")),
		node("b5", deletedFor("Drift")), // not in the spelling of the API: who knows
		node("b6", func(n *candidate.Node) {
			n.Leaving, n.DisruptedFor, n.Conditions = candidate.Terminating, "Drifted", drifted
		}),
		node("d1", func(n *candidate.Node) { n.Rebooting, n.Conditions = true, drifted }),
		node("d2", func(n *candidate.Node) { n.Rebooting, n.Phase = true, candidate.Launched }),
		node("d3", func(n *candidate.Node) { n.Rebooting = true }), // still Ready, while it drains
		node("d4", func(n *candidate.Node) { n.Rebooting, n.Leaving, n.DisruptedFor = true, candidate.Draining, "Drifted" }),
		node("c1", func(n *candidate.Node) { n.Labels, n.Conditions = nil, drifted }),
	}
	for _, c := range []struct {
		name  string
		scope budget.Limit
		o     topology.Options
		want  string
	}{
		{"a sequential budget looks at drift", sequential(t, "50%"), topology.Options{}, `
"": 1 nodes, 0 in flight, 1 of 1 left; 0 rolling, 1 to go, 1 free (c1), 0 not Ready
"a": 6 nodes, 0 in flight, 3 of 3 left; 0 rolling, 3 to go, 2 free (a1), 2 not Ready (a5), Ready since 11:00, next free 12:30
"b": 5 nodes, 5 in flight, 0 of 3 left; 5 rolling, 0 to go, 0 free, 0 not Ready
"d": 4 nodes, 4 in flight, 0 of 2 left; 1 rolling, 1 to go, 0 free, 2 not Ready (d2)
`},
		{"a budget for a child looks at it, and at what may be it", sequential(t, "1", "Drifted/SubnetDrift"), topology.Options{}, `
"": 1 nodes, 0 in flight, 1 of 1 left; 0 rolling, 0 to go, 0 free, 0 not Ready
"a": 6 nodes, 0 in flight, 1 of 1 left; 0 rolling, 0 to go, 0 free, 3 not Ready (a4), Ready since 11:00
"b": 5 nodes, 5 in flight, 0 of 1 left; 5 rolling, 0 to go, 0 free, 0 not Ready
"d": 4 nodes, 4 in flight, 0 of 1 left; 1 rolling, 0 to go, 0 free, 3 not Ready (d1)
`},
		{"more reasons can take turns", sequential(t, "1"), topology.Options{Reasons: []candidate.Reason{"Empty", "Underutilized"}}, `
"": 1 nodes, 0 in flight, 1 of 1 left; 0 rolling, 1 to go, 1 free (c1), 0 not Ready
"a": 6 nodes, 0 in flight, 1 of 1 left; 0 rolling, 3 to go, 2 free (a1), 2 not Ready (a5), Ready since 11:00, next free 12:30
"b": 5 nodes, 5 in flight, 0 of 1 left; 3 rolling, 0 to go, 0 free, 0 not Ready
"d": 4 nodes, 4 in flight, 0 of 1 left; 0 rolling, 1 to go, 0 free, 2 not Ready (d2)
`},
		{"nodes without the label can be exempt", sequential(t, "1"), topology.Options{Unlabelled: topology.Exempt}, `
"a": 6 nodes, 0 in flight, 1 of 1 left; 0 rolling, 3 to go, 2 free (a1), 2 not Ready (a5), Ready since 11:00, next free 12:30
"b": 5 nodes, 5 in flight, 0 of 1 left; 5 rolling, 0 to go, 0 free, 0 not Ready
"d": 4 nodes, 4 in flight, 0 of 1 left; 1 rolling, 1 to go, 0 free, 2 not Ready (d2)
`},
		{"one that reboots rolls where repair takes turns", sequential(t, "1"), topology.Options{Reasons: []candidate.Reason{"Unhealthy"}}, `
"": 1 nodes, 0 in flight, 1 of 1 left; 0 rolling, 0 to go, 0 free, 0 not Ready
"a": 6 nodes, 0 in flight, 1 of 1 left; 0 rolling, 0 to go, 0 free, 3 not Ready (a4), Ready since 11:00
"b": 5 nodes, 5 in flight, 0 of 1 left; 2 rolling, 0 to go, 0 free, 0 not Ready
"d": 4 nodes, 4 in flight, 0 of 1 left; 3 rolling, 0 to go, 0 free, 0 not Ready
`},
		{"or stay, and then nobody waits for them", sequential(t, "1"), topology.Options{Unlabelled: topology.Block}, `
"": 1 nodes, 0 in flight, 1 of 1 left; 0 rolling, 0 to go, 0 free, 0 not Ready
"a": 6 nodes, 0 in flight, 1 of 1 left; 0 rolling, 3 to go, 2 free (a1), 2 not Ready (a5), Ready since 11:00, next free 12:30
"b": 5 nodes, 5 in flight, 0 of 1 left; 5 rolling, 0 to go, 0 free, 0 not Ready
"d": 4 nodes, 4 in flight, 0 of 1 left; 1 rolling, 1 to go, 0 free, 2 not Ready (d2)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
				for i := range nodes {
					if !yield(&nodes[i], candidate.NodeGate(&nodes[i], candidate.Condition{}, candidate.Minimum{}, today)) {
						return
					}
				}
			}
			var text strings.Builder
			for _, d := range domainsOf(seen, c.scope, c.o, today) {
				fmt.Fprintf(&text, "%q: %d nodes, %d in flight, %d of %d left; %d rolling, %d to go, %d free%s, %d not Ready%s",
					d.Name, d.Nodes, d.InFlight, d.Remaining, d.Allowed, d.Rolling, d.ToGo, d.Free, braces(d.OldestFree), d.Unready, braces(d.NotReady))
				if !d.ReadySince.IsZero() {
					text.WriteString(", Ready since " + d.ReadySince.Format("15:04"))
				}
				if !d.NextFree.IsZero() {
					text.WriteString(", next free " + d.NextFree.Format("15:04"))
				}
				text.WriteString("\n")
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), text.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func braces(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

func TestWhatASequentialBudgetAppliesTo(t *testing.T) {
	all, drift, amis, empties := sequential(t, "1"), sequential(t, "1", "Drifted"), sequential(t, "1", "Drifted/AMIDrift"), sequential(t, "1", "Empty")
	flat := scope(t, budget.Budget{Nodes: "1", TopologyKey: "rack", Reasons: []candidate.Reason{"Empty"}})
	buffers := scope(t, budget.Budget{Nodes: "1", TopologyKey: "rack", Reasons: []candidate.Reason{"Empty/Buffer"}})
	widened := topology.Options{Reasons: []candidate.Reason{"Drifted", "Empty"}}
	for _, c := range []struct {
		o       topology.Options
		b       budget.Limit
		reason  candidate.Reason
		applies bool
		may     bool
	}{
		{topology.Options{}, all, "Drifted", true, true},
		{topology.Options{}, all, "Drifted/AMIDrift", true, true},
		{topology.Options{}, all, "Empty", false, false},
		{topology.Options{}, all, "", true, true},
		{topology.Options{}, all, "typo", false, true},
		{topology.Options{}, drift, "Underutilized", false, false},
		{topology.Options{}, amis, "Drifted", true, true},           // any drifted node may be of the child
		{topology.Options{}, amis, "Drifted/AMI Drift", true, true}, // probably misspelt
		{topology.Options{}, amis, "Empty/AMI Drift", false, false},
		{topology.Options{Reasons: []candidate.Reason{"Drifted/AMIDrift"}}, all, "Drifted", true, true},
		{topology.Options{Reasons: []candidate.Reason{""}}, all, "typo", false, true},
		{topology.Options{}, amis, "Drifted/SubnetDrift", false, false},
		{topology.Options{}, empties, "Empty", false, false},
		{topology.Options{}, flat, "Empty", true, true},
		{topology.Options{}, flat, "Drifted", false, false},
		{topology.Options{}, flat, "", true, true},
		{topology.Options{}, buffers, "Empty", false, true}, // without turns, a node is limited by what is known of it
		{topology.Options{}, buffers, "Empty/Buffer", true, true},
		{widened, all, "Empty/Buffer", true, true},
		{widened, empties, "Empty", true, true},
		{widened, drift, "Empty", false, false},
		{topology.Options{Reasons: []candidate.Reason{""}}, all, "Expired", true, true},
	} {
		got := []bool{c.o.Applies(c.b, c.reason), c.o.MayApply(c.b, c.reason)}
		if want := []bool{c.applies, c.may}; !slices.Equal(got, want) {
			t.Errorf("%s, %v, reason %q: applies, may apply: %v, want %v", c.b.Describe(time.Time{}), c.o.Reasons, c.reason, got, want)
		}
	}
}

// It is noon. The order of counting does not matter.
func TestWhichNodeOfADomainIsFirstInLine(t *testing.T) {
	until := func(clock string) []candidate.Blocker {
		return []candidate.Blocker{{Code: "x", Message: "held", Until: at(clock)}}
	}
	type entry struct {
		name, since, deadline string
		blockers              []candidate.Blocker
	}
	for _, c := range []struct {
		name string
		a, b entry
		want string
	}{
		{"the one that drifted first", entry{"a", "09:00", "", nil}, entry{"b", "08:00", "", nil}, "2 free, b since 08:00"},
		{"of the same age by name", entry{"a", "09:00", "", nil}, entry{"b", "09:00", "", nil}, "2 free, a since 09:00"},
		{"one that is overdue before an older one", entry{"a", "09:00", "11:00", nil}, entry{"b", "08:00", "", nil}, "2 free, a since 09:00, overdue by 11:00"},
		{"but not before its deadline", entry{"a", "09:00", "13:00", nil}, entry{"b", "08:00", "", nil}, "2 free, b since 08:00"},
		{"the one that was overdue first", entry{"a", "08:00", "11:00", nil}, entry{"b", "09:00", "10:00", nil}, "2 free, b since 09:00, overdue by 10:00"},
		{"of the same deadline the older one", entry{"a", "09:00", "11:00", nil}, entry{"b", "08:00", "11:00", nil}, "2 free, b since 08:00, overdue by 11:00"},
		{"none while both are blocked, the first up to 12:30", entry{"a", "09:00", "", until("12:30")}, entry{"b", "08:00", "", until("13:00")},
			"0 free, next at 12:30, held up by b: held"},
		{"a time to lift that has passed is no time to look again", entry{"a", "09:00", "", until("11:30")},
			entry{"b", "10:00", "", until("13:00")}, "0 free, next at 13:00, held up by a: held"},
		{"nor is now", entry{"a", "09:00", "", until("12:00")}, entry{"b", "10:00", "", until("13:00")}, "0 free, next at 13:00, held up by a: held"},
		{"an overdue one that is blocked is named first", entry{"a", "09:00", "", until("12:30")}, entry{"b", "10:00", "11:00", until("13:00")},
			"0 free, next at 12:30, held up by b: held"},
		{"one that is free holds up nothing", entry{"a", "08:00", "", nil}, entry{"b", "09:00", "", until("13:00")}, "1 free, a since 08:00, next at 13:00"},
		{"though an older one is blocked", entry{"a", "09:00", "", nil}, entry{"b", "08:00", "", until("13:00")},
			"1 free, a since 09:00, next at 13:00, held up by b: held"},
	} {
		for _, order := range [][]entry{{c.a, c.b}, {c.b, c.a}} {
			nodes := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
				for _, e := range order {
					n := candidate.Node{Name: e.name, Pool: "default", Phase: candidate.Running, Labels: map[string]string{"topology.kubernetes.io/zone": "z"},
						Conditions: []candidate.Condition{{Reason: "Drifted", Since: at(e.since)}}}
					if e.deadline != "" {
						n.Conditions[0].Deadline = at(e.deadline)
					}
					if !yield(&n, e.blockers) {
						return
					}
				}
			}
			d := domainsOf(nodes, sequential(t, "1"), topology.Options{}, at("12:00"))[0]
			got := fmt.Sprintf("%d free", d.Free)
			if d.Free > 0 {
				got += ", " + d.OldestFree + " since " + d.FreeSince.Format("15:04")
			}
			if !d.OverdueBy.IsZero() {
				got += ", overdue by " + d.OverdueBy.Format("15:04")
			}
			if !d.NextFree.IsZero() {
				got += ", next at " + d.NextFree.Format("15:04")
			}
			if d.HeldUp != "" {
				got += ", held up by " + d.HeldUp
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
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

// A node is as old as the oldest of its drift, and the first by name is named.
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
