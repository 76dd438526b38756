package budget

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/label"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/schedule"
)

const (
	mostBudgets = 50 // of a list, and reasons of a budget: the limits of karpenter.sh/v1
	mostReasons = 50
)

var (
	nodesPattern    = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)
	durationPattern = regexp.MustCompile(`^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$`)
)

// A checker compiles one budget and collects all that is wrong with it. The rules are those of Karpenter's
// NodePool schema, of the AZ-sequential RFC's "Validation", and of schedule.Parse.
type checker struct {
	index    int
	place    string           // where it is written
	method   candidate.Reason // of the control that it is in
	written  Budget
	methods  []candidate.Reason
	warnings []candidate.Warning
	quirks   []Finding // in Karpenter's dialect
}

func (c *checker) fault(field, value, format string, args ...any) {
	c.warnings = append(c.warnings, candidate.Warning{
		Code:    candidate.CodeInvalidBudget,
		Field:   c.place + "." + field,
		Value:   value,
		Message: fmt.Sprintf(format, args...),
	})
}

// compile returns the budget as it is enforced: if anything is wrong, it allows nothing, always.
func (c *checker) compile() compiled {
	reasons, known := c.reasons()
	b := compiled{
		index:   c.index,
		reasons: reasons,
		limit:   c.limit(),
		window:  c.window(),
		scoped:  c.topology(),
	}
	if len(c.warnings) == 0 {
		return b
	}
	b = compiled{index: c.index, faults: c.warnings}
	if known {
		b.reasons = reasons
	}
	return b
}

// reasons returns the reasons in the spelling of the API, and whether all of them are known.
func (c *checker) reasons() (reasons []candidate.Reason, known bool) {
	if n := len(c.written.Reasons); n > mostReasons {
		c.fault("reasons", strconv.Itoa(n), "%d reasons are too many: write at most %d, or none for all", n, mostReasons)
		return nil, false
	}
	known = true
	for i, written := range c.written.Reasons {
		field := fmt.Sprintf("reasons[%d]", i)
		reason, err := candidate.ParseReason(string(written), c.methods...)
		switch {
		case err != nil:
			known = false
			c.fault(field, string(written), "%v", err)
		case c.method != "" && reason.Method() != c.method:
			known = false
			c.fault(field, string(written), "reason %.100q is not of this method: write %s or a child of it, or move the budget", written, c.method)
		case slices.Contains(reasons, reason):
			c.fault(field, string(written), "reason %q is there twice: write it once", written)
		default:
			reasons = append(reasons, reason)
		}
	}
	return reasons, known
}

func (c *checker) limit() limit {
	text := c.written.Nodes
	if text == "" {
		text = defaultNodes
	}
	if !nodesPattern.MatchString(text) {
		c.fault("nodes", text, "nodes %.100q: write a count such as 5, or a percentage from 0%% to 100%%", text)
		return limit{}
	}
	number, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		c.fault("nodes", text, "nodes %.100q is more than Kubernetes counts: write at most %d, or delete the budget for no limit", text, math.MaxInt32)
	}
	return limit{int(n), isPercent}
}

func (c *checker) window() schedule.Window {
	b := c.written
	d := c.duration()
	if b.Schedule == "" {
		if b.TimeZone != "" {
			c.fault("timeZone", b.TimeZone, "timeZone %.100q has no schedule to apply to: set schedule and duration, too, or leave it out", b.TimeZone)
		}
		if b.Outside {
			c.fault("outside", "true", "outside has no schedule to be outside of: set schedule and duration, too, or leave it out")
		}
		return schedule.Window{}
	}
	w, err := schedule.Parse(b.Schedule, d, b.TimeZone)
	switch {
	case err != nil:
		c.blame()
	case b.Outside:
		return w.Outside()
	}
	return w
}

// blame names the fields that schedule.Parse rejects, each on its own; what is wrong with the duration is said already.
func (c *checker) blame() {
	b := c.written
	if _, err := schedule.Parse(b.Schedule, time.Hour, ""); err != nil {
		c.fault("schedule", b.Schedule, "%s", sentence.Of(err))
	}
	if _, err := schedule.Parse("@daily", time.Hour, b.TimeZone); err != nil {
		c.fault("timeZone", b.TimeZone, "%s", sentence.Of(err))
	}
}

func (c *checker) duration() time.Duration {
	b := c.written
	switch {
	case b.Schedule == "" && b.Duration == "":
		return 0
	case b.Duration == "":
		c.fault("duration", "", "schedule %.100q has no duration: write for how long the budget is active after each hit, such as 8h", b.Schedule)
		return 0
	case b.Schedule == "":
		c.fault("schedule", "", `duration %.100q has no schedule: write when it starts, such as "0 9 * * mon-fri", or leave both out for always`, b.Duration)
	}
	if !durationPattern.MatchString(b.Duration) {
		c.fault("duration", b.Duration, "duration %.100q: write whole hours and minutes, such as 8h, 90m or 1h30m", b.Duration)
		return 0
	}
	d, err := time.ParseDuration(b.Duration)
	switch {
	case err != nil:
		c.fault("duration", b.Duration, "duration %.100q is longer than 292 years: leave schedule and duration out for always", b.Duration)
	case d == 0:
		c.fault("duration", b.Duration, "duration %q is no time at all: write a longer one, or delete the budget", b.Duration)
	}
	return d
}

// topology reports whether the budget limits single domains.
func (c *checker) topology() bool {
	key := c.written.TopologyKey
	if key == "" {
		if c.written.Sequential {
			c.fault("sequential", "true", `"sequential" requires "topologyKey": write the label whose values take turns, such as topology.kubernetes.io/zone`)
		}
		return false
	}
	if !label.IsKey(key) {
		c.fault("topologyKey", key, `"topologyKey" %.100q is no label name: write one such as topology.kubernetes.io/zone`, key)
	}
	return true
}
