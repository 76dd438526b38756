package kube

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// The annotations of a pod that control when it may be disrupted.
const (
	// DoNotDisruptAnnotation is "true" on a pod that must never be disrupted, or a duration after the pod's start
	// during which it must not be. It overrides every schedule.
	DoNotDisruptAnnotation = "karpenter.sh/do-not-disrupt"

	// DisruptionScheduleAnnotation is when the pod may be disrupted: up to 50 cron expressions, separated by
	// semicolons. Further ones are ignored.
	DisruptionScheduleAnnotation = "karpenter.sh/disruption-schedule"
	// DisruptionScheduleDurationAnnotation is how long the window stays open after each hit of the schedule: from 1m to
	// 168h, one for all expressions or one for each. If absent, it is 1h.
	DisruptionScheduleDurationAnnotation = "karpenter.sh/disruption-schedule-duration"
	// DisruptionBlockScheduleAnnotation is when the pod may not be disrupted.
	DisruptionBlockScheduleAnnotation = "karpenter.sh/disruption-block-schedule"
	// DisruptionBlockDurationAnnotation is how long the pod stays blocked after each hit of the block schedule.
	DisruptionBlockDurationAnnotation = "karpenter.sh/disruption-block-duration"
	// DisruptionScheduleTimeZoneAnnotation is the tz database name of the time zone of both schedules. If absent, it is
	// UTC. Without a schedule it is invalid, and so is a duration.
	DisruptionScheduleTimeZoneAnnotation = "karpenter.sh/disruption-schedule-timezone"

	scheduleAnnotations = "karpenter.sh/disruption-"

	// DoNotRepairAnnotation is "true" on a node that must not be repaired.
	DoNotRepairAnnotation = "karpenter.sh/do-not-repair"
)

// fields are the annotations that are the fields of a PodSchedule.
var fields = candidate.PodSchedule{
	Schedule: DisruptionScheduleAnnotation, Duration: DisruptionScheduleDurationAnnotation,
	BlockSchedule: DisruptionBlockScheduleAnnotation, BlockDuration: DisruptionBlockDurationAnnotation,
	TimeZone: DisruptionScheduleTimeZoneAnnotation,
}

// parse reads the annotations with these keys: when a pod may be disrupted.
func parse(keys []string, annotations map[string]string) parsed {
	var p parsed
	value, annotated := annotations[DoNotDisruptAnnotation]
	protect, wrong := parseDoNotDisrupt(value)
	if annotated && wrong != "" {
		p.warnings = append(p.warnings, fault(DoNotDisruptAnnotation, value, wrong))
		p.terms.Invalid = value != "false" // "false" rightly means no protection
	}
	window, faults := candidate.PodSchedule{
		Schedule:      annotations[DisruptionScheduleAnnotation],
		Duration:      annotations[DisruptionScheduleDurationAnnotation],
		BlockSchedule: annotations[DisruptionBlockScheduleAnnotation],
		BlockDuration: annotations[DisruptionBlockDurationAnnotation],
		TimeZone:      annotations[DisruptionScheduleTimeZoneAnnotation],
	}.Window(fields)
	for _, key := range keys { // a known key is nearest to itself
		if known := nearestAnnotation(key); known != key && key != DoNotDisruptAnnotation {
			faults = append(faults, candidate.Warning{Field: key, Value: annotations[key],
				Message: fmt.Sprintf("%.100q is unknown: write %s", key, known)})
		}
	}
	for i := range faults {
		faults[i].Code = candidate.CodeInvalidAnnotation
	}
	p.terms = candidate.Terms{Window: window, Protect: protect, Invalid: p.terms.Invalid || len(faults) > 0}
	p.warnings = append(p.warnings, faults...)
	return p
}

// parseKarpenter reads annotations as Karpenter does: only do-not-disrupt. Invalid values are ignored, whatever the
// policy. (Karpenter: IsDoNotDisruptActive.)
func parseKarpenter(keys []string, annotations map[string]string) (p parsed) {
	for _, key := range keys {
		value := annotations[key]
		if key != DoNotDisruptAnnotation {
			p.warnings = append(p.warnings, candidate.Warning{Code: candidate.CodeNoEffect, Field: key, Value: value,
				Message: fmt.Sprintf("%.100q has no effect in Karpenter, which knows no disruption schedules of pods",
					value)})
			continue
		}
		var wrong string
		if p.terms.Protect, wrong = parseDoNotDisrupt(value); wrong != "" {
			p.warnings = append(p.warnings, fault(key, value, wrong))
		}
	}
	return p
}

// fault returns the warning about an invalid value of an annotation.
func fault(key, value, wrong string) candidate.Warning {
	return candidate.Warning{Code: candidate.CodeInvalidAnnotation, Field: key, Value: value,
		Message: fmt.Sprintf("%.100q %s", value, wrong)}
}

// parseDoNotDisrupt reads the annotation of a pod.
func parseDoNotDisrupt(value string) (protect time.Duration, wrong string) {
	if value == "true" {
		return candidate.Forever, ""
	}
	d, err := time.ParseDuration(value)
	switch {
	case value == "false":
		return 0, "protects nothing: leave the annotation out"
	case err != nil:
		return 0, `protects nothing: write "true", or how long after its start the pod must not be disrupted, ` +
			`such as 4h or 30m`
	case d <= 0:
		return 0, `protects nothing: write a positive duration such as 4h, or "true"`
	}
	return min(d, candidate.Forever-1), "" // only "true" means for ever
}

// nearestAnnotation returns the schedule annotation that a key is or probably means.
func nearestAnnotation(key string) string {
	says := func(part string) bool { return strings.Contains(strings.ToLower(key), part) }
	switch {
	case says("zone"):
		return DisruptionScheduleTimeZoneAnnotation
	case says("block") && says("duration"):
		return DisruptionBlockDurationAnnotation
	case says("block"):
		return DisruptionBlockScheduleAnnotation
	case says("duration"):
		return DisruptionScheduleDurationAnnotation
	}
	return DisruptionScheduleAnnotation
}
