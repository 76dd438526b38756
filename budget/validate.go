package budget

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// The limits of karpenter.sh/v1.
const mostBudgets, mostReasons = 50, 50

var nodesPattern = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)

// A checker compiles one budget and collects its faults. The rules are those of Karpenter's NodePool schema, of the
// AZ-sequential RFC's "Validation", of schedule.Parse and of schedule.ParseDates.
type checker struct {
	placed
	index     int
	methods   []candidate.Reason
	calendars map[string]schedule.Window
	unread    map[string]error
	limits    []Limit  // of the budgets before it
	shares    []*Limit // likewise
	specific  bool     // the most specific budgets decide
	warnings  []candidate.Warning
}

func (c *checker) fault(field, value, format string, args ...any) {
	c.warnings = append(c.warnings, candidate.Warning{
		Code:    candidate.CodeInvalidBudget,
		Field:   c.place + "." + field,
		Value:   value,
		Message: fmt.Sprintf(format, args...),
	})
}

// compile returns the budget as it is enforced. If anything is wrong with it, it always allows nothing.
func (c *checker) compile() (_ Limit, limits bool) {
	reasons, known := c.reasons()
	b := Limit{
		Index:      c.index,
		Reasons:    reasons,
		Amount:     c.limit(),
		Window:     c.window(),
		Key:        c.topology(),
		Sequential: c.Sequential,
		Per:        c.per(),
		Soak:       c.soak(),
		Spread:     c.spread(reasons),
		guaranteed: c.guaranteed(reasons),
	}
	if len(c.warnings) == 0 {
		return b, true
	}
	b = Limit{Index: c.index, Faults: c.warnings}
	if known {
		b.Reasons = reasons
	}
	return b, true
}

// reasons returns the reasons in the spelling of the API, and whether all of them are known.
func (c *checker) reasons() (reasons []candidate.Reason, known bool) {
	if n := len(c.Reasons); n > mostReasons {
		c.fault("reasons", strconv.Itoa(n), "%d reasons are too many: write at most %d, or none for all", n,
			mostReasons)
		return nil, false
	}
	known = true
	for i, written := range c.Reasons {
		field := fmt.Sprintf("reasons[%d]", i)
		reason, err := candidate.ParseReason(string(written), c.methods...)
		switch {
		case err != nil:
			known = false
			c.fault(field, string(written), "%v", err)
		case c.method != "" && reason.Method() != c.method:
			known = false
			c.fault(field, string(written), "reason %.100q does not belong to this method: write %s or a child of "+
				"it, or move the budget", written, c.method)
		case slices.Contains(reasons, reason):
			c.fault(field, string(written), "reason %q appears twice: write it once", written)
		default:
			reasons = append(reasons, reason)
		}
	}
	return reasons, known
}

// faultNodes adds the fault of a text that is no number of nodes, or too large a number.
func (c *checker) faultNodes(text string) {
	if nodesPattern.MatchString(text) {
		c.fault("nodes", text, "nodes %.100q is more than Kubernetes counts: write at most %d, or delete the "+
			"budget for no limit", text, math.MaxInt32)
		return
	}
	c.fault("nodes", text, "nodes %.100q%s: write %s", text, wording.Typographic(text),
		cmp.Or(wording.Quoted(wording.MeantNodes(text)), nodesExamples))
}

const nodesExamples = "a count such as 5, or a percentage from 0% to 100%"

func (c *checker) limit() Amount {
	text := cmp.Or(c.Nodes, defaultNodes)
	number, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || !nodesPattern.MatchString(text) {
		c.faultNodes(text)
		return Amount{}
	}
	return Amount{N: int(n), Percent: isPercent}
}

// window returns when the budget is active: as its schedule, its dates or its calendar says.
func (c *checker) window() schedule.Window {
	b := c.Budget
	d := c.duration()
	var kinds []string // the fields that say when the budget is active, the first of each kind
	if b.Schedule != "" || b.Duration != "" {
		kinds = append(kinds, "schedule")
	}
	if b.From != "" {
		kinds = append(kinds, "from")
	} else if b.To != "" {
		kinds = append(kinds, "to")
	}
	if b.Calendar != "" {
		kinds = append(kinds, "calendar")
	}
	if len(kinds) > 1 {
		c.fault(kinds[1], "", "%s both say when the budget is active: write one of them, and the other in a "+
			"second budget", strings.Join(kinds, " and "))
		return schedule.Window{}
	}
	var w schedule.Window
	switch {
	case b.Schedule != "":
		var err error
		if w, err = schedule.Parse(b.Schedule, d, b.TimeZone); err != nil { // faults of d are already reported
			_, bySchedule := schedule.Parse(b.Schedule, time.Hour, "")
			_, byZone := schedule.Parse("@daily", time.Hour, b.TimeZone)
			c.faultOf("schedule", b.Schedule, bySchedule)
			c.faultOf("timeZone", b.TimeZone, byZone)
		}
	case b.From != "" || b.To != "":
		w = c.dates()
	case b.Calendar != "":
		w = c.calendar()
	default:
		const advice = "also set schedule and duration, or leave it out"
		if b.TimeZone != "" {
			c.fault("timeZone", b.TimeZone, "timeZone %.100q has no schedule to apply to: "+advice, b.TimeZone)
		}
		if b.Outside {
			c.fault("outside", "true", "outside has no schedule to be outside of: "+advice)
		}
	}
	if b.Outside {
		return w.Outside()
	}
	return w
}

// faultOf adds what is wrong with a field, if anything is.
func (c *checker) faultOf(field, value string, err error) {
	if err != nil {
		c.fault(field, value, "%s", wording.Sentence(err))
	}
}

func (c *checker) dates() schedule.Window {
	b := c.Budget
	w, err := schedule.ParseDates(b.From, b.To, b.TimeZone)
	found := len(c.warnings)
	alone := func(field, value, from, to, zone string) {
		if value != "" {
			_, err := schedule.ParseDates(from, to, zone)
			c.faultOf(field, value, err)
		}
	}
	alone("from", b.From, b.From, "", "")
	alone("to", b.To, "", b.To, "")
	alone("timeZone", b.TimeZone, "2026-12-23", "", b.TimeZone)
	if len(c.warnings) == found { // each field is valid by itself
		c.faultOf("to", b.To, err)
	}
	return w
}

func (c *checker) calendar() schedule.Window {
	b := c.Budget
	if b.TimeZone != "" {
		c.fault("timeZone", b.TimeZone, "timeZone %.100q has nothing to apply to, since a calendar has its own: "+
			"leave it out", b.TimeZone)
	}
	w, known := c.calendars[b.Calendar]
	switch why := cmp.Or(c.unread[b.Calendar], c.unread[""]); {
	case known:
	case why != nil:
		c.fault("calendar", b.Calendar, "calendar %.100q cannot be read: %v", b.Calendar, why)
	case len(c.calendars) == 0:
		c.fault("calendar", b.Calendar, "calendar %.100q is unknown: no calendars were given", b.Calendar)
	default:
		const few = 10
		var names []string
		for _, name := range slices.Sorted(maps.Keys(c.calendars)) {
			names = append(names, fmt.Sprintf("%.100q", name))
		}
		if len(names) > few {
			names = append(names[:few], "…")
		}
		c.fault("calendar", b.Calendar, "calendar %.100q is unknown: write one of %s", b.Calendar,
			strings.Join(names, ", "))
	}
	return w
}

func (c *checker) duration() time.Duration {
	b := c.Budget
	switch {
	case b.Schedule == "" && b.Duration == "":
		return 0
	case b.Duration == "":
		c.fault("duration", "", "schedule %.100q has no duration: write how long the budget stays active after "+
			"each hit, such as 8h", b.Schedule)
		return 0
	case b.Schedule == "":
		c.fault("schedule", "", `duration %.100q has no schedule: write when it starts, such as "0 9 * * `+
			`mon-fri", or leave both out for always`, b.Duration)
	}
	return c.length(ofDuration, b.Duration)
}

// per returns the period of a pace, or 0.
func (c *checker) per() time.Duration {
	text := c.Per
	d := c.length(ofPer, text)
	switch {
	case d == 0:
	case c.TopologyKey != "":
		c.fault("per", text, "per %q applies to the whole pool, and topologyKey to single zones: starts are not "+
			"counted by zone, since nodes "+
			"that are gone are in none; write the pace in a separate budget", text)
	case c.neverLets():
		c.fault("nodes", c.Nodes, "nodes %q per %s allows no start: leave per out if nothing should be "+
			"disrupted", c.Nodes, text)
	}
	return d
}

// soak returns how long slots are in use after their nodes are gone, or 0.
func (c *checker) soak() time.Duration {
	text := c.Soak
	d := c.length(ofSoak, text)
	switch {
	case d == 0:
	case c.TopologyKey != "":
		c.fault("soak", text, "soak %q applies to the whole pool, and topologyKey to single zones, where nodes "+
			"that are gone do not count: write a second budget with soak, without topologyKey", text)
	case c.Per != "":
		c.fault("soak", text, "soak %q is for nodes at once, and per %.100q for starts: write two budgets, one with "+
			"soak and one with per", text, c.Per)
	case c.neverLets():
		c.fault("nodes", c.Nodes, "nodes %q with soak %s allows no node: leave soak out if nothing should be "+
			"disrupted", c.Nodes, text)
	}
	return d
}

// neverLets reports whether 0 nodes are written, or 0 %.
func (b Budget) neverLets() bool { return b.Nodes != "" && strings.Trim(b.Nodes, "0%") == "" }

// topology returns the label whose values are the domains, if the budget limits single domains.
func (c *checker) topology() string {
	key := c.TopologyKey
	if key == "" {
		if c.Sequential {
			c.fault("sequential", "true", `"sequential" requires "topologyKey": write the label whose values take `+
				`turns, such as topology.kubernetes.io/zone`)
		}
		return ""
	}
	if !wording.IsLabelKey(key) {
		c.fault("topologyKey", key, `"topologyKey" %.100q is not a label name: write one such as `+
			`topology.kubernetes.io/zone`, key)
	}
	return key
}

// A length is a field with a duration in whole hours and minutes, and the advice about it.
type length struct {
	field, means, zero, examples, long string
	longest                            time.Duration
}

var (
	ofDuration = length{"duration", "write how long the budget stays active after each hit, such as 8h",
		"write a longer one, or delete the budget", "8h, 90m or 1h30m",
		"longer than 292 years: leave schedule and duration out for always", math.MaxInt64}
	ofPer = length{"per", perMeans, perMeans, "1h, 90m or 24h", "longer than a year: write at most 8784h",
		wording.Year}
	ofSpread = length{"spread", spreadMeans, spreadMeans + ", or leave it out", "24h or 168h",
		"longer than 90 days: write at most 2160h", mostSpread}
	ofSoak = length{"soak", soakMeans, soakMeans + ", or leave it out", "10m, 1h or 1h30m",
		"longer than 30 days: write at most 720h", 30 * 24 * time.Hour}
)

const (
	perMeans    = "write the time within which so many nodes may start, such as 1h"
	spreadMeans = "write the open time over which a roll is spread, such as 168h"
	soakMeans   = "write how long a slot is in use after its node is gone, such as 10m"
)

// length parses a field. If it is absent or invalid, the result is 0.
func (c *checker) length(of length, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	fault := ""
	switch {
	case d < 0:
		fault = "negative: " + of.means
	case err == nil && d == 0:
		fault = "zero: " + of.zero
	case !wording.Whole(text):
		fault = "not in whole hours and minutes: write " +
			cmp.Or(wording.MeantDuration(text), "one such as "+of.examples)
	case err != nil || d > of.longest:
		fault = of.long
	default:
		return d
	}
	c.fault(of.field, text, "%s %.100q is %s", of.field, text, fault)
	return 0
}
