package lint

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
)

var ruleFixedOffset = Rule{
	Code:    CodeFixedOffset,
	Means:   "A time zone seems to have summer time, but has a fixed offset.",
	Example: "timeZone: EST is five hours behind UTC all year; New York is not.",
	Do:      "Write the zone of a city, such as America/New_York.",
}

// fixedOffset finds time zones that look as if they had summer time but have none, or that are on the other side of
// UTC than they look.
func (l *linter) fixedOffset() {
	for _, b := range l.valid {
		zone := l.list[b.Index].TimeZone
		what, local := fixedOffset(zone)
		if what == "" {
			continue
		}
		f := Finding{Code: CodeFixedOffset, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s: %s is %s all year", l.name(b.Index), zone, what),
			Advice: "its sign is the opposite of the usual one, and it has no summer time: write the zone of a " +
				"city, such as Europe/Berlin"}
		if local == "" {
			l.add(f)
			continue
		}
		l.addFix(f, func() remedy {
			return remedy{lead: "it has no summer time: ", otherwise: "write the zone of a city, such as " + local,
				ways: []way{{raises: true, does: fmt.Sprintf(`write "timeZone": %q in %s for its local time`, local,
					l.set.Place(b.Index)), edits: l.edit(b.Index, func(b *budget.Budget) { b.TimeZone = local })}}}
		})
	}
}

// fixedOffset says what a misleading zone really is, and which zone has its local time, if one does. (HST, for Hawaii,
// rightly has no summer time. Zones such as EST5EDT do have it.)
func fixedOffset(zone string) (what, local string) {
	switch name := strings.ToUpper(zone); name {
	case "EST":
		return "5 hours behind UTC", "America/New_York"
	case "MST":
		return "7 hours behind UTC", "America/Denver"
	default:
		hours, found := strings.CutPrefix(name, "ETC/GMT")
		side := map[byte]string{'+': "behind", '-': "ahead of"}
		if !found || len(hours) < 2 || side[hours[0]] == "" || hours[1:] == "0" {
			return "", ""
		}
		unit := "hours"
		if hours[1:] == "1" {
			unit = "hour"
		}
		return fmt.Sprintf("%s %s %s UTC", hours[1:], unit, side[hours[0]]), ""
	}
}
