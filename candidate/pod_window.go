package candidate

import (
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A windowState is a window at the gate's time.
type windowState struct {
	open  bool
	until time.Time
	exact bool   // until is exact; else it may stay so for longer
	text  string // of a closed window
}

// An opening is a window with a pod that may only go in it.
type opening struct {
	pod    *Pod
	window schedule.Window
	whose  int // the position of the PodSchedule; own: the pod's annotations
}

const ownWindow = -1

// judgeWindow records that a pod may only go in a window.
func (g *PodGate) judgeWindow(v *PodVerdict, o opening) {
	state, known := g.windows[o.window]
	if !known {
		state.open, state.until, state.exact = o.window.UntilAtLeast(g.now)
		if !state.open {
			state.text = windowText(o.window)
		}
		if g.windows == nil {
			g.windows = map[schedule.Window]windowState{}
		}
		g.windows[o.window] = state
	}
	switch {
	case !state.open && state.exact:
		v.Blockers = append(v.Blockers, g.closed(o, state))
	case !state.open: // when it opens is unknown
		v.Until = schedule.First(v.Until, state.until)
		state.until = time.Time{}
		v.Blockers = append(v.Blockers, g.closed(o, state))
	case !state.until.IsZero():
		v.Until = schedule.First(v.Until, state.until)
	}
}

// closed returns the blocker of the pod while its window is closed.
func (g *PodGate) closed(o opening, state windowState) Blocker {
	whose, source := "its disruption schedule", (*Source)(nil)
	if o.whose != ownWindow {
		whose, source = g.rules.Schedules[o.whose].Title, g.sources.schedule(o.whose, g.rules)
	}
	b := g.texts.blocker(o.pod, CodeOutsideSchedule, " may go only when ", whose, " lets it: ", state.text)
	b.Until, b.Source = state.until, source
	return b
}

// windowText describes a window, shortened for a sentence.
func windowText(w schedule.Window) string { return w.Abbreviated(200) }
