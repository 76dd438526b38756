package budget_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Pacer that has counted starts one after the other, in any order, and a copy of it say the same as what looks at every time at which
// anything changes, and counts all starts anew at each.
func TestAPacerAnswersAsIfItCountedAllStartsAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := budget.Spec{Budgets: rapid.SliceOfN(arbitrary(generate.Pace), 1, 4).Draw(t, "budgets"), MostSpecific: rapid.Bool().Draw(t, "specific")}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		nodes := rapid.IntRange(0, 60).Draw(t, "nodes")
		starts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) budget.Start {
			at := lintNow.Add(time.Duration(rapid.IntRange(-1500, 300).Draw(t, "minutes")) * time.Minute)
			return budget.Start{Reason: arbitrary(generate.Reason).Draw(t, "reason"), At: at}
		}), 0, 25).Draw(t, "starts")
		known := rapid.IntRange(0, len(starts)).Draw(t, "known at first")
		for i := range starts[:known] { // what a Pacer is given counts at once
			starts[i].At = starts[i].At.Add(-400 * time.Minute)
		}
		pacer := set.Pacer(nodes, starts[:known])
		first := pacer.Clone()
		var beside budget.Usage
		for i, s := range starts[known:] {
			pacer.Start(s.Reason, s.At)
			beside.Add(s.Reason, 1)
			if rapid.Bool().Draw(t, "asked in between") {
				asks(t, spec, set, pacer, nodes, starts[:known+i+1], beside)
			}
		}
		asks(t, spec, set, pacer, nodes, starts, beside)
		if known < len(starts) {
			dropped := rapid.IntRange(known, len(starts)-1).Draw(t, "dropped")
			pacer.Drop(starts[dropped].Reason, starts[dropped].At)
			asks(t, spec, set, pacer, nodes, slices.Delete(slices.Clone(starts), dropped, dropped+1), beside)
		}
		asks(t, spec, set, first, nodes, starts[:known], beside)
	})
}

// A start whose time lies ahead was recorded by a wrong clock. It counts at once, and until it would.
func TestAPacerCountsStartsOfAClockThatWasAhead(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", Per: "1h"}})
	if err != nil {
		t.Fatal(err)
	}
	p := set.Pacer(10, []budget.Start{{Reason: "Drifted", At: lintNow.Add(20 * time.Minute)}})
	if got := p.NextStart(lintNow, "Drifted"); !got.Equal(lintNow.Add(80 * time.Minute)) {
		t.Errorf("the next may start at %v", got)
	}
}

// asks compares the answers of a Pacer with slow ones.
func asks(t *rapid.T, spec budget.Spec, set budget.Set, pacer *budget.Pacer, nodes int, starts []budget.Start, beside budget.Usage) {
	now := lintNow.Add(time.Duration(rapid.IntRange(-90, 400).Draw(t, "now")) * time.Minute)
	reason := arbitrary(generate.Reason).Draw(t, "asked")
	if got, want := pacer.NextStart(now, reason), nextStart(spec, set, now, nodes, reason, starts); !got.Equal(want) {
		t.Fatalf("one more may start for %s from %v on, not %v", reason, got, want)
	}
	if got, want := pacer.NextChange(now), nextChange(set, spec, now, starts); !got.Equal(want) {
		t.Fatalf("time first changes something at %v, not %v", got, want)
	}
	if got, want := pacer.Pacing(now, reason).MayStart(budget.Usage{}).Nodes > 0, mayStart(spec, now, nodes, reason, starts); got != want {
		t.Fatalf("one more may start for %s at %v: %t", reason, now, got)
	}
	if got, want := pacer.Ends(now, reason, beside), ends(set, now, nodes, reason, starts, beside); !got.Equal(want) {
		t.Fatalf("what starts now for %s may up to %v, not %v", reason, got, want)
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
	next := set.PaceChange(now)
	for _, b := range spec.Budgets {
		per, _ := time.ParseDuration(b.Per)
		for _, s := range starts {
			if end := s.At.Add(per); end.After(now) {
				next = until.First(next, end)
			}
		}
	}
	return next
}

// ends counts at each change of a pace.
func ends(set budget.Set, now time.Time, nodes int, reason candidate.Reason, starts []budget.Start, beside budget.Usage) time.Time {
	for range 100 {
		now = set.PaceChange(now)
		begun := slices.DeleteFunc(slices.Clone(starts), func(s budget.Start) bool { return s.At.After(now) })
		if now.IsZero() || set.Pacing(now, nodes, reason, begun).MayStart(beside).Nodes <= 0 {
			return now
		}
	}
	return time.Time{}
}
