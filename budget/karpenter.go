package budget

import (
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

// addKarpenter adds a budget as Karpenter reads it. (Karpenter: NodePool.GetAllowedDisruptionsByReason,
// Budget.GetAllowedDisruptions.)
//
// An error in a budget means that nothing may go for any reason of the pool. An error in its schedule always does so;
// an error in its number of nodes only while the budget is active. A budget that names none of karpenterReasons limits
// nothing. Expiration checks no budget. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (s *set) addKarpenter(c *checker) {
	k := &s.compiled
	b := Limit{Index: c.index, exempt: candidate.Expired}
	b.Window = c.karpenterWindow()
	if len(c.warnings) > 0 {
		b.Window, b.Faults = schedule.Window{}, c.warnings
		k.Broken, s.warnings = append(k.Broken, b), append(s.warnings, c.warnings...)
		return
	}
	var forNothing bool
	b.Limit = c.karpenterLimit()
	b.Reasons, forNothing = c.karpenterReasons()
	s.warnings = append(s.warnings, c.warnings...)
	switch b.Faults = c.warnings; {
	case len(b.Faults) > 0:
		b.Limit, b.Reasons = Amount{}, nil
		k.AtTimes = append(k.AtTimes, b)
	case forNothing || b.Limit == Amount{N: math.MaxInt32}: // math.MaxInt32 means no limit in Karpenter
		return
	}
	k.Pool = append(k.Pool, b)
}

// karpenterWindow returns when the budget is active. A schedule without a duration is never active, and a duration
// without a schedule is an error. (Karpenter: Budget.IsActive.)
func (c *checker) karpenterWindow() schedule.Window {
	text, d := c.written.Schedule, time.Duration(0)
	if text == "" && c.written.Duration == "" {
		return schedule.Window{}
	}
	if c.written.Duration != "" {
		var err error
		if d, err = time.ParseDuration(c.written.Duration); err != nil {
			c.fault("duration", c.written.Duration,
				"duration %.100q: Karpenter can read neither it nor the NodePool: write whole hours and minutes, "+
					"such as 8h", c.written.Duration)
			return schedule.Window{}
		}
	}
	w, err := schedule.ParseKarpenter(text, d)
	if err != nil {
		c.fault("schedule", text, "%s", wording.Sentence(inUTC(text, err)))
	}
	return w
}

// inUTC says of a schedule with a time zone in front that Karpenter has no field for one.
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
	text := c.written.Nodes
	if text == "" {
		text = defaultNodes
	}
	if n, err := strconv.Atoi(text); err == nil {
		return Amount{N: max(0, int(int32(n)))}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil {
		c.fault("nodes", text, "nodes %.100q: write a count such as 5, or a percentage from 0%% to 100%%", text)
	}
	return Amount{N: min(max(0, n), math.MaxInt32), Percent: true} // no pool has so many nodes
}

// karpenterReasons returns the reasons that the budget limits; none means all, unless forNothing. Karpenter compares
// reasons as written, so the RFCs' spellings, children and an empty list match nothing. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason.)
func (c *checker) karpenterReasons() (reasons []candidate.Reason, forNothing bool) {
	if c.written.Reasons == nil {
		return nil, false
	}
	for _, r := range karpenterReasons {
		if slices.Contains(c.written.Reasons, r) {
			reasons = append(reasons, r)
		}
	}
	return reasons, len(reasons) == 0
}

// karpenterPatience returns the reasons for which nodes of the pool never go. (Karpenter: Emptiness.ShouldDisrupt,
// consolidation.ShouldDisrupt.)
func (spec Spec) karpenterPatience() Patience {
	p := Patience{}
	if spec.ConsolidationPolicy == "WhenEmpty" {
		p[candidate.Underutilized] = candidate.Forever
	}
	if d, _ := parseAfter(spec.ConsolidateAfter); d == candidate.Forever {
		p[candidate.Underutilized], p[candidate.Empty] = candidate.Forever, candidate.Forever
	}
	return p
}
