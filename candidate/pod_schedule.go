package candidate

import (
	"fmt"

	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/schedule"
)

// A PodSchedule is a PodDisruptionSchedule, the cluster-scoped alternative to annotations of the pod disruption schedule
// RFC: the pods that it selects, in all namespaces, may only be disrupted at its times. Where annotations or other
// PodSchedules apply, too, all must agree. The texts are those of the annotations; see DisruptionScheduleAnnotation.
type PodSchedule struct {
	Name     string
	Selector *Selector // nil selects nothing, the zero Selector all pods

	Schedule, Duration           string // when the pods may be disrupted; 1h after each hit if Duration is ""
	BlockSchedule, BlockDuration string // when they may not be
	TimeZone                     string // of both; UTC if it is ""
}

// A compiledSchedule is a PodSchedule as it is enforced.
type compiledSchedule struct {
	PodSchedule
	window schedule.Window
	broken string // if anything, its pods may not be disrupted
	title  string // for sentences
	source *Source
}

// compileSchedule returns when the pods that a PodSchedule selects may go, and its faults; its selector is not nil. It is an administrator's
// object: a broken one blocks what it selects, and all pods where that is not known.
func compileSchedule(s PodSchedule) (compiledSchedule, selector, []Warning) {
	compiled := compiledSchedule{PodSchedule: s, title: "PodDisruptionSchedule " + quote.Text(s.Name), source: &Source{PodSchedule: s.Name}}
	selector, faults := s.Selector.compile()
	window, more := disruptionSchedule{
		field{"spec.schedule", s.Schedule}, field{"spec.duration", s.Duration},
		field{"spec.blockSchedule", s.BlockSchedule}, field{"spec.blockDuration", s.BlockDuration},
		field{"spec.timeZone", s.TimeZone},
	}.compile()
	compiled.window, faults = window, append(faults, more...)
	if len(faults) == 0 && window == (schedule.Window{}) {
		faults = append(faults, field{"spec.schedule", ""}.fault("",
			"nothing says when pods may be disrupted: write a schedule, or delete this PodDisruptionSchedule"))
	}
	for i := range faults {
		faults[i].Code, faults[i].Object = CodeInvalidSchedule, s.object()
	}
	if len(faults) > 0 {
		compiled.broken = quote.Text(faults[0].Field) + ": " + faults[0].Message
	}
	return compiled, selector, faults
}

func (s PodSchedule) object() string { return "PodDisruptionSchedule/" + s.Name }

// text is all that there is to see, first by name.
func (s PodSchedule) text() string {
	selector := s.Selector
	s.Selector = nil
	return fmt.Sprintf("%s\x00%#v %#v", s.Name, s, selector)
}
