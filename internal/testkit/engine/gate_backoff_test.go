package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// "The window grows 1m, 2m, 4m, 8m, 10m, 10m … each actual window is equal-jittered to [½w, w)." (Karpenter's drift back-off RFC)
func TestTheWaitsOfABackoffGrow(t *testing.T) {
	for _, c := range []struct {
		name   string
		jitter float64
		want   string
	}{
		{"with all of the jitter", 1, "1:1m0s 2:2m0s 3:4m0s 4:8m0s 5:10m0s 5:10m0s"},
		{"with none", 0, "1:30s 2:1m0s 3:2m0s 4:4m0s 5:5m0s 5:5m0s"},
		{"with half of it", 0.5, "1:45s 2:1m30s 3:3m0s 4:6m0s 5:7m30s 5:7m30s"},
		{"less than none is none", -7, "1:30s 2:1m0s 3:2m0s 4:4m0s 5:5m0s 5:5m0s"},
		{"more than all is all", 7, "1:1m0s 2:2m0s 3:4m0s 4:8m0s 5:10m0s 5:10m0s"},
		{"no number is all", math.NaN(), "1:1m0s 2:2m0s 3:4m0s 4:8m0s 5:10m0s 5:10m0s"},
		{"nor is the least of them", math.Inf(-1), "1:30s 2:1m0s 3:2m0s 4:4m0s 5:5m0s 5:5m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b disruptkit.Backoff
			var got []string
			for now := fixture.Noon; len(got) < 6; now = b.Until {
				b = b.Fail(now, c.jitter)
				got = append(got, fmt.Sprintf("%d:%s", b.Level, b.Until.Sub(now)))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// "Fail is a no-op while the pool is already backed off, so the escalation tracks failed windows, not individual launch attempts."
func TestFailuresWithinAWaitCountOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := disruptkit.Backoff{
			Level: rapid.SampledFrom([]int{math.MinInt, -1, 0, 1, 2, 3, 4, 5, 6, math.MaxInt}).Draw(t, "level"),
			Until: fixture.Noon.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "until")) * time.Minute),
		}
		now := fixture.Noon.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "now")) * time.Minute)
		jitter := rapid.Float64().Draw(t, "jitter")
		switch next := b.Fail(now, jitter); {
		case now.Before(b.Until) && next != b:
			t.Fatalf("%v becomes %v before its end", b, next)
		case now.Before(b.Until):
		case next.Level != min(max(b.Level, 0), 4)+1, !next.Until.After(now), next.Until.Sub(now) < 30*time.Second, next.Until.Sub(now) > 10*time.Minute:
			t.Fatalf("%v becomes %v at %v", b, next, now)
		case next.Fail(now, jitter) != next:
			t.Fatal("a second failure counts")
		}
		if b.Fail(time.Time{}, jitter) != b {
			t.Fatal("it changes at no time")
		}
	})
}

// "While a NodePool is backed off, its candidates are skipped during drift candidate selection."
func TestAPoolWhoseReplacementsFailWaits(t *testing.T) {
	const message = "replacements of the pool's nodes fail (back-off level 2), and the pool waits before it tries again"
	sick := fixture.Wanted("r", fixture.Noon, "Unhealthy/Ready")
	sick.Conditions[0].Since = fixture.Noon
	for _, c := range []struct {
		name   string
		until  time.Time
		repair bool
		want   string
	}{
		{"drift and expiration wait, and nothing else does", fixture.Noon.Add(3 * time.Minute), false, "r goes\ne goes\nd backoff/backed-off until 12:03\nx backoff/backed-off until 12:03"},
		{"repair also waits if the pool has RepairBacksOff", fixture.Noon.Add(3 * time.Minute), true, "e goes\nr backoff/backed-off until 12:03\nd backoff/backed-off until 12:03\nx backoff/backed-off until 12:03"},
		{"until its end", fixture.Noon, true, "r goes\nd goes\nx goes\ne goes"},
		{"up to its last nanosecond", fixture.Noon.Add(1), false, "r goes\ne goes\nd backoff/backed-off until 12:00\nx backoff/backed-off until 12:00"},
		{"one that ends later than any wait was written by a wrong clock", fixture.Noon.AddDate(9, 0, 0), false, "r goes\ne goes\nd backoff/backed-off until 12:10\nx backoff/backed-off until 12:10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{
				Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})},
				Nodes:  []candidate.Node{fixture.Wanted("d", fixture.Noon, "Drifted/AMIDrift"), fixture.Wanted("x", fixture.Noon, "Expired"), fixture.Wanted("e", fixture.Noon.Add(time.Minute), "Empty"), sick},
				Memory: map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 2, Until: c.until}}, "gone": {Backoff: disruptkit.Backoff{Level: 1, Until: c.until}}},
			}
			in.Pools[0].RepairBacksOff = c.repair
			d := disruptkit.Decide(in, "")
			if diff := cmp.Diff(c.want, strings.Join(fixture.Fates(d), "\n")); diff != "" {
				t.Error(diff)
			}
			blocked := false
			for _, candidates := range d.Blocked {
				for _, b := range candidates.Blockers {
					blocked = true
					if b.Message != message || b.ForGood || !d.NextChange.Equal(b.Until) {
						t.Errorf("%+v, next change %v", b, d.NextChange)
					}
				}
			}
			for _, p := range d.Pools {
				waits := blocked && (p.Reason == "" || p.Reason.Method() == candidate.Drifted || p.Reason.Method() == candidate.Expired || c.repair && p.Reason.Method() == candidate.Unhealthy)
				if got := len(p.Blockers) > 0; got != waits {
					t.Errorf("%q of the pool is blocked: %v", p.Reason, p.Blockers)
				}
			}
			if got := d.Memory["default"].Backoff; got.Level != 2 || got.Until.After(fixture.Noon.Add(10*time.Minute)) {
				t.Errorf("remembered: %+v", got)
			}
			if got := d.Memory["gone"].Backoff; got.Level != 1 || !got.Until.Equal(c.until) {
				t.Errorf("of a pool that is not in the input, %+v is remembered", got)
			}
		})
	}
}

// What is stored may be forged, or written by a wrong clock: then it blocks the pool no longer than any wait, and what is used for
// nothing is forgotten.
func TestABackoffThatIsStoredWrongIsPutRight(t *testing.T) {
	at := func(minutes int) time.Time { return fixture.Noon.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		name         string
		stored, want disruptkit.Backoff
	}{
		{"one that runs stays", disruptkit.Backoff{Level: 3, Until: at(4)}, disruptkit.Backoff{Level: 3, Until: at(4)}},
		{"so does the level of one that is over: the next failure counts on", disruptkit.Backoff{Level: 3, Until: at(-400)}, disruptkit.Backoff{Level: 3, Until: at(-400)}},
		{"one without a time is a level", disruptkit.Backoff{Level: 2}, disruptkit.Backoff{Level: 2}},
		{"a clock that went back by an hour", disruptkit.Backoff{Level: 1, Until: at(61)}, disruptkit.Backoff{Level: 1, Until: at(10)}},
		{"a level that is too high", disruptkit.Backoff{Level: math.MaxInt, Until: at(4)}, disruptkit.Backoff{Level: 5, Until: at(4)}},
		{"a negative one also waits", disruptkit.Backoff{Level: math.MinInt, Until: at(4)}, disruptkit.Backoff{Until: at(4)}},
		{"of no level, and over: nothing", disruptkit.Backoff{Level: -1, Until: at(0)}, disruptkit.Backoff{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{
				Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})},
				Nodes:  []candidate.Node{fixture.Wanted("d", fixture.Noon, "Drifted")},
				Memory: map[string]disruptkit.Memory{"default": {Backoff: c.stored}},
			}
			d := disruptkit.Decide(in, candidate.Drifted)
			got, remembered := d.Memory["default"]
			if !got.Equal(disruptkit.Memory{Backoff: c.want}) || remembered != (c.want != disruptkit.Backoff{}) {
				t.Errorf("remembered: %t, %+v", remembered, got.Backoff)
			}
			if waits := c.want.Until.After(fixture.Noon); waits != (len(d.Blocked) == 1) || waits && !d.NextChange.Equal(c.want.Until) {
				t.Errorf("%v is blocked, next change %v", d.Blocked, d.NextChange)
			}
			for _, blocked := range d.Blocked {
				if b := blocked.Blockers[0]; b.Message != fmt.Sprintf("replacements of the pool's nodes fail (back-off level %d), and the pool waits before it tries again", c.want.Level) {
					t.Error(b)
				}
			}
		})
	}
}

// A roll stays in its zone while the pool waits, whatever its patience.
func TestARollStaysWhereItIsWhileThePoolBacksOff(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned("a1* b1*"), Memory: fixture.Rolling("b", "")}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "100%"})}
	m := in.Memory["default"]
	for range 9 {
		m.Backoff = m.Backoff.Fail(in.Now, 1)
		in.Memory["default"] = m
		d := disruptkit.Decide(in, candidate.Drifted)
		if got := d.Memory["default"].Roll; len(d.Allowed) > 0 || got.Domain != "b" {
			t.Fatalf("at %v, %v may be disrupted, and the roll is in %s", in.Now, d.Allowed, got.Domain)
		}
		m, in.Now = d.Memory["default"], m.Backoff.Until
	}
	in.Memory["default"] = m
	if got := strings.Join(fixture.Allowed(disruptkit.Decide(in, candidate.Drifted)), " "); got != "b1" {
		t.Errorf("after the wait: %s", got)
	}
}

// From its deadline on, budgets and back-off are one waiver: what lifts last counts.
func TestABackoffThatOutlastsAFreezeAlsoDelaysANodeThatIsOverdueByThen(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(1, 1), Pools: []disruptkit.Pool{fixture.Pool(t,
		budget.Budget{Nodes: "2"}, budget.Budget{Nodes: "0", Schedule: "0 12 * * *", Duration: "5m"},
		budget.Budget{Nodes: "1", Schedule: "0 0 * * sat", Duration: "24h"}, // overdue nodes: one at once
	)}}
	in.Nodes[0].Conditions[0].Deadline = fixture.Noon.Add(3 * time.Minute)
	in.Nodes[1].Leaving = candidate.Draining
	for _, c := range []struct{ backoff, want time.Duration }{{4 * time.Minute, 5 * time.Minute}, {8 * time.Minute, 8 * time.Minute}} {
		in.Memory = map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 4, Until: fixture.Noon.Add(c.backoff)}}}
		for _, b := range disruptkit.Decide(in, "Drifted").Blocked[0].Blockers {
			if b.Gate == candidate.GateBudget && !b.Until.Equal(fixture.Noon.Add(c.want)) {
				t.Errorf("with a back-off of %s, the freeze is over after %s, want %s", c.backoff, b.Until.Sub(fixture.Noon), c.want)
			}
		}
	}
}
