package candidate

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

const (
	defaultScheduleDuration  = time.Hour
	shortestScheduleDuration = time.Minute
	longestScheduleDuration  = 7 * 24 * time.Hour
	mostSchedules            = 50 // in one text
)

// A disruptionSchedule is what annotations or a PodDisruptionSchedule say about when pods may go.
type disruptionSchedule struct {
	schedule, duration           field // when they may
	blockSchedule, blockDuration field // when they may not
	timeZone                     field // of both; UTC if it is empty
}

// A field is a text that may be empty, with its name.
type field struct{ name, value string }

func (f field) fault(value, format string, args ...any) Warning {
	return Warning{Field: f.name, Value: value, Message: fmt.Sprintf(format, args...)}
}

// compile returns when pods may go: inside the one schedule and outside the other. It ignores invalid schedules, and
// all schedules if the time zone is invalid. An invalid duration counts as the default.
func (d disruptionSchedule) compile() (w schedule.Window, faults []Warning) {
	zone := d.timeZone.value
	_, err := schedule.Parse("@daily", time.Hour, zone)
	switch {
	case zone != "" && d.schedule.value+d.blockSchedule.value == "":
		faults = append(faults, d.timeZone.fault(zone,
			"time zone %.100q has no schedule to apply to: write a schedule, too, or leave it out", zone))
	case err != nil:
		return w, append(faults, d.timeZone.fault(zone, "%v", err))
	}
	allowed, allows, allowFaults := unionOf(d.schedule, d.duration, zone)
	blocked, blocks, blockFaults := unionOf(d.blockSchedule, d.blockDuration, zone)
	faults = append(append(faults, allowFaults...), blockFaults...)
	switch {
	case allows && blocks:
		w = schedule.Union(allowed.Outside(), blocked).Outside()
	case allows:
		w = allowed
	case blocks:
		w = blocked.Outside()
	}
	return w, faults
}

// unionOf returns the union of the valid schedules in a text, if there is one.
func unionOf(schedules, durations field, zone string) (union schedule.Window, valid bool, faults []Warning) {
	if schedules.value == "" {
		if durations.value != "" {
			faults = append(faults, durations.fault(durations.value, "duration %.100q has no schedule: write %s, too",
				durations.value, schedules.name))
		}
		return union, false, faults
	}
	crons := split(schedules.value)
	if n := len(crons); n > mostSchedules {
		faults = append(faults,
			schedules.fault(schedules.value, "%d schedules are too many: write at most %d", n, mostSchedules))
	}
	open, more := durationsOf(durations, len(crons))
	faults = append(faults, more...)
	var windows []schedule.Window
	for i, cron := range crons[:min(len(crons), mostSchedules)] {
		w, err := schedule.Parse(cron, open[i], zone)
		if err != nil {
			faults = append(faults, schedules.fault(cron, "%s", wording.Sentence(err)))
			continue
		}
		windows = append(windows, w)
	}
	return schedule.Union(windows...), len(windows) > 0, faults
}

// split returns the parts between semicolons. A semicolon at the end is allowed.
func split(text string) []string {
	parts := strings.Split(text, ";")
	if last := len(parts) - 1; last > 0 && strings.TrimSpace(parts[last]) == "" {
		parts = parts[:last]
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// durationsOf returns the durations of n schedules, up to the limit.
func durationsOf(durations field, n int) (open []time.Duration, faults []Warning) {
	texts := split(durations.value)
	if len(texts) != 1 && len(texts) != n {
		faults = append(faults, durations.fault(durations.value, "%s for %s: "+
			"write one duration for all of them, or one each",
			wording.Count(len(texts), "duration"), wording.Count(n, "schedule")))
		texts = []string{""}
	}
	for i := range min(n, mostSchedules) {
		if i < len(texts) {
			d, wrong := parseScheduleDuration(texts[i])
			if wrong != "" {
				faults = append(faults, durations.fault(texts[i], "duration %.100q %s", texts[i], wrong))
			}
			open = append(open, d)
		} else {
			open = append(open, open[0])
		}
	}
	return open, faults
}

// parseScheduleDuration parses a duration. If it is invalid, it returns the default and what is wrong.
func parseScheduleDuration(text string) (d time.Duration, wrong string) {
	if text == "" {
		return defaultScheduleDuration, ""
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		wrong = "is not valid: write one such as 4h, 30m or 1h30m, from 1m to 168h"
	case d < shortestScheduleDuration:
		wrong = "is less than a minute: write at least 1m"
	case d > longestScheduleDuration:
		wrong = "is longer than 7 days: write at most 168h"
	default:
		return d, ""
	}
	return defaultScheduleDuration, wrong
}
