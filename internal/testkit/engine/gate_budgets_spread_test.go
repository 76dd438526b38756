package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/schedule"
	"pgregory.net/rapid"
)

// spreading returns drifted nodes of the pool "default".
func spreading(t rapid.TB, n int, budgets ...budget.Budget) disruptkit.Input {
	set, err := budget.Compile(budgets)
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	for i := range n {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: fmt.Sprintf("n-%02d", i), Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: "Drifted", Since: fixture.Noon}},
		})
	}
	return in
}

// pass decides, replaces what is allowed at once, and waits for the next change. It returns how many nodes started.
func pass(in *disruptkit.Input) int {
	d := disruptkit.Decide(*in, "Drifted")
	in.Memory = d.Memory
	for _, c := range d.Allowed {
		for i := range in.Nodes {
			if in.Nodes[i].Name == c.Node {
				in.Nodes[i].Name, in.Nodes[i].Conditions = c.Node+"-new", nil
			}
		}
	}
	if in.Now = d.NextChange; in.Now.IsZero() {
		in.Now = fixture.Noon.AddDate(9, 0, 0)
	}
	return len(d.Allowed)
}

// After a fraction f of the open time, ⌊fN⌋ to ⌈fN⌉ of N nodes have started.
func TestASpreadStartsNodesEvenlyOverTheOpenTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, spread := rapid.IntRange(1, 25).Draw(t, "nodes"), rapid.IntRange(1, 200).Draw(t, "hours")
		budgets := []budget.Budget{{Nodes: "100%", Spread: fmt.Sprintf("%dh", spread)}}
		if open := rapid.IntRange(1, 24).Draw(t, "open"); open < 24 { // hours of each day
			budgets = append(budgets, budget.Budget{
				Nodes: "0", Schedule: "0 3 * * *", Duration: fmt.Sprintf("%dh", 24-open),
				Reasons: []candidate.Reason{"Drifted"},
			})
		}
		in := spreading(t, n, budgets...)
		set := in.Pools[0].Budgets
		whole := float64(time.Duration(spread) * time.Hour)
		for started := 0; started < n; {
			at := in.Now
			var passed time.Duration
			for opens, closes := range set.Openings(set.Pacing()[0], n, "Drifted", fixture.Noon) {
				if passed += max(0, schedule.First(closes, at).Sub(opens)); !opens.Before(at) {
					break
				}
			}
			due := float64(passed) / whole * float64(n)
			if float64(started) < math.Floor(min(due, float64(n)))-1e-6 {
				t.Fatalf("%d of %d have started before %v, after %v of %dh", started, n, at, passed, spread)
			}
			now := pass(&in)
			if started += now; float64(started) > math.Ceil(due+1e-6) || now > 1 {
				t.Fatalf("%d of %d have started at %v, after %v of %dh", started, n, at, passed, spread)
			}
		}
	})
}

func TestASpread(t *testing.T) {
	spread := budget.Budget{Nodes: "2", Spread: "6h"}
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		starts string // the minutes after noon
	}{
		{"starts n nodes at 1/(n+1), 2/(n+1), … of the time", func(t *testing.T) disruptkit.Input { return spreading(t, 5, spread) },
			"60 120 180 240 300"},
		{"leaves out what is blocked for good", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 5, spread)
			in.Nodes[0].DoNotDisrupt, in.Nodes[1].DoNotDisrupt = true, true
			return in
		}, "90 180 270"},
		{"leaves out what is in flight, which starts when it is first seen", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 3, budget.Budget{Nodes: "3", Spread: "6h"})
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, "Drifted"
			return in
		}, "120 240"},
		{"counts only open time", func(t *testing.T) disruptkit.Input {
			return spreading(t, 2, spread, budget.Budget{Nodes: "0", Schedule: "0 13 * * *", Duration: "2h"})
		}, "240 360"},
		{"counts time again after a pause, and starts no batch", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 5, spread)
			for i := range in.Nodes {
				in.Nodes[i].NominatedUntil = fixture.Noon.Add(4 * time.Hour)
			}
			return in
		}, "240 264 288 312 336"},
		{"leaves what is late to nodes alone", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 3, budget.Budget{Nodes: "3", Spread: "6h"})
			for i := range in.Nodes {
				in.Nodes[i].NominatedUntil = fixture.Noon.Add(7 * time.Hour)
			}
			return in
		}, "420 420 420"},
		{"is over all nodes of a unit as one", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 4, spread)
			in.Nodes[0].Unit, in.Nodes[1].Unit = "a", "a"
			return in
		}, "90 90 180 270"},
		{"begins anew with a revision", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 1, spread)
			in.Pools[0].Revision = "2"
			in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: fixture.Noon.Add(-5 * time.Hour), Revision: "1"}}}}
			return in
		}, "180"},
		{"begins anew after a begin that only a wrong clock can have written", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 1, spread)
			in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: fixture.Noon.Add(time.Hour)}}}}
			return in
		}, "180"},
		{"begins anew where a reason holds only since the spread is over", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 2, spread)
			in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: fixture.Noon.Add(-7 * time.Hour)}}}}
			return in
		}, "120 240"},
		{"does not go on for nodes that are blocked for good", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 1, spread)
			in.Nodes[0].DoNotDisrupt = true
			in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: fixture.Noon.Add(-7 * time.Hour)}}}}
			pass(&in)
			in.Now, in.Nodes[0].DoNotDisrupt = fixture.Noon, false
			return in
		}, "180"},
		{"is not delayed by a node in flight for an unknown reason", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 2, budget.Budget{Nodes: "3", Spread: "6h"})
			in.Nodes[0].Leaving, in.Nodes[0].Conditions = candidate.Draining, nil
			in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: fixture.Noon.Add(-2 * time.Hour)}}}}
			return in
		}, "60"},
		{"starts after 20,000 changes of its budgets as if it was open", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 1, spread, budget.Budget{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"})
			in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: fixture.Noon.Add(-20 * 24 * time.Hour)}}}}
			in.Nodes[0].Conditions[0].Since = fixture.Noon.Add(-20 * 24 * time.Hour)
			return in
		}, "1"},
		{"delays no overdue node", func(t *testing.T) disruptkit.Input {
			in := spreading(t, 1, spread)
			in.Nodes[0].Conditions[0].Deadline = fixture.Noon.Add(time.Hour)
			return in
		}, "60"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in(t)
			var starts []string
			for range 100 {
				at := in.Now
				for range pass(&in) {
					starts = append(starts, fmt.Sprint(int(at.Sub(fixture.Noon).Minutes())))
				}
			}
			if got := strings.Join(starts, " "); got != c.starts {
				t.Errorf("starts at %s, want %s", got, c.starts)
			}
		})
	}
}

func TestARollGoesOnWhileItsLastNodeIsInFlight(t *testing.T) {
	in := spreading(t, 1, budget.Budget{Nodes: "2", Spread: "6h"})
	since := fixture.Noon.Add(-5 * time.Hour)
	in.Memory = map[string]disruptkit.Memory{"default": {Spreads: []disruptkit.Spreading{{Since: since}}}}
	n := &in.Nodes[0]
	n.Conditions, n.Leaving, n.DisruptedFor = nil, candidate.Draining, "Drifted"
	if s := disruptkit.Decide(in, "").Memory["default"].Spreads; len(s) != 1 || !s[0].Since.Equal(since) {
		t.Error(s)
	}
	n.DisruptedFor = "Empty"
	if s := disruptkit.Decide(in, "").Memory["default"].Spreads; len(s) != 0 {
		t.Error(s)
	}
}

// Once the last candidate is disrupted for another reason, there is no roll, and a node that is blocked for good does not wait for one.
func TestARollWithoutCandidatesAndNodesInFlightIsOver(t *testing.T) {
	in := spreading(t, 2, budget.Budget{Nodes: "4", Spread: "1h"})
	in.Nodes[0].Conditions = append(in.Nodes[0].Conditions, candidate.Condition{Reason: candidate.Underutilized, Since: fixture.Noon.Add(-time.Hour)})
	in.Nodes[1].DoNotDisrupt = true
	d := disruptkit.Decide(in, "")
	if len(d.Allowed) != 1 || d.Allowed[0].Reason != candidate.Underutilized {
		t.Fatal(fixture.Story(d))
	}
	for _, c := range d.Blocked {
		if c.Node == "n-01" && len(c.Blockers) != 1 {
			t.Errorf("its blockers are %v, want do-not-disrupt alone", c.Blockers)
		}
	}
}

// A unit is one candidate for each of its reasons.
func TestAUnitThatIsDisruptedForAnotherReasonNoLongerWaits(t *testing.T) {
	in := spreading(t, 3, budget.Budget{Nodes: "3", Spread: "6h"})
	for i := range in.Nodes[:2] {
		in.Nodes[i].Unit = "a"
		in.Nodes[i].Conditions = append(in.Nodes[i].Conditions, candidate.Condition{Reason: "Empty", Since: fixture.Noon})
	}
	d := disruptkit.Decide(in, "")
	if got := fmt.Sprint(fixture.Allowed(d)); got != "[n-00 n-01]" {
		t.Fatal(fixture.Story(d))
	}
	for _, p := range d.Pools {
		if p.Spread != nil && p.Spread.Left != 1 {
			t.Errorf("%d candidates are left, want 1", p.Spread.Left)
		}
	}
}

func TestASpreadDelaysNoRepairAndNoConsolidation(t *testing.T) {
	in := spreading(t, 4, budget.Budget{Nodes: "4", Spread: "24h"})
	for i, r := range []candidate.Reason{"Unhealthy/Ready", "Requested", "Empty", "Underutilized"} {
		in.Nodes[i].Conditions[0].Reason = r
	}
	if d := disruptkit.Decide(in, ""); len(d.Allowed) != 4 || len(d.Memory) != 0 {
		t.Error(fixture.Story(d), d.Memory)
	}
}

func TestASpreadReportsWhetherItIsOnPace(t *testing.T) {
	in := spreading(t, 3, budget.Budget{Nodes: "2", Spread: "4h"})
	check := func(at time.Time, behind bool, next time.Time) {
		in.Now = at
		d := disruptkit.Decide(in, "Drifted")
		if s := d.Pools[0].Spread; s == nil || s.Left != 3 || s.Behind != behind || !s.Next.Equal(next) || !s.End.Equal(fixture.Noon.Add(4*time.Hour)) {
			t.Errorf("%v: %+v", at, s)
		}
		in.Memory = d.Memory
	}
	check(fixture.Noon, false, fixture.Noon.Add(time.Hour))
	for i := range in.Nodes {
		in.Nodes[i].NominatedUntil = fixture.Noon.Add(7 * time.Hour)
	}
	check(fixture.Noon.Add(2*time.Hour), true, fixture.Noon.Add(time.Hour))
	in.Now = fixture.Noon.Add(4 * time.Hour)
	warnings := disruptkit.Decide(in, "Drifted").Warnings
	want := "NodePool/default: budgets[0]: the spread of budgets[0] ended at 2026-11-20T16:00:00Z with 3 candidates left, which only nodes limits now: " +
		"remove what blocks them, or spread the roll over more time"
	if len(warnings) != 1 || warnings[0].Error() != want {
		t.Errorf("%v, want %s", warnings, want)
	}
}
