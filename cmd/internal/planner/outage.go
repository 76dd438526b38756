package planner

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// parseOutage reads when probes allow no node of NodePools, as --outage has it: "0 9 * * mon-fri 8h", or "2026-11-20T18:00:00Z/2026-11-20T22:00:00Z",
// and before it "web,gpu: " for some pools. Schedules are in a zone.
func parseOutage(text, zone string) (o plan.Outage, err error) {
	o.Why = "given by --outage"
	when := text
	if pools, rest, found := strings.Cut(text, ": "); found {
		when = rest
		for _, name := range strings.Split(pools, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return o, fmt.Errorf("--outage %q: the name of a NodePool is missing: write such as web,gpu: 0 9 * * mon-fri 8h", text)
			}
			o.Pools = append(o.Pools, name)
		}
	}
	when = strings.TrimSpace(when)
	if from, to, found := strings.Cut(when, "/"); found && !strings.Contains(when, " ") {
		o.Window, err = parseDates(from, to)
	} else {
		o.Window, err = parseSchedule(when, zone)
	}
	if err != nil {
		return o, fmt.Errorf("--outage %q: %w", text, err)
	}
	return o, nil
}

// parseDates reads two times.
func parseDates(from, to string) (w schedule.Window, err error) {
	start, err := time.Parse(time.RFC3339, from)
	if err != nil {
		return w, fmt.Errorf("%q is not a time: write one such as 2026-11-20T18:00:00Z", from)
	}
	end, err := time.Parse(time.RFC3339, to)
	switch {
	case err != nil:
		return w, fmt.Errorf("%q is not a time: write one such as 2026-11-20T22:00:00Z", to)
	case !end.After(start):
		return w, errors.New("it ends before it begins: write the earlier time first")
	}
	return schedule.Dates(schedule.Span{Start: start, End: end}), nil
}

// parseSchedule reads a cron expression and a duration.
func parseSchedule(text, zone string) (w schedule.Window, err error) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return w, errors.New("a schedule and a duration are missing: write such as 0 9 * * mon-fri 8h, or 2026-11-20T18:00:00Z/2026-11-20T22:00:00Z")
	}
	last := len(fields) - 1
	d, err := time.ParseDuration(fields[last])
	if err != nil {
		return w, fmt.Errorf("%q is not a duration: write one behind the schedule, such as 0 9 * * mon-fri 8h", fields[last])
	}
	return schedule.Parse(strings.Join(fields[:last], " "), d, zone)
}
