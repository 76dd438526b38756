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

// slowPace finds paces that are too slow for a pool to finish within one of the windows in which its nodes are allowed.
func (l *linter) slowPace() {
	if l.assumed {
		return
	}
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		openings, _, _ := openingsOf(l.effective(r))
		if len(openings) < 3 {
			return f, nil, false
		}
		usual, paces := median(openings), l.pacesOf(r)
		if l.limits.MostSpecific() || usual <= 0 {
			return f, nil, false
		}
		most := math.MaxInt // nodes that can start within a window
		for _, b := range l.limits.paces {
			if !paces.Has(b.Index) || !b.Constant() {
				continue
			}
			if n := startsWithin(b, l.nodes, usual); n < most {
				most, f.Budgets = n, only(b.Index)
			}
		}
		if most >= l.nodes {
			return f, nil, false
		}
		all := openings[min(len(openings), (l.nodes+most-1)/most)-1].End
		f.Code, f.Severity, f.Span = CodeSlowPace, SeverityInfo, schedule.Span{Start: l.now, End: all}
		f.Message = fmt.Sprintf("allowed to start %d of %d nodes in the %s that an opening usually lasts, so all "+
			"of them need about %d openings, up to %s: %s",
			most, l.nodes, wording.Duration(usual), (l.nodes+most-1)/most, l.time(all), l.names(f.Budgets))
		f.Advice = "write a higher number, or longer windows, if that is not intended"
		return f, nil, true
	})
}

// startsWithin returns how many nodes a pace lets start within a time.
func startsWithin(b *budget.Limit, nodes int, d time.Duration) int {
	return b.Of(nodes) * int((d+b.Per-1)/b.Per)
}

// soaksPastWindow finds budgets that soak for at least as long as nodes usually are allowed, and those that are not
// active for so long themselves.
func (l *linter) soaksPastWindow() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		var usual time.Duration
		if openings, _, _ := openingsOf(l.effective(r)); len(openings) >= 3 {
			usual = median(openings)
		}
		for _, b := range l.limits.pool {
			lasts := usual
			if d := l.activeFor(b); d > 0 && (lasts == 0 || d < lasts) {
				lasts = d
			}
			if b.Soak == 0 || !b.Covers(r) || lasts == 0 || b.Soak < lasts {
				continue
			}
			f.Code, f.Severity, f.Budgets = CodeSoaksPastWindow, SeverityWarning, only(b.Index)
			f.Message = fmt.Sprintf("allowed by %s, whose slots soak for %s, but only for %s at a time: so each "+
				"window has one batch of nodes", l.name(b.Index), wording.Duration(b.Soak), wording.Duration(lasts))
			f.Advice = "write a shorter soak, more nodes, or a longer window"
			return f, nil, true
		}
		return f, nil, false
	})
}

// drainsPastWindow finds windows that are shorter than a drain may be.
func (l *linter) drainsPastWindow() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		openings, _, blocking := openingsOf(l.effective(r))
		usual := median(openings)
		if len(openings) < 3 || usual >= l.pool.GracePeriod {
			return f, nil, false
		}
		return Finding{Code: CodeDrainsPastWindow, Severity: SeverityInfo, Budgets: blocking,
			Message: fmt.Sprintf("allowed for %s at a time, but a drain may last %s (terminationGracePeriod): a "+
				"window limits when drains start, not when they end: %s", wording.Duration(usual),
				wording.Duration(l.pool.GracePeriod), l.names(blocking)),
			Advice: "if drains should end within it, write a shorter terminationGracePeriod, or close it earlier",
		}, nil, true
	})
}

// activeFor returns how long a budget with a schedule usually is active. 0: always, or that is not known.
func (l *linter) activeFor(b *budget.Limit) time.Duration {
	var spans []schedule.Span
	for span := range b.Window.Spans(l.now, l.end) {
		if spans = append(spans, span); len(spans) == mostSpans {
			break
		}
	}
	if b.Constant() || len(spans) < 3 {
		return 0
	}
	return median(spans)
}

// mostSpans is how many times of a budget are looked at.
const mostSpans = 20

// shortDeadline finds deadlines that come before the next window does: nodes go outside of the windows as a rule, not
// as an exception.
func (l *linter) shortDeadline() {
	l.eachDeadline(l.reasons, l.each, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		deadline, after := l.limits.Deadline(r), l.limits.DisruptAfter(r)
		openings, closures, blocking := openingsOf(l.effective(r))
		if deadline == candidate.Forever || len(openings) == 0 || l.limits.brokenFor(r) {
			return f, nil, false
		}
		gap := longest(closures)
		if gap <= deadline-after {
			return f, nil, false
		}
		waits := ""
		if after > 0 {
			waits = fmt.Sprintf(" and allowed after %s (disruptAfter)", wording.Duration(after))
		}
		longer := (after + gap).Truncate(time.Hour) + 24*time.Hour
		advice := fmt.Sprintf("write a deadline that is longer than the time between windows, such as %dh",
			longer/time.Hour)
		if budget.Period(wording.Duration(longer)) == 0 {
			advice = "write windows that come more often: a deadline is a year at most"
		}
		return Finding{Code: CodeShortDeadline, Severity: SeverityWarning, Budgets: blocking,
			Message: fmt.Sprintf("overdue after %s (deadline)%s, but only in windows that are up to %s apart, "+
				"so nodes are disrupted outside of them: %s",
				wording.Duration(deadline), waits, wording.Duration(gap), l.names(blocking)),
			Advice: advice}, nil, true
	})
}

// eachDeadline calls each for reasons with the same deadline at a time: it checks reasons once that the same budgets
// concern.
func (l *linter) eachDeadline(reasons []candidate.Reason, each func([]candidate.Reason, check), check check) {
	for len(reasons) > 0 {
		deadline := l.limits.Deadline(reasons[0])
		var alike, others []candidate.Reason
		for _, r := range reasons {
			if l.limits.Deadline(r) == deadline {
				alike = append(alike, r)
			} else {
				others = append(others, r)
			}
		}
		each(alike, check)
		reasons = others
	}
}

// bakesPastDeadline finds waves whose bakes alone last until nodes are overdue.
func (l *linter) bakesPastDeadline() {
	for _, r := range l.limits.Rollouts() {
		deadline := l.limits.Deadline(r.Method)
		n := l.bakes(&r)
		baking := time.Duration(n) * r.Bake // at most 20 times 30 days
		if len(r.Faults) > 0 || n == 0 || deadline == candidate.Forever || baking < deadline {
			continue
		}
		l.add(Finding{Code: CodeBakesPastDeadline, Severity: SeverityWarning,
			Message: fmt.Sprintf("%s: the waves bake for %s in all (%d × %s), and nodes are overdue after %s "+
				"(deadline): the last ones are disrupted later than that, since waves block overdue nodes as well",
				r.Method, wording.Duration(baking), n, wording.Duration(r.Bake), wording.Duration(deadline)),
			Advice: "write a shorter bake, fewer waves, or a later deadline"})
	}
}

// bakes returns how often a roll of all nodes bakes: after each wave that is not all of them. Waves that are done
// together bake once.
func (l *linter) bakes(r *budget.WaveLimits) (n int) {
	sizes := r.Sizes(l.nodes)
	for i, size := range sizes {
		if size < l.nodes && (i == 0 || size > sizes[i-1]) {
			n++
		}
	}
	return n
}

// bakeStartsAgain finds bakes of a day or longer in pools with probes: many loads, and so what probes say, recur daily.
func (l *linter) bakeStartsAgain() {
	for _, r := range l.limits.Rollouts() {
		if !l.pool.Probed || len(r.Faults) > 0 || r.Bake < 24*time.Hour || l.bakes(&r) == 0 {
			continue
		}
		l.add(Finding{Code: CodeBakeStartsAgain, Severity: SeverityInfo,
			Message: fmt.Sprintf("%s: the waves bake for %s, and the bake starts again whenever a probe has denied: "+
				"if one denies once a day, the bake never ends", r.Method, wording.Duration(r.Bake)),
			Advice: "write a bake that is shorter than the time between two denials"})
	}
}

// waveRepeats finds waves that are as large as those before them, in a pool of so many nodes.
func (l *linter) waveRepeats() {
	if l.assumed {
		return
	}
	for _, r := range l.limits.Rollouts() {
		if len(r.Faults) > 0 {
			continue
		}
		sizes := r.Sizes(l.nodes)
		for i := 1; i < len(sizes); i++ {
			if size := sizes[i]; size == sizes[i-1] {
				l.add(Finding{Code: CodeWaveRepeats, Severity: SeverityInfo,
					Message: fmt.Sprintf("%s: the wave %s is as large as the wave %s before it: of %s, either is %d",
						r.Method, wording.Quote(r.Texts[i]), wording.Quote(r.Texts[i-1]),
						wording.Count(l.nodes, "node"), size),
					Advice: "delete it, or write a larger one"})
			}
		}
	}
}
