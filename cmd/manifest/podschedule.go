package manifest

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// A podSchedule is a PodDisruptionSchedule.
type podSchedule struct {
	candidate.PodSchedule
	faults []candidate.Warning
}

// unscheduled returns a warning about a PodDisruptionSchedule, which neither the guard nor the steward reads.
func (c *Cluster) unscheduled(s podSchedule) candidate.Warning {
	return candidate.Warning{
		Code: candidate.CodeNoEffect, Object: "PodDisruptionSchedule/" + s.Name,
		Message: "the " + c.policy.As.String() + " reads none: write annotations of pods, such as " + kube.DisruptionScheduleAnnotation,
	}
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
