package budget

import (
	"cmp"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// A Budget is an entry of spec.disruption.budgets, as written. The zero Budget allows 10 % of the nodes, always, for
// all reasons. It decodes from and encodes to the JSON of karpenter.sh/v1.
type Budget struct {
	// Reasons are what the budget covers; none is all. A method covers its children: Drifted covers Drifted/AMIDrift.
	Reasons []candidate.Reason `json:"reasons,omitzero"`
	// Nodes is a count ("5") or a percentage of the pool's nodes ("10%"), which rounds up. "" is 10 %.
	Nodes string `json:"nodes,omitzero"`
	// Schedule is the cron expression of when the budget becomes active, as schedule.Parse has it. "" is always.
	Schedule string `json:"schedule,omitzero"`
	// Duration is how long it stays active after each hit, in whole hours and minutes ("8h", "90m", "1h30m"). It must be
	// set if, and only if, Schedule is.
	Duration string `json:"duration,omitzero"`
	// TimeZone is the tz database zone of Schedule. "" is UTC. (As in a CronJob; not in karpenter.sh/v1.)
	TimeZone string `json:"timeZone,omitzero"`
	// Outside makes the budget active outside of its windows instead of inside. (Not in karpenter.sh/v1.)
	Outside bool `json:"outside,omitzero"`
	// TopologyKey, a label name, makes Nodes the limit of each zone, rack, … of its own. (AZ-sequential RFC.)
	TopologyKey string `json:"topologyKey,omitzero"`
	// Sequential lets only one of them be disrupted at a time. It requires TopologyKey. (AZ-sequential RFC.)
	Sequential bool `json:"sequential,omitzero"`
}

const defaultNodes = "10%"

// String describes a budget in a line: "0 (Drifted; outside 0 9 * * mon-fri for 8h, Europe/Berlin)". What cannot be read in a
// line is in quotes, such as a line break in a schedule.
func (b Budget) String() string {
	text := quote.Text(cmp.Or(b.Nodes, defaultNodes))
	if b.TopologyKey != "" {
		text += " per " + quote.Text(b.TopologyKey)
	}
	if b.Sequential {
		text += ", one at a time"
	}
	var reasons, details []string
	for _, r := range b.Reasons {
		reasons = append(reasons, quote.Text(string(r)))
	}
	if len(reasons) > 0 {
		details = append(details, strings.Join(reasons, ", "))
	}
	if when := b.when(); when != "" {
		details = append(details, when)
	}
	if len(details) == 0 {
		return text
	}
	return text + " (" + strings.Join(details, "; ") + ")"
}

// when describes when the budget is active, also where some of that is missing. "" is always.
func (b Budget) when() string {
	when := quote.Text(b.Schedule)
	switch {
	case b.Schedule == "" && b.Duration == "":
		return ""
	case b.Schedule == "":
		when = "no schedule for " + quote.Text(b.Duration)
	case b.Duration == "":
		when += " without a duration"
	default:
		when += " for " + quote.Text(b.Duration)
	}
	when += ", " + quote.Text(cmp.Or(b.TimeZone, "UTC"))
	if b.Outside {
		when = "outside " + when
	}
	return when
}
