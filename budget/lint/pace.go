package lint

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// openings are the times in which nodes are allowed for a reason.
type openings struct {
	spans    []schedule.Span
	usual    time.Duration  // how long one lasts; 0 if there are fewer than three
	apart    time.Duration  // how far they are apart at most
	blocking budget.Indexes // the budgets that close
}

// ofOpenings looks at each reason and its openings.
func ofOpenings(find func(*linter, candidate.Reason, openings) (Finding, advisor)) func(*linter) {
	return ofReasons(func(l *linter, r candidate.Reason) (Finding, advisor) { return find(l, r, l.openingsOf(r)) })
}

// slowPace finds paces that are too slow for a pool to finish within one of the windows in which its nodes are allowed.
func (l *linter) slowPace(r candidate.Reason, o openings) (f Finding, fix advisor) {
	if l.assumed || o.usual <= 0 || l.set.MostSpecific() {
		return f, nil
	}
	most := math.MaxInt // nodes that can start within a window
	for _, b := range l.paces {
		n := b.Of(l.nodes) * int((o.usual+b.Per-1)/b.Per)
		if b.Covers(r) && constant(b) && n < most {
			most, f.Budgets = n, only(b.Index)
		}
	}
	if most >= l.nodes {
		return f, nil
	}
	need := (l.nodes + most - 1) / most
	all := o.spans[min(len(o.spans), need)-1].End
	f.Span = schedule.Span{Start: l.now, End: all}
	f.Message = fmt.Sprintf("allowed to start %d of %d nodes in the %s that an opening usually lasts, so all of them "+
		"need about %d openings, up to %s: %s",
		most, l.nodes, wording.Duration(o.usual), need, l.time(all), l.names(f.Budgets))
	f.Advice = "write a higher number, or longer windows, if that is not intended"
	return f, nil
}

// soaksPastWindow finds budgets that soak for at least as long as nodes usually are allowed, and those that are not
// active for so long themselves.
func (l *linter) soaksPastWindow(r candidate.Reason, o openings) (f Finding, fix advisor) {
	for _, b := range l.pool {
		lasts := o.usual
		if d := l.activeFor(b); d > 0 && (lasts == 0 || d < lasts) {
			lasts = d
		}
		if b.Soak == 0 || !b.Covers(r) || lasts == 0 || b.Soak < lasts {
			continue
		}
		return Finding{Budgets: only(b.Index), Advice: "write a shorter soak, more nodes, or a longer window",
			Message: fmt.Sprintf("allowed by %s, whose slots soak for %s, but only for %s at a time: so each window "+
				"has one batch of nodes", l.name(b.Index), wording.Duration(b.Soak), wording.Duration(lasts))}, nil
	}
	return f, nil
}

// activeFor returns how long a budget with a schedule usually is active. 0: always, or that is not known.
func (l *linter) activeFor(b *budget.Limit) time.Duration {
	const most = 20 // of them are enough
	var spans []schedule.Span
	for span := range b.Window.Spans(l.now, l.end) {
		if spans = append(spans, span); len(spans) == most {
			break
		}
	}
	if constant(b) || len(spans) < 3 {
		return 0
	}
	return median(spans)
}

// drainsPastWindow finds windows that are shorter than a drain may be.
func (l *linter) drainsPastWindow(_ candidate.Reason, o openings) (f Finding, fix advisor) {
	if o.usual > 0 && o.usual < l.facts.GracePeriod {
		f.Budgets = o.blocking
		f.Message = fmt.Sprintf("allowed for %s at a time, but a drain may last %s (terminationGracePeriod): a window "+
			"limits when drains start, not when they end: %s", wording.Duration(o.usual),
			wording.Duration(l.facts.GracePeriod), l.names(o.blocking))
		f.Advice = "if drains should end within it, write a shorter terminationGracePeriod, or close it earlier"
	}
	return f, nil
}

// shortDeadline finds deadlines that come before the next window does: nodes go outside of the windows as a rule, not
// as an exception.
func (l *linter) shortDeadline(r candidate.Reason, o openings) (f Finding, fix advisor) {
	deadline, after := l.set.Deadline(r), l.set.Minimum(r).Held
	if deadline == candidate.Forever || len(o.spans) == 0 || o.apart <= deadline-after {
		return f, nil
	}
	waits := ""
	if after > 0 {
		waits = fmt.Sprintf(" and allowed after %s (disruptAfter)", wording.Duration(after))
	}
	longer := (after + o.apart).Truncate(time.Hour) + 24*time.Hour
	advice := fmt.Sprintf("write a deadline that is longer than the time between windows, such as %dh",
		longer/time.Hour)
	if longer > wording.Year {
		advice = "write windows that come more often: a deadline is a year at most"
	}
	return Finding{Budgets: o.blocking, Advice: advice,
		Message: fmt.Sprintf("overdue after %s (deadline)%s, but only in windows that are up to %s apart, so nodes "+
			"are disrupted outside of them: %s", wording.Duration(deadline), waits, wording.Duration(o.apart),
			l.names(o.blocking))}, nil
}

// waves finds waves whose bakes alone last until nodes are overdue (bakes-past-deadline), and waves as large as those
// before them. In pools with probes, it finds bakes of a day or longer (bake-starts-again), since many loads recur
// daily, and so does what probes say.
func (l *linter) waves() {
	for _, r := range l.set.Rollouts() {
		if len(r.Faults) > 0 {
			continue
		}
		bakes := 0 // of a roll of all nodes: after each wave that is not all of them; waves done together bake once
		sizes := r.Sizes(l.nodes)
		for i, size := range sizes {
			switch grows := i == 0 || size > sizes[i-1]; {
			case grows && size < l.nodes:
				bakes++
			case !grows && !l.assumed:
				l.add(Finding{Advice: "delete it, or write a larger one",
					Message: fmt.Sprintf("%s: the wave %s is as large as the wave %s before it: of %s, either is %d",
						r.Method, wording.Quote(r.Texts[i]), wording.Quote(r.Texts[i-1]),
						wording.Count(l.nodes, "node"), size)}, nil)
			}
		}
		deadline, baking := l.set.Deadline(r.Method), time.Duration(bakes)*r.Bake // at most 20 times 30 days
		if bakes > 0 && deadline != candidate.Forever && baking >= deadline {
			l.add(Finding{Code: "bakes-past-deadline", Severity: SeverityWarning,
				Message: fmt.Sprintf("%s: the waves bake for %s in all (%d × %s), and nodes are overdue after %s "+
					"(deadline): the last ones are disrupted later than that, since waves block overdue nodes as well",
					r.Method, wording.Duration(baking), bakes, wording.Duration(r.Bake), wording.Duration(deadline)),
				Advice: "write a shorter bake, fewer waves, or a later deadline"}, nil)
		}
		if l.facts.Probed && r.Bake >= 24*time.Hour && bakes > 0 {
			l.add(Finding{Code: "bake-starts-again",
				Message: fmt.Sprintf("%s: the waves bake for %s, and the bake starts again whenever a probe has "+
					"denied: if one denies once a day, the bake never ends", r.Method, wording.Duration(r.Bake)),
				Advice: "write a bake that is shorter than the time between two denials"}, nil)
		}
	}
}

// spreadPastDeadline finds rolls that are spread over more time than their nodes have.
func (l *linter) spreadPastDeadline(b *budget.Limit) (f Finding, _ func() remedy) {
	for _, m := range l.reasons {
		if d := l.set.Deadline(m); b.Spreads(m) && d < b.Spread {
			return Finding{Reason: m, Advice: "write a spread that is shorter than the deadline",
				Message: fmt.Sprintf(", and nodes are overdue after %s (deadline): no spread delays them then",
					wording.Duration(d))}, nil
		}
	}
	return f, nil
}
