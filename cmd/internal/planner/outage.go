package planner

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// parseOutage reads when probes allow no node of NodePools, as --outage has it: "0 9 * * mon-fri 8h", or "2026-11-20T18:00:00Z/2026-11-20T22:00:00Z",
// and before it "web,gpu: " for some pools. Schedules and dates are in a zone.
func parseOutage(text string, zone *time.Location) (o plan.Outage, err error) {
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
	if strings.Contains(when, "/") && !strings.Contains(when, " ") {
		dates, err := command.Range("--outage", when, zone)
		o.Window = schedule.Dates(dates)
		return o, err
	}
	if o.Window, err = parseSchedule(when, zone.String()); err != nil {
		return o, fmt.Errorf("--outage %q: %w", text, err)
	}
	return o, nil
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
