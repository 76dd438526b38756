package manifest

import "github.com/disruptkit/disruptkit/candidate"

// readPodSchedule reads a PodDisruptionSchedule. A field that is not known may be one that was meant to hold pods back,
// and is a fault.
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
