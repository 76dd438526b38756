package candidate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodSchedule is a PodDisruptionSchedule, the cluster-scoped alternative to annotations in the pod disruption
// schedule RFC. The pods that it selects, in all namespaces, may be disrupted only at its times. If annotations or
// other PodSchedules apply as well, all must agree.
type PodSchedule struct {
	Name     string
	Selector *Selector // nil selects nothing, the zero Selector all pods

	// Schedule is when the pods may be disrupted: up to 50 cron expressions, separated by semicolons. Duration is how
	// long the window stays open after each hit: from 1m to 168h, one for all expressions or one for each; "" means 1h.
	Schedule, Duration string
	// BlockSchedule and BlockDuration are when the pods are blocked, in the same way.
	BlockSchedule, BlockDuration string
	TimeZone                     string // of both schedules; "" means UTC
}

var fieldsOfPodSchedule = PodSchedule{
	Schedule: "spec.schedule", Duration: "spec.duration",
	BlockSchedule: "spec.blockSchedule", BlockDuration: "spec.blockDuration", TimeZone: "spec.timeZone",
}

// An enforcedSchedule is a PodDisruptionSchedule as it is enforced.
type enforcedSchedule struct {
	PodSchedule
	title  string // for sentences
	window schedule.Window
	broken string // what is wrong; if not "", its pods may not be disrupted
	source *Source
}

// compile compiles a PodSchedule whose selector is not nil, and returns all faults. Administrators write these
// objects, so an invalid one blocks the pods that it selects, or all pods if the selector is invalid.
func (s PodSchedule) compile() (enforcedSchedule, compiledSelector, []Warning) {
	selector, faults := s.Selector.compile()
	window, more := s.Window(fieldsOfPodSchedule)
	faults = append(faults, more...)
	if len(faults) == 0 && window == (schedule.Window{}) {
		faults = append(faults, Warning{Field: fieldsOfPodSchedule.Schedule,
			Message: "nothing says when pods may be disrupted: write a schedule, or delete this PodDisruptionSchedule"})
	}
	for i := range faults {
		faults[i].Code, faults[i].Object = CodeInvalidSchedule, s.object()
	}
	enforced := enforcedSchedule{
		PodSchedule: s, title: "PodDisruptionSchedule " + wording.Quote(s.Name), window: window,
		source: &Source{PodSchedule: s.Name},
	}
	if len(faults) > 0 {
		enforced.broken = wording.Quote(faults[0].Field) + ": " + faults[0].Message
	}
	return enforced, selector, faults
}

func (s PodSchedule) object() string { return "PodDisruptionSchedule/" + s.Name }

// text is a sort key: the name, then everything else.
func (s PodSchedule) text() string {
	selector := s.Selector
	s.Selector = nil
	return fmt.Sprintf("%s\x00%#v %#v", s.Name, s, selector)
}

const (
	defaultScheduleDuration  = time.Hour
	shortestScheduleDuration = time.Minute
	longestScheduleDuration  = 7 * 24 * time.Hour
	mostSchedules            = 50 // in one text
)

// Window returns when the pods may be disrupted: inside Schedule and outside BlockSchedule. It ignores invalid
// schedules, and all schedules if the time zone is invalid. An invalid duration counts as 1h. It returns a Warning for
// each fault; names has the names of the fields for the Warnings.
func (s PodSchedule) Window(names PodSchedule) (w schedule.Window, faults []Warning) {
	zone := field{names.TimeZone, s.TimeZone}
	_, err := schedule.Parse("@daily", time.Hour, zone.value)
	switch {
	case zone.value != "" && s.Schedule+s.BlockSchedule == "":
		faults = append(faults, zone.fault(zone.value,
			"time zone %.100q has no schedule to apply to: also write a schedule, or leave it out", zone.value))
	case err != nil:
		return w, append(faults, zone.fault(zone.value, "%v", err))
	}
	always, never := schedule.Window{}, schedule.Union()
	allowed, allowFaults := unionOf(
		field{names.Schedule, s.Schedule}, field{names.Duration, s.Duration}, zone.value, always)
	blocked, blockFaults := unionOf(
		field{names.BlockSchedule, s.BlockSchedule}, field{names.BlockDuration, s.BlockDuration}, zone.value, never)
	return schedule.Union(allowed.Outside(), blocked).Outside(), slices.Concat(faults, allowFaults, blockFaults)
}

// A field is a text that may be empty, with its name.
type field struct{ name, value string }

func (f field) fault(value, format string, args ...any) Warning {
	return Warning{Field: f.name, Value: value, Message: fmt.Sprintf(format, args...)}
}

// unionOf returns the union of the valid schedules in a text, or none if there are none.
func unionOf(
	schedules, durations field, zone string, none schedule.Window,
) (union schedule.Window, faults []Warning) {
	if schedules.value == "" {
		if durations.value != "" {
			faults = append(faults, durations.fault(durations.value, "duration %.100q has no schedule: also write %s",
				durations.value, schedules.name))
		}
		return none, faults
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
	if len(windows) == 0 {
		return none, faults
	}
	return schedule.Union(windows...), faults
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

// durationsOf returns the durations of n schedules, up to the limit. A single text is the duration of all of them.
func durationsOf(durations field, n int) (open []time.Duration, faults []Warning) {
	texts := split(durations.value)
	if len(texts) != 1 && len(texts) != n {
		faults = append(faults, durations.fault(durations.value, "%s for %s: "+
			"write one duration for all of them, or one each",
			wording.Count(len(texts), "duration"), wording.Count(n, "schedule")))
		texts = []string{""}
	}
	for _, text := range texts[:min(len(texts), mostSchedules)] {
		d, wrong := parseScheduleDuration(text)
		if wrong != "" {
			faults = append(faults, durations.fault(text, "duration %.100q %s", text, wrong))
		}
		open = append(open, d)
	}
	if len(open) == 1 {
		open = slices.Repeat(open, min(n, mostSchedules))
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
