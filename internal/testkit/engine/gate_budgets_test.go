package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestABudgetThatSeveralReasonsShareLimitsThemTogether(t *testing.T) {
	in := fixture.SpecificInput(t, fixture.Noon, []budget.Budget{
		{Nodes: "2", Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "2", Reasons: []candidate.Reason{"Empty"}},
		{Nodes: "3", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}, fixture.Wanted("a", fixture.Noon, "Drifted"), fixture.Wanted("b", fixture.Noon, "Drifted"), fixture.Wanted("c", fixture.Noon, "Empty"), fixture.Wanted("d", fixture.Noon, "Empty"))
	if names := fixture.Allowed(disruptkit.Decide(in, "")); len(names) != 3 {
		t.Errorf("%v may be disrupted, of 3 together", names)
	}
}

func TestABudgetOfItsOwnIsNotUsedUpByWhatSharesAnother(t *testing.T) {
	in := fixture.SpecificInput(t, fixture.Noon, []budget.Budget{
		{Nodes: "1", Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "10", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}, fixture.Going("a", "Empty"), fixture.Wanted("b", fixture.Noon, "Drifted"))
	if names := fixture.Allowed(disruptkit.Decide(in, candidate.Drifted)); len(names) != 1 {
		t.Errorf("%v may be disrupted, of 1 for drift", names)
	}
}

// Overdue nodes are the one exception: their limit is the lowest above 0 of the pool's budgets. If none is above 0, one node is allowed at a
// time, and one more budget, above 0, allows as many as it says. (Which nodes are allowed may change: one more budget for single zones may
// give the turn to another zone, and a node that is blocked leaves its disruption of a PDB to another one.)
func TestOneMoreBudgetNeverAllowsMoreNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
		in.Rules = candidate.Rules{}
		in = fixture.Restrictive(in)
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		for i := range in.Nodes { // of one reason, since children may have budgets of their own
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		more := in
		more.Pools = slices.Clone(in.Pools)
		one := rapid.OneOf(testkit.Arbitrary(generate.Budget), testkit.Arbitrary(generate.BrokenBudget)).Draw(t, "one more")
		more.Pools[0].Budgets, _ = budget.Compile(append(in.Pools[0].Budgets.Budgets(), one))
		a, b := disruptkit.Decide(in, reason), disruptkit.Decide(more, reason)
		before, after := in.Pools[0].Budgets.Overdue(len(in.Nodes), reason), more.Pools[0].Budgets.Overdue(len(in.Nodes), reason)
		for _, c := range b.Allowed {
			if c.Overdue && c.Pool == in.Pools[0].Name && before.Nodes == 1 && after.Nodes > 1 {
				continue
			}
			if !slices.ContainsFunc(a.Allowed, func(o candidate.Candidate) bool { return fixture.Key(o) == fixture.Key(c) }) {
				t.Fatalf("%s may be disrupted only with one more budget, %s", c.Node, one)
			}
		}
	})
}

func TestOneMoreBudgetAllowsMoreOverdueNodesIfNoOtherIsAboveZero(t *testing.T) {
	for _, c := range []struct {
		budgets []budget.Budget
		allowed int
	}{
		{[]budget.Budget{{Nodes: "0"}}, 1},
		{[]budget.Budget{{Nodes: "0"}, {Nodes: "3"}}, 3},
		{[]budget.Budget{{Nodes: "0"}, {Nodes: "3"}, {Nodes: "2"}}, 2},
	} {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, c.budgets...)}, Nodes: fixture.Zoned("a1* a2* a3* a4*")}
		for i := range in.Nodes {
			in.Nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
		}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed) != c.allowed {
			t.Errorf("%v: %d overdue nodes are allowed instead of %d", c.budgets, len(d.Allowed), c.allowed)
		}
	}
}

func TestReasonsThatOnlyTurnsDependOnHaveNoNumbers(t *testing.T) {
	nodes := fixture.Zoned("a1* b1*")
	nodes[0].Conditions[0].Reason, nodes[1].Conditions[0].Reason = "Drifted/AMIDrift", "Drifted/SubnetDrift"
	d := disruptkit.Decide(disruptkit.Input{
		Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))},
	}, "Drifted/AMIDrift")
	if len(d.Pools) != 1 || d.Pools[0].Reason != "Drifted/AMIDrift" {
		t.Error(d.Pools)
	}
}

// The message of a budget has the numbers of the next decision, once all that this one allows is in flight.
func TestABudgetCountsWhatIsAllowedAsItCountsInFlight(t *testing.T) {
	numbers := regexp.MustCompile(`at once(?:, (\d+) in flight[^,:]*)?(?:, (\d+) already allowed)?`)
	used := func(c candidate.Candidate) (n int, told bool) {
		for _, b := range c.Blockers {
			if b.Gate == candidate.GateBudget && b.Code == candidate.CodeExhausted && b.Source != nil && b.Source.Group == "" && !c.Overdue {
				for _, text := range numbers.FindStringSubmatch(b.Message)[1:] {
					one, _ := strconv.Atoi(text)
					n += one
				}
				return n, true
			}
		}
		return 0, false
	}
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		d := disruptkit.Decide(in, "")
		after := map[string]int{}
		for _, c := range disruptkit.Decide(in.Apply(d), "").Blocked {
			if n, told := used(c); told {
				after[fixture.Key(c)] = n
			}
		}
		for _, c := range d.Blocked {
			n, told := used(c)
			if then, same := after[fixture.Key(c)]; told && same && n != then {
				t.Fatalf("%s for %s: %v, and then %d are in use", c.Node, c.Reason, c.Blockers, then)
			}
		}
	})
}

// Whichever budget of a calendar blocks a node, its blocker names the event, and when it ends. It is Friday noon in UTC.
func TestBlockersNameWhatTakesPlaceInACalendar(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	event := func(name string, from, to time.Duration) schedule.Event {
		return schedule.Event{Name: name, Span: schedule.Span{Start: fixture.Noon.Add(from).In(berlin), End: fixture.Noon.Add(to).In(berlin)}}
	}
	calendars := map[string]schedule.Window{
		"now":   schedule.Events(event("Launch", -time.Hour, 2*time.Hour)),
		"later": schedule.Events(event("Match", time.Hour, 3*time.Hour)),
	}
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		nodes   string
		pauses  []probe.Pause
		want    string
	}{
		{"of the pool", []budget.Budget{{Nodes: "0", Calendar: "now"}}, "a1*", nil,
			"- a1 budget/allows-none: 0 of 1 node may be disrupted now: budgets[0] is 0 (calendar now: Launch, until Fri 20 Nov 15:00 CET) (until 2026-11-20T14:00:00Z)\nnext change: 14:00\n"},
		{"of a pace", []budget.Budget{{Nodes: "1", Per: "4h", Calendar: "now"}}, "a1* a2*", nil,
			"+ a1 Drifted until 14:00\n- a2 budget/paced: start limit reached, with 1 already allowed: " +
				"budgets[0] is 1 per 4h (calendar now: Launch, until Fri 20 Nov 15:00 CET) (until 2026-11-20T14:00:00Z)\nnext change: 14:00\n"},
		{"of single zones", []budget.Budget{{Nodes: "0", Calendar: "now", TopologyKey: fixture.Zone}}, "a1*", nil,
			"- a1 topology/allows-none: 0 of 1 node of a may be disrupted at once: budgets[0] is 0 per topology.kubernetes.io/zone (calendar now: Launch, until Fri 20 Nov 15:00 CET) (until 2026-11-20T14:00:00Z)\nnext change: 14:00\n"},
		{"that blocks a node once a pause has ended", []budget.Budget{{Nodes: "0", Calendar: "later"}}, "a1*", []probe.Pause{{By: "alice", Until: fixture.Clock("13:30")}},
			"- a1 probe/paused: paused by alice (until 2026-11-20T13:30:00Z)\nnext change: 13:00\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Spec{Budgets: c.budgets, Calendars: calendars}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned(c.nodes), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			in.Pauses = c.pauses
			d := disruptkit.Decide(in, candidate.Drifted)
			d.Memory = nil
			if diff := cmp.Diff(c.want, fixture.Turns(d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// started returns a start for drift at a time of day.
func started(node, at string) disruptkit.Start {
	return disruptkit.Start{Node: node, Reason: candidate.Drifted, At: fixture.Clock(at)}
}

// startsOf returns "11:30 a-1, 12:00 a-2 seen": the starts that a decision remembers of a pool.
func startsOf(d disruptkit.Decision, pool string) string {
	var texts []string
	for _, s := range d.Memory[pool].Starts {
		text := s.At.Format("15:04 ") + s.Node
		if s.Seen {
			text += " seen"
		}
		if s.Over {
			text += " over"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// TestStartsThatAreRemembered at noon, of a pool with a pace of two per hour.
func TestStartsThatAreRemembered(t *testing.T) {
	for _, c := range []struct {
		name   string
		nodes  string // a-1, a-2 …: "+" is in flight, "*" has drifted
		starts []disruptkit.Start
		change func(in *disruptkit.Input)
		want   string
	}{
		{"those of a pool, though another one after it has no pace", "+", []disruptkit.Start{started("gone", "11:30"), started("old", "10:59")}, func(in *disruptkit.Input) {
			in.Pools = append(in.Pools, disruptkit.Pool{Name: "other"})
		}, "11:30 gone, 12:00 a-1 seen"},
		{"one of two nodes of one name that are in flight", "++", nil, func(in *disruptkit.Input) { in.Nodes[1].Name = "a-1" }, "12:00 a-1 seen"},
		{"of two nodes of one name, that of the one that is in flight", "+.", []disruptkit.Start{started("a-1", "11:30")},
			func(in *disruptkit.Input) { in.Nodes[1].Name = "a-1" }, "11:30 a-1 seen"},
		{"whichever of them comes first", ".+", []disruptkit.Start{started("a-1", "11:30")},
			func(in *disruptkit.Input) { in.Nodes[1].Name = "a-1" }, "11:30 a-1 seen"},
		{"none of a node that is still there, though nobody knows when it started", "*", []disruptkit.Start{started("a-1", "")}, nil, ""},
		{"none of a node of another pool with the name", "+", nil, func(in *disruptkit.Input) { in.Nodes[0].Pool = "other" }, ""},
		{"none of a node without a pool", "+", nil, func(in *disruptkit.Input) { in.Nodes[0].Pool = "" }, ""},
		{"none of a pool without paces, beside one that has them", "+", nil, func(in *disruptkit.Input) {
			paced := in.Pools[0]
			paced.Name = "other"
			in.Pools = []disruptkit.Pool{{Name: "default"}, paced}
		}, ""},
		{"none of a time that nobody knows", "+", nil, func(in *disruptkit.Input) { in.Now = fixture.Clock("") }, ""},
		{"in Karpenter's dialect, as long as a pace that was there", "", []disruptkit.Start{started("old", "10:59"), started("gone", "11:30")},
			func(in *disruptkit.Input) {
				in.Dialect = dialect.Karpenter
				in.Memory["default"] = disruptkit.Memory{Starts: in.Memory["default"].Starts, Paces: []disruptkit.Pace{{Per: "1h"}}}
			}, "11:30 gone"},
		{"in Karpenter's dialect, all if nobody knows for how long", "", []disruptkit.Start{started("old", "10:59"), started("gone", "11:30")},
			func(in *disruptkit.Input) { in.Dialect = dialect.Karpenter }, "10:59 old, 11:30 gone"},
		{"all if two pools have one name, and no more", "+", []disruptkit.Start{started("old", "10:59"), started("gone", "11:30")},
			func(in *disruptkit.Input) {
				in.Pools = append(in.Pools, in.Pools[0])
				in.Memory["default"] = disruptkit.Memory{Starts: in.Memory["default"].Starts, Paces: []disruptkit.Pace{{Per: "1h"}}}
			}, "10:59 old, 11:30 gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2", Per: "1h"})},
				Nodes: fixture.Fleet(len(c.nodes), 0), Memory: map[string]disruptkit.Memory{"default": {Starts: c.starts}}}
			for i, what := range c.nodes {
				switch what {
				case '+':
					in.Nodes[i].Leaving = candidate.Draining
				case '*':
					in.Nodes[i] = fixture.Wanted(in.Nodes[i].Name, fixture.Noon, "Empty")
				}
			}
			if c.change != nil {
				c.change(&in)
			}
			if diff := cmp.Diff(c.want, startsOf(disruptkit.Decide(in, candidate.Drifted), "default")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A node that never joined needs no budget for its repair, so its start counts for no pace.
func TestTheRepairOfANodeThatNoBudgetCountsIsNoStart(t *testing.T) {
	for _, joined := range []bool{false, true} {
		n := fixture.Wanted("a-1", fixture.Noon, candidate.Unhealthy)
		if n.Phase = candidate.Registered; joined {
			n.Phase = candidate.NotReady
		}
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2", Per: "1h"})}, Nodes: []candidate.Node{n}}
		d := disruptkit.Decide(in, candidate.Unhealthy)
		want := ""
		if joined {
			want = "12:00 a-1"
		}
		if got := startsOf(d, "default"); len(d.Allowed) != 1 || got != want {
			t.Errorf("joined %t: %v goes, remembered %q, want %q", joined, fixture.Allowed(d), got, want)
		}
	}
}

func TestTheBlockerOfAPace(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Per: "1h"})},
		Nodes: fixture.Fleet(0, 2), Memory: map[string]disruptkit.Memory{"default": {Starts: []disruptkit.Start{started("gone", "11:30")}}}}
	var got []string
	for _, memory := range []map[string]disruptkit.Memory{in.Memory, nil} {
		in.Memory = memory
		for _, c := range disruptkit.Decide(in, candidate.Drifted).Blocked {
			got = append(got, c.Node+": "+c.Blockers[0].Message)
		}
	}
	want := []string{
		"a-1: start limit reached: budgets[0] is 1 per 1h", "a-2: start limit reached: budgets[0] is 1 per 1h",
		"a-2: start limit reached, with 1 already allowed: budgets[0] is 1 per 1h",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Which paces there are is known where the pool is known and the dialect has paces. Elsewhere, what is remembered stays.
func TestPacesThatAreRemembered(t *testing.T) {
	was := []disruptkit.Pace{{Per: "24h"}}
	for _, c := range []struct {
		name   string
		change func(in *disruptkit.Input)
		want   []disruptkit.Pace
	}{
		{"the pool's, and one that it had", func(*disruptkit.Input) {}, []disruptkit.Pace{{Per: "24h", Gone: fixture.Noon}, {Per: "1h"}}},
		{"in Karpenter's dialect", func(in *disruptkit.Input) { in.Dialect = dialect.Karpenter }, was},
		{"of two pools of one name", func(in *disruptkit.Input) { in.Pools = append(in.Pools, in.Pools[0]) }, was},
		{"without a time", func(in *disruptkit.Input) { in.Now = fixture.Clock("") }, was},
		{"of a pool that is gone", func(in *disruptkit.Input) { in.Pools = nil }, was},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Per: "1h"})},
				Memory: map[string]disruptkit.Memory{"default": {Paces: was}}}
			c.change(&in)
			if diff := cmp.Diff(c.want, disruptkit.Decide(in, candidate.Drifted).Memory["default"].Paces); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// pacedBy returns drifted nodes of the pool "default", with a budget that allows so many starts within a time.
func pacedBy(t testing.TB, nodes int, budgets ...budget.Budget) disruptkit.Input {
	return disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, nodes), Pools: []disruptkit.Pool{fixture.Pool(t, budgets...)}}
}

var twoPerHour = budget.Budget{Nodes: "2", Per: "1h"}

func TestAPaceLetsSoManyNodesStartWithinItsTime(t *testing.T) {
	in := pacedBy(t, 6, twoPerHour)
	d := disruptkit.Decide(in, candidate.Drifted)
	const want = `default Drifted: 6 nodes, 0 disrupting, any allowed by [] for good, any remain
+ a-1 Drifted for good
+ a-2 Drifted for good
- a-3 Drifted budget/paced: start limit reached, with 2 already allowed: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
- a-4 Drifted budget/paced: start limit reached, with 2 already allowed: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
- a-5 Drifted budget/paced: start limit reached, with 2 already allowed: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
- a-6 Drifted budget/paced: start limit reached, with 2 already allowed: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
next change: Fri 13:00
`
	if diff := cmp.Diff(want, fixture.Story(d)); diff != "" {
		t.Error(diff)
	}
	if got := d.Pools[0].MayStart; got.Nodes != 2 || !got.Binding.Has(0) || !d.Pools[0].NextStart.IsZero() {
		t.Errorf("%v, next at %v", got, d.Pools[0].NextStart)
	}
	in = in.Apply(d)
	in.Now = in.Now.Add(20 * time.Minute)
	p := disruptkit.Decide(in, candidate.Drifted).Pools[0]
	if p.MayStart.Nodes != 0 || !p.NextStart.Equal(fixture.Clock("13:00")) {
		t.Errorf("%v, next at %v", p.MayStart, p.NextStart)
	}
}

func TestAPoolWithoutPacesRemembersNoStarts(t *testing.T) {
	in := pacedBy(t, 3, budget.Budget{Nodes: "2"})
	in.Memory = map[string]disruptkit.Memory{"default": {Starts: []disruptkit.Start{{Node: "gone", At: fixture.Noon}}}}
	if d := disruptkit.Decide(in, candidate.Drifted); len(d.Memory) > 0 {
		t.Error(d.Memory)
	}
}

// A history is what happens to a pool whose callers do as they should, and lose their memory at times.
type history struct {
	in      disruptkit.Input
	started []disruptkit.Start
	lost    []time.Time
}

// step decides, and starts some of what may be disrupted.
func (h *history) step(t *rapid.T, asked candidate.Reason) {
	d := disruptkit.Decide(h.in, asked)
	h.in.Memory = d.Memory
	for _, c := range d.Allowed {
		if rapid.IntRange(0, 3).Draw(t, "starts") == 0 {
			continue
		}
		i := slices.IndexFunc(h.in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
		h.in.Nodes[i].Leaving, h.in.Nodes[i].DisruptedFor = candidate.Draining, c.Reason
		h.started = append(h.started, disruptkit.Start{Node: c.Node, Reason: c.Reason, At: h.in.Now})
	}
}

// passes lets time pass: nodes in flight are replaced, and memories are stored, read again, and lost.
func (h *history) passes(t *rapid.T, n int) {
	h.in.Nodes = slices.Clone(h.in.Nodes)
	for i := range h.in.Nodes {
		if node := &h.in.Nodes[i]; node.Leaving == candidate.Draining && rapid.Bool().Draw(t, "replaced") {
			node.Name, node.Leaving, node.DisruptedFor = fmt.Sprintf("%s-%d", node.Name, n), candidate.Staying, ""
			node.Conditions = []candidate.Condition{{Reason: node.Conditions[0].Reason, Since: h.in.Now}} // it drifts again
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "memory") {
	case 0:
		h.in.Memory = nil
		h.lost = append(h.lost, h.in.Now)
	case 1, 2, 3: // a restart, which reads what was stored
		stored, err := json.Marshal(h.in.Memory)
		if err != nil {
			t.Fatal(err)
		}
		h.in.Memory = nil
		if err := json.Unmarshal(stored, &h.in.Memory); err != nil {
			t.Fatal(err)
		}
	}
	h.in.Now = h.in.Now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute)
}

// No time that is as long as the pace sees more starts than it lets: n, and n more for each time that the memory was lost within it,
// since nodes that are gone are forgotten then.
func TestNoTimeSeesMoreStartsThanThePaceLets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reasons := []candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty"}
		n, per := rapid.IntRange(1, 3).Draw(t, "n"), rapid.SampledFrom([]time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour}).Draw(t, "per")
		pace := budget.Budget{Nodes: fmt.Sprint(n), Per: fmt.Sprintf("%dm", int(per.Minutes())), Reasons: rapid.SampledFrom([][]candidate.Reason{nil, {"Drifted"}}).Draw(t, "of")}
		set, err := budget.Compile([]budget.Budget{pace, {Nodes: "50%"}})
		if err != nil {
			t.Fatal(err)
		}
		h := history{in: disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 8), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}}
		for i := range h.in.Nodes {
			h.in.Nodes[i].Conditions[0].Reason = rapid.SampledFrom(reasons).Draw(t, "reason")
		}
		for i := range 25 {
			for _, asked := range rapid.SampledFrom([][]candidate.Reason{{""}, {"Drifted"}, {"Empty", "Drifted"}}).Draw(t, "asked") {
				h.step(t, asked)
			}
			h.passes(t, i)
		}
		for _, s := range h.started {
			count, losses := 0, 0
			for _, other := range h.started {
				covered := len(pace.Reasons) == 0 || candidate.Drifted.Covers(other.Reason)
				if covered && other.At.After(s.At.Add(-per)) && !other.At.After(s.At) {
					count++
				}
			}
			for _, at := range h.lost {
				if at.After(s.At.Add(-per)) && !at.After(s.At) {
					losses++
				}
			}
			if count > n*(1+losses) {
				t.Fatalf("%d started in the %v up to %v, and %d may; the memory was lost %d times", count, per, s.At, n, losses)
			}
		}
	})
}

// With enough time all nodes are disrupted, and none before the time that its blockers showed.
func TestWithEnoughTimeAllNodesAreDisruptedAndNoneBeforeItsBlockersLift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budgets := []budget.Budget{{Nodes: fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "n")), Per: rapid.SampledFrom([]string{"1h", "45m"}).Draw(t, "per")}}
		if rapid.Bool().Draw(t, "two paces") {
			budgets = append(budgets, budget.Budget{Nodes: fmt.Sprint(rapid.IntRange(1, 6).Draw(t, "n")), Per: "5h"})
		}
		if rapid.Bool().Draw(t, "at night only") {
			budgets[0].Schedule, budgets[0].Duration, budgets[0].Outside = "0 9 * * *", "4h", rapid.Bool().Draw(t, "outside")
		}
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 12), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
		told := map[string]time.Time{}
		went := map[string]time.Time{}
		for range 40 {
			d := disruptkit.Decide(in, candidate.Drifted)
			for _, c := range d.Blocked {
				if at, lifts := candidate.LiftsAt(c.Blockers); lifts && told[c.Node].IsZero() {
					told[c.Node] = at
				}
			}
			for _, c := range d.Allowed {
				went[c.Node] = in.Now
			}
			in = in.Apply(d)
			if len(went) == len(in.Nodes) {
				break
			}
			in.Now = d.NextChange
		}
		for _, n := range in.Nodes {
			if want, waited := told[n.Name]; went[n.Name].IsZero() || waited && went[n.Name].Before(want) {
				t.Fatalf("%s is blocked until %v, and was disrupted at %v: %v", n.Name, told[n.Name], went[n.Name], set.Budgets())
			}
		}
	})
}

// Only the first of two nodes of a name shows that it was there before the start, whichever comes first in the list.
func TestAnyNodeOfANameShowsThatAStartDidNotHappen(t *testing.T) {
	older := candidate.Node{Name: "a-1", Pool: "default", Phase: candidate.Running, ReadySince: fixture.Clock("9:00")}
	older.Conditions = []candidate.Condition{{Reason: "Empty", Since: fixture.Clock("11:55")}}
	silent := candidate.Node{Name: "a-1", Pool: "default", Phase: candidate.Running}
	for _, twins := range [][]candidate.Node{{older, silent}, {silent, older}} {
		in := disruptkit.Input{
			Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Per: "1h"})},
			Nodes:  append(twins, fixture.Wanted("a-2", fixture.Noon, "Drifted")),
			Memory: map[string]disruptkit.Memory{"default": {Starts: []disruptkit.Start{{Node: "a-1", At: fixture.Clock("11:50")}}}},
		}
		if got := fixture.Allowed(disruptkit.Decide(in, "Drifted")); len(got) != 1 {
			t.Errorf("%v may be disrupted, want a-2", got)
		}
	}
}

var midnight = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) // a Monday

// mayStart returns how many nodes may start at midnight as far as paces go, and, if that is none, when the next one may.
func mayStart(set budget.Set, nodes int, reason candidate.Reason, starts []disruptkit.Start) (budget.Allowance, time.Time) {
	p := disruptkit.Decide(disruptkit.Input{
		Now: midnight, Nodes: fixture.Fleet(nodes, 0), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}},
		Memory: map[string]disruptkit.Memory{"default": {Starts: starts}},
	}, reason).Pools[0]
	return p.MayStart, p.NextStart
}

// What a decision says agrees with what looks at each time at which anything changes, and counts all starts anew.
func TestHowManyNodesMayStartAndWhenTheNextOneMayIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := budget.Spec{
			Budgets:      rapid.SliceOfN(testkit.Arbitrary(generate.Pace), 1, 4).Draw(t, "budgets"),
			MostSpecific: rapid.Bool().Draw(t, "specific"),
		}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		nodes := rapid.IntRange(0, 60).Draw(t, "nodes")
		var starts []disruptkit.Start
		for i := range rapid.IntRange(0, 25).Draw(t, "starts") {
			at := midnight.Add(time.Duration(rapid.IntRange(-1500, 20).Draw(t, "minutes")) * time.Minute)
			reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
			starts = append(starts, disruptkit.Start{Node: fmt.Sprint("gone-", i), Reason: reason, At: at, Seen: true})
		}
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "asked")
		got, next := mayStart(set, nodes, reason, starts)
		if want := leftByPaces(spec, midnight, nodes, reason, starts); got.Nodes != want {
			t.Fatalf("%d may start for %s, not %d", got.Nodes, reason, want)
		}
		if want := slowNextStart(spec, set, nodes, reason, starts); got.Nodes == 0 && !next.Equal(want) {
			t.Fatalf("the next may start for %s at %v, not at %v", reason, next, want)
		}
	})
}

// slowNextStart tries every time at which anything changes.
func slowNextStart(spec budget.Spec, set budget.Set, nodes int, reason candidate.Reason, starts []disruptkit.Start) time.Time {
	at := midnight
	for range 4000 {
		if leftByPaces(spec, at, nodes, reason, starts) > 0 {
			return at
		}
		var next time.Time
		for _, b := range set.Pacing() {
			_, change := b.Window.Until(at)
			next = schedule.First(next, change)
			for _, s := range starts {
				if end := s.At.Add(b.Per); end.After(at) {
					next = schedule.First(next, end)
				}
			}
		}
		if at = next; at.IsZero() {
			break
		}
	}
	return time.Time{}
}

// leftByPaces asks each pace on its own, from how it is written.
func leftByPaces(spec budget.Spec, at time.Time, nodes int, reason candidate.Reason, starts []disruptkit.Start) int {
	left := budget.Unlimited
	for i, b := range spec.Budgets {
		if !pacesDecide(spec, at, reason)[i] {
			continue
		}
		n := 0
		per, _ := time.ParseDuration(b.Per)
		for _, s := range starts {
			if s.At.After(at.Add(-per)) {
				ofAChild := slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return s.Reason.Covers(r) })
				counts := ofAChild || (spec.MostSpecific && pacesDecide(spec, at, s.Reason)[i]) || !spec.MostSpecific && coversAny(b.Reasons, s.Reason)
				if counts {
					n++
				}
			}
		}
		alone, _ := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		limit, _ := budget.AllowedByReason(alone, at, nodes, "")
		left = min(left, max(0, limit.Nodes-n))
	}
	return left
}

func coversAny(reasons []candidate.Reason, reason candidate.Reason) bool {
	return len(reasons) == 0 || slices.ContainsFunc(reasons, func(r candidate.Reason) bool { return r.Covers(reason) })
}

// pacesDecide returns the active paces that decide for a reason: as they would if they were no paces.
func pacesDecide(spec budget.Spec, at time.Time, reason candidate.Reason) map[int]bool {
	spec.Budgets = slices.Clone(spec.Budgets)
	for i := range spec.Budgets {
		spec.Budgets[i].Per = ""
	}
	set, err := spec.Compile()
	if err != nil {
		panic(err)
	}
	decide := map[int]bool{}
	for i := range set.Deciding(at, reason).All() {
		decide[i] = true
	}
	return decide
}

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
		m.Soak = disruptkit.Soaking{For: "720h", Since: in.Now.Add(-1000 * time.Hour)}
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
		for range min(2, len(in.Nodes)) {
			i := rapid.IntRange(0, len(in.Nodes)-1).Draw(t, "node")
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
			m.Soak = disruptkit.Soaking{}
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
			m := disruptkit.Memory{Soak: disruptkit.Soaking{For: c.kept}}
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
	want := disruptkit.Soaking{For: "10m", Since: fixture.Clock("11:00"), Slots: []disruptkit.Slot{{Node: "x", Reason: "Drifted", Since: fixture.Clock("11:55"), Seen: true}}}
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
	known := disruptkit.Soaking{For: "10m", Since: fixture.Clock("01:00"), Slots: []disruptkit.Slot{
		{Node: "x", Since: fixture.Clock("11:58"), Seen: true}, {Node: "y", Since: fixture.Clock("11:57"), Seen: true}}}
	one := known
	one.Slots = known.Slots[:1]
	joining := append(slices.Clip(in.Nodes), candidate.Node{Name: "z", Pool: "default", Phase: candidate.Launched, Replaces: "y"})
	var got []string
	for _, m := range []disruptkit.Soaking{known, one, {}} {
		in.Memory = map[string]disruptkit.Memory{"default": {Soak: m}}
		in := in
		if len(m.Slots) == 2 {
			in.Nodes = joining
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		for _, c := range d.Blocked[len(d.Blocked)-1:] {
			got = append(got, c.Node+": "+c.Blockers[0].Message)
		}
	}
	want := []string{
		"a-2: no free slot (1 soaking, 1 not yet gone or replaced): budgets[0] is 2, soak 10m",
		"a-2: no free slot (1 soaking, 1 already allowed): budgets[0] is 2, soak 10m",
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
		in.Memory[p.Name] = disruptkit.Memory{Soak: disruptkit.Soaking{For: "1h", Since: in.Now.Add(-24 * time.Hour)}}
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

// sharing returns a pool of 41 nodes with a cap and shares. Some nodes are in flight for a reason, and others wait for Drifted and Empty.
func sharing(limit, inFlight, drifted, empty int, flightReason candidate.Reason, shares ...budget.Budget) disruptkit.Input {
	set, err := budget.Compile(append([]budget.Budget{{Nodes: fmt.Sprint(limit)}}, shares...))
	if err != nil {
		panic(err)
	}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	for i := range 41 {
		n := candidate.Node{Name: fmt.Sprintf("n-%02d", i), Pool: "default", Phase: candidate.Running}
		switch {
		case i < inFlight:
			n.Leaving, n.DisruptedFor = candidate.Draining, flightReason
		case i < inFlight+drifted:
			n.Conditions = []candidate.Condition{{Reason: "Drifted", Since: fixture.Noon}}
		case i < inFlight+drifted+empty:
			n.Conditions = []candidate.Condition{{Reason: "Empty", Since: fixture.Noon}}
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

func guaranteed(nodes string, reasons ...candidate.Reason) budget.Budget {
	return budget.Budget{Nodes: nodes, Guaranteed: true, Reasons: reasons}
}

// The table of docs/shares.md.
func TestTheTableOfShares(t *testing.T) {
	four := guaranteed("4", "Drifted")
	twice := sharing(10, 0, 1, 20, "", four)
	twice.Nodes[0].Conditions = append(twice.Nodes[0].Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: fixture.Noon})
	for i, c := range []struct {
		in                         disruptkit.Input
		emptyMayStart, mayStartToo int
	}{
		{sharing(10, 0, 0, 20, "", four), 10, 0},
		{sharing(10, 0, 7, 20, "", four), 6, 7},
		{sharing(10, 0, 2, 20, "", four), 8, 2},
		{sharing(10, 3, 7, 20, "Drifted", four), 6, 7},
		{sharing(10, 5, 7, 20, "Drifted", four), 5, 5},
		{sharing(10, 10, 7, 20, "Empty", four), 0, 0},
		{sharing(10, 8, 7, 20, "Empty", four), 0, 2},
		{sharing(10, 8, 7, 20, "", four), 0, 2},
		{sharing(10, 0, 12, 20, "", guaranteed("25%", "Drifted")), 0, 10},
		{sharing(6, 0, 7, 7, "", guaranteed("4", "Empty"), four), 4, 2},
		{twice, 9, 1}, // its node counts once
	} {
		for reason, want := range map[candidate.Reason]int{"Empty": c.emptyMayStart, "Drifted": c.mayStartToo} {
			if d := disruptkit.Decide(c.in, reason); len(d.Allowed) != want {
				t.Errorf("row %d: %d of %s may start, want %d:\n%s", i+1, len(d.Allowed), reason, want, fixture.Story(d))
			}
		}
	}
}

// Whatever the others do first, and in whatever order, a reason with candidates reaches its share, and nobody exceeds the limit.
func TestAReasonReachesItsShareWhateverOthersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) int { return rapid.IntRange(0, 15).Draw(t, name) }
		limit, g := rapid.IntRange(2, 12).Draw(t, "limit"), rapid.IntRange(1, 6).Draw(t, "share")
		other := rapid.IntRange(1, 6).Draw(t, "another share")
		drifted, empty := count("drifted"), count("empty")
		in := sharing(limit, 0, drifted, empty, "", guaranteed(fmt.Sprint(g), "Drifted"), guaranteed(fmt.Sprint(other), "Expired"))
		for i := range in.Nodes {
			if n := &in.Nodes[i]; len(n.Conditions) == 0 && rapid.Bool().Draw(t, "expired") {
				n.Conditions = []candidate.Condition{{Reason: "Expired", Since: fixture.Noon}}
			}
		}
		s := disruptkit.Open(in, "")
		line := rapid.Permutation(slices.Collect(s.Candidates())).Draw(t, "line")
		for _, own := range []bool{false, true} { // the drifted last
			for _, c := range line {
				if (c.Reason == "Drifted") == own {
					s.Disrupt(c)
				}
			}
		}
		d := s.Close()
		own := 0
		for _, c := range d.Allowed {
			if c.Reason == "Drifted" {
				own++
			}
		}
		if want := min(g, limit, drifted); own < want || len(d.Allowed) > limit {
			t.Fatalf("%d of %d are for Drifted, want at least %d, and at most %d in all", own, len(d.Allowed), want, limit)
		}
	})
}

// A plan folds decisions, so it lends and keeps shares as they do.
func TestAPlanKeepsShares(t *testing.T) {
	in := sharing(8, 0, 20, 7, "", budget.Budget{Nodes: "1", Reasons: []candidate.Reason{"Empty"}}, guaranteed("6", "Empty"))
	at, waits := map[candidate.Reason]int{}, ""
	for _, n := range plan.Run(in, plan.Options{Model: plan.Model{Reasons: []candidate.Reason{"Drifted", "Empty"}}}).Nodes {
		if n.Start.Equal(in.Now) {
			at[n.Reason]++
		}
		waits += fmt.Sprintln(n.Waits)
	}
	if !strings.Contains(waits, "budgets reserve the rest for other reasons") || strings.Contains(waits, "invalid") {
		t.Errorf("the nodes wait for\n%s", waits)
	}
	if at["Drifted"] != 2 {
		t.Errorf("at once start %v", at)
	}
}

// What is reserved depends on the other candidates, so times depend on what else they wait for. Few random inputs show that.
func TestTimesOfSharesAreUnknownWhereOtherCandidatesChange(t *testing.T) {
	share := guaranteed("1", "Drifted")
	share.Schedule, share.Duration = "0 10 * * *", "4h"
	for _, c := range []struct {
		name        string
		change      func(in *disruptkit.Input, drifted, empty *candidate.Node)
		allowed     bool
		until, next string // of the empty node, and of the decision; "": none
	}{
		{"only the share's window ends", func(*disruptkit.Input, *candidate.Node, *candidate.Node) {}, false, "14:00", "14:00"},
		{"and the node is overdue before", func(_ *disruptkit.Input, _, e *candidate.Node) { e.Conditions[0].Deadline = fixture.Clock("13:00") }, false, "13:00", "13:00"},
		{"the other's pod has a window that closes", func(_ *disruptkit.Input, d, _ *candidate.Node) {
			d.Pods = []candidate.Pod{{Terms: candidate.Terms{Window: schedule.MustParse("30 11 * * *", time.Hour, "")}}}
		}, false, "", "12:30"},
		{"the other's pod has one, and the node is overdue later", func(_ *disruptkit.Input, d, e *candidate.Node) {
			d.Pods = []candidate.Pod{{Terms: candidate.Terms{Window: schedule.MustParse("30 11 * * *", time.Hour, "")}}}
			e.Conditions[0].Deadline = fixture.Clock("13:00")
		}, false, "", "12:30"},
		{"the other is nominated for a while", func(_ *disruptkit.Input, d, _ *candidate.Node) { d.NominatedUntil = fixture.Clock("12:30") }, true, "12:30", "12:30"},
		{"the other is overdue, so that no back-off blocks it", func(in *disruptkit.Input, d, _ *candidate.Node) {
			d.Conditions[0].Deadline = fixture.Clock("11:30")
			in.Memory = map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 1, Until: fixture.Clock("13:00")}}}
		}, false, "14:00", "14:00"},
	} {
		in := sharing(1, 0, 1, 1, "", share)
		drifted, empty := &in.Nodes[0], &in.Nodes[1]
		drifted.Conditions[0].Since, empty.Conditions[0].Since = fixture.Clock("11:00"), fixture.Clock("11:00")
		c.change(&in, drifted, empty)
		d := disruptkit.Decide(in, "Empty")
		var until time.Time
		if c.allowed && len(d.Allowed) == 1 {
			until = d.Allowed[0].Until
		} else if !c.allowed && len(d.Blocked) == 1 {
			until = d.Blocked[0].Blockers[0].Until
		} else {
			t.Errorf("%s: %s", c.name, fixture.Story(d))
		}
		clock := func(text string) (at time.Time) {
			if text != "" {
				at = fixture.Clock(text)
			}
			return at
		}
		if !until.Equal(clock(c.until)) || !d.NextChange.Equal(clock(c.next)) {
			t.Errorf("%s: until %v, next change %v, want %q and %q", c.name, until, d.NextChange, c.until, c.next)
		}
	}
}

// A node with two reasons is reserved for in two shares. Once it is disrupted, a node ahead of it in line is no longer blocked.
func TestDecideLeavesNoCandidateThatMayBeDisrupted(t *testing.T) {
	in := sharing(3, 0, 0, 0, "", guaranteed("1", "Drifted"), guaranteed("1", "Empty"))
	for i, reasons := range [][]candidate.Reason{{"Underutilized"}, {"Underutilized"}, {"Drifted", "Empty"}} {
		for _, r := range reasons {
			c := candidate.Condition{Reason: r, Since: fixture.Noon.Add(time.Duration(i-9) * time.Hour)}
			in.Nodes[i].Conditions = append(in.Nodes[i].Conditions, c)
		}
	}
	d := disruptkit.Decide(in, "")
	if got := fmt.Sprint(fixture.Allowed(d)); got != "[n-00 n-02 n-01]" || len(d.Free) > 0 {
		t.Errorf("allowed %s, free %v", got, d.Free)
	}
}
