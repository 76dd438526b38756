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

var ruleSlowPace = Rule{
	Code:    CodeSlowPace,
	Means:   "A pace is too slow for the pool to finish within one of its windows.",
	Example: "2 per 1h in a window of four hours, and 100 nodes.",
	Do:      "Nothing, if several windows will do; or write a higher number, or a longer window.",
}

// slowPace finds paces that are too slow for a pool to finish within one of the windows in which its nodes may go.
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
