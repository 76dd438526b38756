package generate

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Reason generates methods and children of them.
func Reason() *rapid.Generator[candidate.Reason] {
	return rapid.SampledFrom([]candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized,
		candidate.Expired, "Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty/Buffer"})
}

// Budget generates budgets that compile and limit whole pools.
func Budget() *rapid.Generator[budget.Budget] {
	return rapid.Custom(func(t *rapid.T) budget.Budget {
		b := budget.Budget{
			Reasons: rapid.SliceOfNDistinct(Reason(), 0, 3, rapid.ID).Draw(t, "reasons"),
			Nodes:   NodesText().Draw(t, "nodes"),
		}
		if rapid.Bool().Draw(t, "scheduled") {
			b.Schedule = Cron().Draw(t, "schedule")
			b.Duration = fmt.Sprintf("%dh%dm", rapid.IntRange(0, 40).Draw(t, "hours"), rapid.IntRange(1, 59).Draw(t, "minutes"))
			b.TimeZone = Zone().Draw(t, "zone")
			b.Outside = rapid.Bool().Draw(t, "outside")
		}
		return b
	})
}

// NodesText generates counts and percentages, small ones more often.
func NodesText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "0", "0%", "1", "1%", "10%", "100%", "2147483647"}),
		rapid.Map(rapid.IntRange(0, 12), func(n int) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.IntRange(0, 100), func(n int) string { return fmt.Sprintf("%d%%", n) }),
	)
}

// BrokenBudget generates budgets that do not compile.
func BrokenBudget() *rapid.Generator[budget.Budget] {
	return rapid.Custom(func(t *rapid.T) budget.Budget {
		b := Budget().Draw(t, "budget")
		switch rapid.IntRange(0, 5).Draw(t, "fault") {
		case 0:
			b.Nodes = rapid.SampledFrom([]string{"-1", "101%", "+5", "ten", "1.5", "5 ", "2147483648", "99999999999999999999"}).Draw(t, "bad nodes")
		case 1:
			b.Schedule, b.Duration = "0 0 * * sat-sun", "24h"
		case 2:
			b.Schedule, b.Duration = "@daily", rapid.SampledFrom([]string{"", "0m", "30s", "1d", "99999999h"}).Draw(t, "bad duration")
		case 3:
			b.Schedule, b.Duration = "", "8h"
		case 4:
			b.Reasons = append(b.Reasons, "drifted")
		default:
			b.Sequential = true
		}
		return b
	})
}

// Budgets generates lists, also none.
func Budgets() *rapid.Generator[[]budget.Budget] {
	return rapid.SliceOfN(Budget(), 0, 6)
}

// Spec generates specs of a list: half of the time the most specific budgets decide, and some of those have controls.
func Spec(list []budget.Budget) *rapid.Generator[budget.Spec] {
	return rapid.Custom(func(t *rapid.T) budget.Spec {
		spec := budget.Spec{Budgets: list}
		if rapid.Bool().Draw(t, "restrictive") {
			return spec
		}
		spec.MostSpecific = rapid.Bool().Draw(t, "specific")
		spec.ConsolidationPolicy = rapid.SampledFrom([]string{"", "", "WhenEmpty"}).Draw(t, "policy")
		if rapid.IntRange(0, 4).Draw(t, "no list") == 0 {
			spec.Budgets = nil
		}
		for _, c := range []*budget.Control{&spec.Defaults, &spec.Consolidation, &spec.Drift, &spec.Expiration, &spec.Emptiness} {
			if rapid.Bool().Draw(t, "control") {
				*c = Control().Draw(t, "control")
			}
		}
		return spec
	})
}

// Control generates controls, the budgets of which may name children of any method.
func Control() *rapid.Generator[budget.Control] {
	return rapid.Custom(func(t *rapid.T) budget.Control {
		c := budget.Control{DisruptAfter: rapid.SampledFrom([]string{"", "", "0s", "30m", "5h", "Never"}).Draw(t, "after")}
		for _, b := range rapid.SliceOfN(Budget(), 0, 2).Draw(t, "budgets") {
			b.Reasons = rapid.SampledFrom([][]candidate.Reason{nil, nil, {"AMIDrift"}, {"SubnetDrift"}, {"AMIDrift", "Buffer"}}).Draw(t, "children")
			c.Budgets = append(c.Budgets, b)
		}
		return c
	})
}
