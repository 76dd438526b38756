package budget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// karpenterReasons are the reasons for which Karpenter checks budgets. It has no child reasons. (Karpenter:
// DisruptionReason.)
var karpenterReasons = []candidate.Reason{candidate.Underutilized, candidate.Empty, candidate.Drifted,
	candidate.Unhealthy}

// prune removes what karpenter.sh/v1 does not have.
func (spec Spec) prune() Spec {
	pruned := Spec{
		Dialect: spec.Dialect, ConsolidateAfter: spec.ConsolidateAfter, ConsolidationPolicy: spec.ConsolidationPolicy,
		Budgets: slices.Clone(spec.Budgets), // nil stays nil, and is filled in
	}
	for i, b := range pruned.Budgets {
		pruned.Budgets[i] = Budget{Reasons: b.Reasons, Nodes: b.Nodes, Schedule: b.Schedule, Duration: b.Duration}
	}
	return pruned
}

// compileAsKarpenter returns the budget as Karpenter reads it, and whether it limits anything. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason, Budget.GetAllowedDisruptions.)
//
// An error in a budget means that nothing is allowed for any reason of the pool: always, if it is in the schedule, and
// while the budget is active, if it is in the number of nodes. A budget that names none of karpenterReasons limits
// nothing. Expiration checks no budget. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (c *checker) compileAsKarpenter() (b Limit, limits bool) {
	b = Limit{Index: c.index, exempt: candidate.Expired}
	window := c.karpenterWindow()
	if len(c.warnings) > 0 {
		b.Faults = c.warnings
		return b, true
	}
	b.Window = window
	amount := c.karpenterLimit()
	reasons, limits := c.karpenterReasons()
	if len(c.warnings) > 0 {
		b.Faults, b.whileActive = c.warnings, true
		return b, true
	}
	b.Amount, b.Reasons = amount, reasons
	return b, limits && amount != Amount{N: math.MaxInt32} // math.MaxInt32 means no limit in Karpenter
}

// karpenterWindow returns when the budget is active. A schedule without a duration is never active, and a duration
// without a schedule is an error. (Karpenter: Budget.IsActive.)
func (c *checker) karpenterWindow() schedule.Window {
	text, d := c.Schedule, time.Duration(0)
	if text == "" && c.Duration == "" {
		return schedule.Window{}
	}
	if c.Duration != "" {
		var err error
		if d, err = time.ParseDuration(c.Duration); err != nil {
			c.fault("duration", c.Duration,
				"duration %.100q: Karpenter can read neither it nor the NodePool: write whole hours and minutes, "+
					"such as 8h", c.Duration)
			d = time.Hour // it hides no fault of the schedule
		}
	}
	w, err := schedule.ParseKarpenter(text, d)
	if err != nil {
		c.fault("schedule", text, "%s", wording.Sentence(inUTC(text, err)))
	}
	return w
}

// inUTC is the error of a schedule, or, if it has a time zone in front, what to write instead.
func inUTC(text string, err error) error {
	if zone, expr, found := strings.Cut(strings.TrimSpace(text), " "); found && strings.Contains(zone, "TZ=") {
		return fmt.Errorf("cron expression %.100q sets a time zone, and Karpenter has none: write %.100q with its "+
			"hours in UTC", text, strings.TrimSpace(expr))
	}
	return err
}

// karpenterLimit returns the budget's limit. A count of more than 32 bits keeps its lowest 32, and a count below 0
// counts as 0. (Karpenter: GetIntStrFromValue, intstr.GetScaledValueFromIntOrPercent.)
func (c *checker) karpenterLimit() Amount {
	text := cmp.Or(c.Nodes, defaultNodes)
	if n, err := strconv.Atoi(text); err == nil {
		return Amount{N: max(0, int(int32(n)))}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil {
		c.faultNodes(text)
	}
	return Amount{N: min(max(0, n), math.MaxInt32), Percent: true} // no pool has so many nodes
}

// karpenterReasons returns the reasons that the budget limits; none means all, if it limits any. Karpenter compares
// reasons as written, so the RFCs' spellings, children and an empty list match nothing. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason.)
func (c *checker) karpenterReasons() (reasons []candidate.Reason, limits bool) {
	if c.Reasons == nil {
		return nil, true
	}
	reasons = slices.DeleteFunc(slices.Clone(karpenterReasons), func(r candidate.Reason) bool {
		return !slices.Contains(c.Reasons, r)
	})
	return reasons, len(reasons) > 0
}

// karpenterPatience returns the reasons for which nodes of the pool are never disrupted. (Karpenter:
// Emptiness.ShouldDisrupt, consolidation.ShouldDisrupt.)
func (spec Spec) karpenterPatience() patience {
	p := patience{}
	if spec.ConsolidationPolicy == "WhenEmpty" {
		p[candidate.Underutilized] = candidate.Forever
	}
	if d, _ := parseAfter(spec.ConsolidateAfter); d == candidate.Forever {
		p[candidate.Underutilized], p[candidate.Empty] = candidate.Forever, candidate.Forever
	}
	return p
}
