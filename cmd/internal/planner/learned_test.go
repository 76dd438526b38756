package planner

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// middles returns the mean over many seeds of how long a step takes for a node of a pool in the middle.
func middles(all []measurement, given plan.Takes, isGiven bool, pool string) time.Duration {
	sum := time.Duration(0)
	const seeds = 400
	for seed := range uint64(seeds) {
		sum += at(newLearned(all, given, isGiven, seed).of(candidate.Node{Pool: pool}, time.Time{}), 0.5) / seeds
	}
	return sum
}

func measurements(pool string, ends bool, minutes ...int) (all []measurement) {
	for _, m := range minutes {
		all = append(all, measurement{pool, time.Duration(m) * time.Minute, ends})
	}
	return all
}

func TestMeasurementsReplaceGivenTimes(t *testing.T) {
	given := plan.Constant(100 * time.Minute)
	ten := func(n int) []measurement { return measurements("web", true, []int{10, 10, 10, 10, 10, 10, 10}[:n]...) }
	for rule, test := range map[string]struct {
		all     []measurement
		isGiven bool
		pool    string
		from    int // minutes
		to      int
	}{
		"nothing is measured":                                   {nil, true, "web", 100, 100},
		"nothing is measured, and it is a default":              {nil, false, "web", 100, 100},
		"one replaces a default":                                {ten(1), false, "web", 8, 14},
		"one is one of five":                                    {ten(1), true, "web", 60, 100},
		"five are enough":                                       {ten(5), true, "web", 9, 11},
		"those of other pools count where there are no others":  {ten(6), true, "api", 9, 11},
		"those of other pools do not where there are enough":    {append(ten(6), measurements("api", true, 40, 40, 40, 40, 40)...), true, "api", 38, 42},
		"those that still last are likely longer":               {append(ten(6), measurements("web", false, 30, 30, 30, 30, 30, 30, 30, 30, 30)...), true, "web", 20, 50},
		"those that have begun just now say nothing":            {append(ten(6), measurements("web", false, 0, 0, 0, 0, 0, 0, 0, 0, 0)...), true, "web", 9, 11},
		"if none has ended, those that last longer than given":  {measurements("web", false, 200, 200, 200, 200, 200, 200, 200, 200), true, "web", 200, 400},
		"if none has ended, those that last shorter than given": {measurements("web", false, 20, 30, 40), true, "web", 100, 100},
	} {
		got := middles(test.all, given, test.isGiven, test.pool).Minutes()
		if got < float64(test.from)-0.01 || got > float64(test.to)+0.01 {
			t.Errorf("%s: %.1f minutes, want %d to %d", rule, got, test.from, test.to)
		}
	}
}

func TestTheRestOfWhatHasLastedForSomeTime(t *testing.T) {
	shares := []share{{1, 2 * time.Minute, 4 * time.Minute}, {1, 10 * time.Minute, 10 * time.Minute}}
	for _, test := range []struct{ since, chance, want float64 }{
		{0, 0, 2}, {0, 0.25, 3}, {0, 0.75, 10},
		{3, 0, 0}, {3, 0.1, 0.3}, {3, 0.9, 7}, // a third of what is left is from 3 to 4
		{5, 0.5, 5}, {10, 0, 0}, {20, 0.5, 10}, // nothing is known of so long: up to as long again
	} {
		if got := rest(shares, time.Duration(test.since*float64(time.Minute)), test.chance).Minutes(); math.Abs(got-test.want) > 0.02 {
			t.Errorf("after %v minutes, at %v: %v more, want %v", test.since, test.chance, got, test.want)
		}
	}
}

// An end that no timestamp says is between two snapshots.
func TestWhatIsMeasuredOfARoll(t *testing.T) {
	start := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	minute := func(m float64) time.Time { return start.Add(time.Duration(m * float64(time.Minute))) }
	claim := func(name string, created, initialized, deleted float64) manifest.Milestones {
		zero := func(m float64) time.Time {
			if m == 0 {
				return time.Time{}
			}
			return minute(m)
		}
		return manifest.Milestones{Claim: name, Node: name, Pool: "web", Created: zero(created), Initialized: zero(initialized), Deleted: zero(deleted)}
	}
	drifted := []candidate.Node{{Name: "a", Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: start}}}}
	for rule, test := range map[string]struct {
		first, second []manifest.Milestones // at 10 and 11 minutes
		want          string
		inFlight      int
	}{
		"a launch is from its creation until it is Initialized":    {nil, []manifest.Milestones{claim("b", 5, 8, 0)}, "1 launch of up to 3m", 0},
		"a launch from before the roll is none of it":              {nil, []manifest.Milestones{claim("b", -5, 8, 0)}, "", 0},
		"a launch that is not over":                                {nil, []manifest.Milestones{claim("b", 5, 0, 0)}, "1 launch of up to 6m so far", 1},
		"a launch that has failed is not one that ends":            {[]manifest.Milestones{claim("b", 5, 0, 0)}, nil, "1 launch of up to 5m so far", 0},
		"a drain ends between two snapshots":                       {[]manifest.Milestones{claim("a", -9, -8, 2)}, nil, "1 drain of up to 8m", 0},
		"a drain that is not over":                                 {nil, []manifest.Milestones{claim("a", -9, -8, 2)}, "1 drain of up to 9m so far", 1},
		"a drain from before the roll is none of it":               {[]manifest.Milestones{claim("a", -9, -8, -2)}, nil, "", 0},
		"a drain that nobody saw begin is shorter than a minute":   {[]manifest.Milestones{claim("a", -9, -8, 0)}, nil, "1 drain of up to 30s", 0},
		"a NodeClaim of which nothing is known says nothing":       {[]manifest.Milestones{claim("a", 0, 0, 0)}, []manifest.Milestones{claim("a", 0, 0, 0)}, "", 0},
		"several drains and launches":                              {[]manifest.Milestones{claim("a", -9, -8, 2), claim("b", -9, -8, 1), claim("c", -9, -8, 4)}, []manifest.Milestones{claim("d", 1, 2, 0), claim("e", 1, 3, 0)}, "3 drains of up to 9m, half of them up to 8m; 2 launches of up to 2m, half of them up to 1m", 0},
		"a node whose replacement is not Ready does not drain yet": {nil, []manifest.Milestones{{Claim: "a", Node: "a", Disrupted: minute(9)}}, "", 1},
	} {
		m := newMeasured(drifted, minute(10))
		m.see(test.first, minute(10))
		m.see(test.second, minute(11))
		begun := m.begun(minute(11))
		if n := len(begun["drain"]) + len(begun["launch"]); m.String() != test.want || n != test.inFlight {
			t.Errorf("%s: %q, %d in flight, want %q, %d", rule, m, n, test.want, test.inFlight)
		}
	}
	m := newMeasured(drifted, minute(10))
	m.see([]manifest.Milestones{claim("a", -9, -8, 2)}, minute(10))
	m.see(nil, minute(60))
	if m.has("drain") {
		t.Errorf("after 50 minutes without a snapshot, how long a drain took is not known: %s", m)
	}
	m.queues["a"] = 3 * time.Minute
	m.see(nil, minute(61))
	if m.see([]manifest.Milestones{claim("b", -9, -8, 60)}, minute(63)); m.has("drain") {
		t.Error(m)
	}
	m.queues["b"] = time.Minute
	if m.see(nil, minute(64)); !strings.HasPrefix(m.String(), "1 drain of up to 2m") {
		t.Errorf("a wait for a PodDisruptionBudget is in the plan already: %s", m)
	}
}

// A node in flight goes on from where it is; all others take as long as ever.
func TestNodesInFlightGoOnFromWhereTheyAre(t *testing.T) {
	drain := begun{"draining": 4 * time.Minute}.takes(newLearned(nil, plan.Constant(10*time.Minute), true, 0))
	launch := begun{"starting": time.Minute, "launching": 2 * time.Minute}.takes(newLearned(nil, plan.Constant(3*time.Minute), true, 0))
	leaves := func(name string) candidate.Node { return candidate.Node{Name: name, Leaving: candidate.Draining} }
	for _, test := range []struct {
		n             candidate.Node
		drain, launch float64
	}{
		{leaves("draining"), 6, 3}, {candidate.Node{Name: "draining"}, 10, 3}, {leaves("other"), 10, 3}, {leaves("starting"), 10, 2},
		{candidate.Node{Name: "starting"}, 10, 3}, {candidate.Node{Name: "launching", Phase: candidate.Launched}, 10, 1},
		{candidate.Node{Name: "launching", Phase: candidate.Running}, 10, 3},
	} {
		if d, l := drain(test.n, time.Time{}, 0.5), launch(test.n, time.Time{}, 0.5); d.Minutes() != test.drain || l.Minutes() != test.launch {
			t.Errorf("%+v: %s to drain, %s to launch, want %v and %v minutes", test.n, d, l, test.drain, test.launch)
		}
	}
}
