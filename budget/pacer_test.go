package budget_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Pacer that has counted starts one after the other, in any order, and a copy of it say the same as what looks at every time at which
// anything changes, and counts all starts anew at each.
func TestAPacerAnswersAsIfItCountedAllStartsAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := budget.Spec{Budgets: rapid.SliceOfN(testkit.Arbitrary(generate.Pace), 1, 4).Draw(t, "budgets"), MostSpecific: rapid.Bool().Draw(t, "specific")}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		nodes := rapid.IntRange(0, 60).Draw(t, "nodes")
		starts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) budget.Start {
			at := aMonday.Add(time.Duration(rapid.IntRange(-1500, 300).Draw(t, "minutes")) * time.Minute)
			return budget.Start{Reason: testkit.Arbitrary(generate.Reason).Draw(t, "reason"), At: at}
		}), 0, 25).Draw(t, "starts")
		known := rapid.IntRange(0, len(starts)).Draw(t, "known at first")
		for i := range starts[:known] { // what a Pacer is given counts at once
			starts[i].At = starts[i].At.Add(-400 * time.Minute)
		}
		pacer := set.Pacer(nodes, times(starts[:known]))
		first := pacer.Clone()
		for i, s := range starts[known:] {
			pacer.Start(s.Reason, s.At)
			if rapid.Bool().Draw(t, "asked in between") {
				asks(t, spec, set, pacer, nodes, starts[:known+i+1])
			}
		}
		asks(t, spec, set, pacer, nodes, starts)
		asks(t, spec, set, first, nodes, starts[:known])
	})
}

// A start whose time lies ahead was recorded by a wrong clock. It counts at once, and until it would.
func TestAPacerCountsStartsOfAClockThatWasAhead(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", Per: "1h"}})
	if err != nil {
		t.Fatal(err)
	}
	p := set.Pacer(10, times([]budget.Start{{Reason: "Drifted", At: aMonday.Add(20 * time.Minute)}}))
	if got := p.NextStart(aMonday, "Drifted"); !got.Equal(aMonday.Add(80 * time.Minute)) {
		t.Errorf("the next may start at %v", got)
	}
}

// times yields starts as a Pacer wants them.
func times(starts []budget.Start) iter.Seq2[candidate.Reason, time.Time] {
	return func(yield func(candidate.Reason, time.Time) bool) {
		for _, s := range starts {
			if !yield(s.Reason, s.At) {
				return
			}
		}
	}
}

// pacing is what paces let start at a time, given starts that all count.
func pacing(set budget.Set, at time.Time, nodes int, reason candidate.Reason, starts []budget.Start) budget.Pacing {
	return set.Pacer(nodes, times(starts)).Pacing(at, reason)
}

// firstStart is when one more node may start, given starts that count from their time on.
func firstStart(set budget.Set, from time.Time, nodes int, reason candidate.Reason, starts []budget.Start) time.Time {
	p := set.Pacer(nodes, times(nil))
	for _, start := range slices.SortedFunc(slices.Values(starts), budget.Start.Compare) {
		p.Start(start.Reason, start.At)
	}
	return p.NextStart(from, reason)
}

// paceChange is when a pace next becomes active or inactive.
func paceChange(set budget.Set, now time.Time) (next time.Time) {
	for _, b := range set.Limits() {
		if b.Per > 0 && !b.Broken() {
			_, end := b.Window.Until(now)
			next = schedule.First(next, end)
		}
	}
	return next
}

// asks compares the answers of a Pacer with slow ones.
func asks(t *rapid.T, spec budget.Spec, set budget.Set, pacer *budget.Pacer, nodes int, starts []budget.Start) {
	now := aMonday.Add(time.Duration(rapid.IntRange(-90, 400).Draw(t, "now")) * time.Minute)
	reason := testkit.Arbitrary(generate.Reason).Draw(t, "asked")
	if got, want := pacer.NextStart(now, reason), nextStart(spec, set, now, nodes, reason, starts); !got.Equal(want) {
		t.Fatalf("one more may start for %s from %v on, not %v", reason, got, want)
	}
	if got, want := pacer.NextChange(now), nextChange(set, spec, now, starts); !got.Equal(want) {
		t.Fatalf("time first changes something at %v, not %v", got, want)
	}
	if got, want := pacer.Pacing(now, reason).MayStart(budget.Usage{}, budget.Usage{}).Nodes > 0, mayStart(spec, now, nodes, reason, starts); got != want {
		t.Fatalf("one more may start for %s at %v: %t", reason, now, got)
	}
}

// nextStart tries every time at which anything changes.
func nextStart(spec budget.Spec, set budget.Set, at time.Time, nodes int, reason candidate.Reason, starts []budget.Start) time.Time {
	for range 4000 {
		if mayStart(spec, at, nodes, reason, starts) {
			return at
		}
		begun := slices.DeleteFunc(slices.Clone(starts), func(s budget.Start) bool { return s.At.After(at) })
		if at = nextChange(set, spec, at, begun); at.IsZero() {
			break
		}
	}
	return time.Time{}
}

// nextChange looks at every start, for every pace.
func nextChange(set budget.Set, spec budget.Spec, now time.Time, starts []budget.Start) time.Time {
	next := paceChange(set, now)
	for _, b := range spec.Budgets {
		per, _ := time.ParseDuration(b.Per)
		for _, s := range starts {
			if end := s.At.Add(per); end.After(now) {
				next = schedule.First(next, end)
			}
		}
	}
	return next
}

// Whatever some starts are for, and wherever they lie: those that no longer count, those that still do, one right now and one that lies
// ahead.
func TestWhenOneMoreMayStartAfterAnySomeOfTenStarts(t *testing.T) {
	minutes := [...]int{-130, -90, -60, -59, -50, -50, -20, -5, 0, 10}
	reasons := [...]candidate.Reason{"Drifted", "Empty", "Expired"}
	for _, nodes := range []string{"1", "2", "4"} {
		spec := budget.Spec{Budgets: []budget.Budget{{Nodes: nodes, Per: "1h"}, {Nodes: "1", Per: "20m", Reasons: reasons[1:2]}}}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for which := range 1 << len(minutes) {
			var starts []budget.Start
			for i, m := range minutes {
				if which>>i&1 != 0 {
					starts = append(starts, budget.Start{Reason: reasons[i%3], At: aMonday.Add(time.Duration(m) * time.Minute)})
				}
			}
			for _, reason := range reasons[:2] {
				got, want := firstStart(set, aMonday, 10, reason, starts), nextStart(spec, set, aMonday, 10, reason, starts)
				if !got.Equal(want) {
					t.Fatalf("%s per hour: one more may start for %s at %v, want %v: %v", nodes, reason, got, want, starts)
				}
			}
		}
	}
}

// A percentage of no nodes lets none start, not even after the starts of nodes that are gone.
func TestAPaceOfNoNodesNeverLetsOneStart(t *testing.T) {
	tenth := budget.Budget{Nodes: "10%", Per: "1h"}
	for _, c := range []struct {
		name   string
		starts []budget.Start
		paces  []budget.Budget
		want   time.Time
	}{
		{"before any start", nil, []budget.Budget{tenth}, time.Time{}},
		{"after some", ago(50, 10), []budget.Budget{tenth}, time.Time{}},
		{"beside a pace that lets one start later", ago(10), []budget.Budget{tenth, {Nodes: "1", Per: "1h"}}, time.Time{}},
		{"up to the end of its window", ago(10), []budget.Budget{{Nodes: "10%", Per: "1h", From: "2020-01-01", To: "2026-12-23"}},
			time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile(c.paces)
			if err != nil {
				t.Fatal(err)
			}
			if got := firstStart(set, aMonday, 0, "Drifted", c.starts); !got.Equal(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
