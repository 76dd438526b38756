package manifest

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// unscheduled returns warnings about PodDisruptionSchedules, which neither the guard nor the steward reads.
func (r *reader) unscheduled() (all []candidate.Warning) {
	for _, s := range r.schedules {
		all = append(all, candidate.Warning{
			Code: candidate.CodeNoEffect, Object: "PodDisruptionSchedule/" + s.Name,
			Message: "the " + r.policy.As.String() + " reads none: write annotations of pods, such as " + kube.DisruptionScheduleAnnotation,
		})
	}
	return all
}

// readPodSchedule reads a PodDisruptionSchedule. An unknown field is a fault, since it may be meant to block pods.
func readPodSchedule(o *object) candidate.PodSchedule {
	spec := o.root.field("spec")
	spec.only("selector", "schedule", "duration", "blockSchedule", "blockDuration", "timeZone")
	return candidate.PodSchedule{
		Name:          o.name,
		Selector:      spec.field("selector").selector(),
		Schedule:      spec.field("schedule").text(),
		Duration:      spec.field("duration").text(),
		BlockSchedule: spec.field("blockSchedule").text(),
		BlockDuration: spec.field("blockDuration").text(),
		TimeZone:      spec.field("timeZone").text(),
	}
}
