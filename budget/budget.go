package budget

import (
	"cmp"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Budget is an entry of spec.disruption.budgets, as written. The zero Budget allows 10 % of the nodes, always, for
// all reasons. It decodes from and encodes to the JSON of karpenter.sh/v1.
type Budget struct {
	// Reasons are the reasons that the budget covers; none means all. A method covers its children: Drifted covers
	// Drifted/AMIDrift.
	Reasons []candidate.Reason `json:"reasons,omitzero"`
	// Nodes is a count ("5") or a percentage of the pool's nodes ("10%"), which rounds up. "" is 10 %.
	Nodes string `json:"nodes,omitzero"`
	// Per makes Nodes a pace: at most that many disruptions start within any period of that length ("1h", "90m",
	// "24h"), however long they take and however many nodes are in flight at once. "" is no pace. (Not in
	// karpenter.sh/v1, although many read it so.)
	Per string `json:"per,omitzero"`
	// Soak is how long a slot is in use after its node is gone ("10m"), or, if the node's replacement is known
	// (candidate.Node.Replaces) and becomes Ready later, after the replacement is Ready. "One at a time, and ten
	// minutes between" is Nodes 1 and Soak 10m. "" is no soak. (Not in karpenter.sh/v1.)
	Soak string `json:"soak,omitzero"`
	// Guaranteed makes Nodes a share of what the other budgets allow: others leave it free for Reasons as long as nodes
	// wait for these; see [Set.Reserved]. It is no limit by itself. (Not in karpenter.sh/v1.)
	Guaranteed bool `json:"guaranteed,omitzero"`
	// Spread is the open time over which the nodes of a roll start evenly, in whole hours and minutes ("168h"): not all
	// in the first minute of a window, and not all in its last. Nodes is still how many may be in flight at once. See
	// [Set.Openings]. "" is no spread. (Not in karpenter.sh/v1.)
	Spread string `json:"spread,omitzero"`
	// Schedule is the cron expression at which the budget becomes active; see [schedule.Parse]. "" means always.
	Schedule string `json:"schedule,omitzero"`
	// Duration is how long the budget stays active after each hit, in whole hours and minutes ("8h", "90m", "1h30m").
	// It must be set if, and only if, Schedule is.
	Duration string `json:"duration,omitzero"`
	// From and To make the budget active once, instead of a schedule: from a day such as "2026-12-23" to another, both
	// included, or from an RFC 3339 time to another; see [schedule.ParseDates]. Without To it never ends. Without From
	// it has always been active. (Not in karpenter.sh/v1.)
	From string `json:"from,omitzero"`
	To   string `json:"to,omitzero"`
	// Calendar is the name of a window in Spec.Calendars, instead of a schedule or dates. With an unknown name the
	// budget is invalid. (Not in karpenter.sh/v1.)
	Calendar string `json:"calendar,omitzero"`
	// TimeZone is the tz database zone of Schedule, or of the days of From and To. "" is UTC. (As in a CronJob; not in
	// karpenter.sh/v1.)
	TimeZone string `json:"timeZone,omitzero"`
	// Outside makes the budget active outside of its windows instead of inside. (Not in karpenter.sh/v1.)
	Outside bool `json:"outside,omitzero"`
	// TopologyKey, a label name, makes Nodes the limit of each single zone, rack, …. (AZ-sequential RFC.)
	TopologyKey string `json:"topologyKey,omitzero"`
	// Sequential makes zones, racks, … take turns. It requires TopologyKey. (AZ-sequential RFC.)
	Sequential bool `json:"sequential,omitzero"`
}

const defaultNodes = "10%"

// String describes a budget on one line: "0 (Drifted; outside 0 9 * * mon-fri for 8h, Europe/Berlin)". Text that would
// not read well on one line is quoted.
func (b Budget) String() string {
	text := wording.Quote(cmp.Or(b.Nodes, defaultNodes))
	if b.Per != "" {
		text += " per " + wording.Quote(b.Per)
	}
	if b.Guaranteed {
		text += ", guaranteed"
	}
	if b.Soak != "" {
		text += ", soak " + wording.Quote(b.Soak)
	}
	if b.Spread != "" {
		text += ", spread over " + wording.Quote(b.Spread)
	}
	if b.TopologyKey != "" {
		text += " per " + wording.Quote(b.TopologyKey)
	}
	if b.Sequential {
		text += ", one at a time"
	}
	var reasons, details []string
	for _, r := range b.Reasons {
		reasons = append(reasons, wording.Quote(string(r)))
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

// when describes when the budget is active, even if a field is missing. "" means always.
func (b Budget) when() string {
	var times []string
	if recurring := b.recurring(); recurring != "" {
		times = append(times, recurring)
	}
	zone := ", " + wording.Quote(cmp.Or(b.TimeZone, "UTC"))
	if !wholeDay(b.From) && !wholeDay(b.To) {
		zone = ""
	}
	switch {
	case b.From != "" && b.To != "":
		times = append(times, wording.Quote(b.From)+" to "+wording.Quote(b.To)+zone)
	case b.From != "":
		times = append(times, "from "+wording.Quote(b.From)+" on"+zone)
	case b.To != "":
		times = append(times, "up to "+wording.Quote(b.To)+zone)
	}
	if b.Calendar != "" {
		times = append(times, "calendar "+wording.Quote(b.Calendar))
	}
	when := strings.Join(times, " and ") // more than one kind is a fault
	if b.Outside && when != "" {
		when = "outside " + when
	}
	return when
}

// wholeDay reports whether a date is a day rather than a time.
func wholeDay(date string) bool { return date != "" && !strings.Contains(date, "T") }

// recurring describes the schedule.
func (b Budget) recurring() string {
	when := wording.Quote(b.Schedule)
	switch {
	case b.Schedule == "" && b.Duration == "":
		return ""
	case b.Schedule == "":
		when = "no schedule for " + wording.Quote(b.Duration)
	case b.Duration == "":
		when += " without a duration"
	default:
		when += " for " + wording.Quote(b.Duration)
	}
	return when + ", " + wording.Quote(cmp.Or(b.TimeZone, "UTC"))
}
