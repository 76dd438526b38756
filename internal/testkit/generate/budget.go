package generate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Reason generates methods and child reasons.
func Reason(s Source) candidate.Reason {
	return pick(s, candidate.Drifted, candidate.Empty, candidate.Underutilized,
		candidate.Expired, "Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty/Buffer",
		candidate.Unhealthy, "Unhealthy/Ready", candidate.Requested)
}

// Budget generates valid budgets that limit whole pools.
func Budget(s Source) budget.Budget {
	var b budget.Budget
	for _, r := range several(s, 0, 3, Reason) {
		if !slices.Contains(b.Reasons, r) {
			b.Reasons = append(b.Reasons, r)
		}
	}
	b.Nodes = NodesText(s)
	if s.Bool() {
		b.Schedule = Cron(s)
		b.Duration = fmt.Sprintf("%dh%dm", s.Between(0, 40), s.Between(1, 59))
		b.TimeZone = Zone(s)
		b.Outside = s.Bool()
	} else if s.seldom() {
		b.From, b.To = Days(s)
		b.TimeZone = Zone(s)
		b.Outside = s.Bool()
	}
	return b
}

// Days generates a first and a last day, one of which may be missing. It picks from few dates, so that decisions often
// fall between them.
func Days(s Source) (from, to string) {
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).
		AddDate(s.Between(-30, 30), s.Between(0, 11), s.Between(0, 27))
	from, to = first.Format(time.DateOnly), first.AddDate(0, 0, s.Between(0, 10_000)).Format(time.DateOnly)
	switch s(6) {
	case 4:
		from = ""
	case 5:
		to = ""
	}
	return from, to
}

// NodesText generates counts and percentages, small ones more often.
func NodesText(s Source) string {
	switch s(3) {
	case 0:
		return pick(s, "", "0", "0%", "1", "1%", "10%", "100%", "2147483647")
	case 1:
		return fmt.Sprint(s.Between(0, 12))
	}
	return fmt.Sprintf("%d%%", s.Between(0, 100))
}

// BrokenBudget generates budgets that do not compile.
func BrokenBudget(s Source) budget.Budget {
	b := Budget(s)
	switch s(6) {
	case 0:
		b.Nodes = pick(s, "-1", "101%", "+5", "ten", "1.5", "5 ", "2147483648", "99999999999999999999")
	case 1:
		b.Schedule, b.Duration = "0 0 * * sat-sun", "24h"
	case 2:
		b.Schedule, b.Duration = "@daily", pick(s, "", "0m", "30s", "1d", "99999999h")
	case 3:
		b.Schedule, b.Duration = "", "8h"
	case 4:
		b.Reasons = append(b.Reasons, "drifted")
	default:
		b.Sequential = true
	}
	return b
}

// Budgets generates lists that may be empty but never nil, since nil means Karpenter's default.
func Budgets(s Source) []budget.Budget { return append([]budget.Budget{}, several(s, 0, 6, Budget)...) }

// Spec generates specs with a list of budgets. In half of them the most specific budgets decide; some of these have
// controls.
func Spec(list []budget.Budget) func(Source) budget.Spec {
	return func(s Source) budget.Spec {
		spec := budget.Spec{Budgets: list}
		if !s.Bool() {
			return spec
		}
		spec.MostSpecific = s.Bool()
		spec.ConsolidationPolicy = pick(s, "", "", "WhenEmpty")
		if s(4) == 3 {
			spec.Budgets = nil
		}
		for _, c := range []*budget.Control{
			&spec.Defaults, &spec.Consolidation, &spec.Drift, &spec.Expiration, &spec.Emptiness,
		} {
			if s.Bool() {
				*c = Control(s)
			}
		}
		return spec
	}
}

// Control generates controls. Their budgets may name children of any method.
func Control(s Source) budget.Control {
	c := budget.Control{
		DisruptAfter: pick(s, "", "", "0s", "30m", "5h", "Never"),
		Deadline:     pick(s, "", "", "6h", "30h", "Never", "0s"),
	}
	for _, b := range several(s, 0, 2, Budget) {
		b.Reasons = pick(s, nil, nil, []candidate.Reason{"AMIDrift"}, []candidate.Reason{"SubnetDrift"},
			[]candidate.Reason{"AMIDrift", "Buffer"})
		c.Budgets = append(c.Budgets, b)
	}
	return c
}

// Pace generates budgets that limit how many nodes start within some time.
func Pace(s Source) budget.Budget {
	b := Budget(s)
	b.Nodes, b.Per = pick(s, "1", "2", "3", "10%"), pick(s, "1h", "30m", "2h", "24h")
	return b
}
