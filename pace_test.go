package disruptkit_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

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
- a-3 Drifted budget/paced: start limit reached, with 2 allowed now: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
- a-4 Drifted budget/paced: start limit reached, with 2 allowed now: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
- a-5 Drifted budget/paced: start limit reached, with 2 allowed now: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
- a-6 Drifted budget/paced: start limit reached, with 2 allowed now: budgets[0] is 2 per 1h (until 2026-11-20T13:00:00Z)
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
	in.Memory = map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "gone", At: fixture.Noon}}}}
	if d := disruptkit.Decide(in, candidate.Drifted); len(d.Memory) > 0 {
		t.Error(d.Memory)
	}
}

// A history is what happens to a pool whose callers do as they should, and lose their memory at times.
type history struct {
	in      disruptkit.Input
	started []budget.Start
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
		h.started = append(h.started, budget.Start{Node: c.Node, Reason: c.Reason, At: h.in.Now})
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
				t.Fatalf("%s is blocked until %v, and was disrupted at %v: %s", n.Name, told[n.Name], went[n.Name], set)
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
			Memory: map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "a-1", At: fixture.Clock("11:50")}}}},
		}
		if got := fixture.Allowed(disruptkit.Decide(in, "Drifted")); len(got) != 1 {
			t.Errorf("%v may be disrupted, want a-2", got)
		}
	}
}

var midnight = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) // a Monday

// mayStart returns how many nodes may start at midnight as far as paces go, and, if that is none, when the next one may.
func mayStart(set budget.Set, nodes int, reason candidate.Reason, starts []budget.Start) (budget.Allowance, time.Time) {
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
		var starts []budget.Start
		for i := range rapid.IntRange(0, 25).Draw(t, "starts") {
			at := midnight.Add(time.Duration(rapid.IntRange(-1500, 20).Draw(t, "minutes")) * time.Minute)
			reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
			starts = append(starts, budget.Start{Node: fmt.Sprint("gone-", i), Reason: reason, At: at, Seen: true})
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
func slowNextStart(spec budget.Spec, set budget.Set, nodes int, reason candidate.Reason, starts []budget.Start) time.Time {
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
func leftByPaces(spec budget.Spec, at time.Time, nodes int, reason candidate.Reason, starts []budget.Start) int {
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
	for i := range set.Deciding(set.Active(at), reason).All() {
		decide[i] = true
	}
	return decide
}
