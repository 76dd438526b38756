package candidate

import (
	"fmt"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodSchedule is a PodDisruptionSchedule, the cluster-scoped alternative to annotations in the pod disruption
// schedule RFC. The pods that it selects, in all namespaces, may be disrupted only at its times. If annotations or
// other PodSchedules apply as well, all must agree. Its fields have the syntax of the annotations; see
// [DisruptionScheduleAnnotation].
type PodSchedule struct {
	Name     string
	Selector *Selector // nil selects nothing, the zero Selector all pods

	Schedule, Duration           string // when the pods may be disrupted; 1h after each hit if Duration is ""
	BlockSchedule, BlockDuration string // when they may not be
	TimeZone                     string // of both schedules; "" means UTC
}

// An enforcedSchedule is a PodDisruptionSchedule as it is enforced.
type enforcedSchedule struct {
	Name   string
	Title  string // for sentences
	Window schedule.Window
	Broken string // what is wrong; if not "", its pods may not be disrupted
}

// compile compiles a PodSchedule whose selector is not nil, and returns all faults. Administrators write these
// objects, so a broken one blocks the pods that it selects, or all pods if the selector is broken.
func (s PodSchedule) compile() (enforcedSchedule, compiledSelector, []Warning) {
	selector, faults := s.Selector.compile()
	window, more := disruptionSchedule{
		field{"spec.schedule", s.Schedule}, field{"spec.duration", s.Duration},
		field{"spec.blockSchedule", s.BlockSchedule}, field{"spec.blockDuration", s.BlockDuration},
		field{"spec.timeZone", s.TimeZone},
	}.compile()
	faults = append(faults, more...)
	if len(faults) == 0 && window == (schedule.Window{}) {
		faults = append(faults, field{"spec.schedule", ""}.fault("",
			"nothing says when pods may be disrupted: write a schedule, or delete this PodDisruptionSchedule"))
	}
	for i := range faults {
		faults[i].Code, faults[i].Object = CodeInvalidSchedule, s.object()
	}
	enforced := enforcedSchedule{Name: s.Name, Title: "PodDisruptionSchedule " + wording.Quote(s.Name), Window: window}
	if len(faults) > 0 {
		enforced.Broken = wording.Quote(faults[0].Field) + ": " + faults[0].Message
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
