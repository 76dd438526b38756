package candidate

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// judgePod adds the blockers of a pod, except for those of its PDBs.
func (g *PodGate) judgePod(v *PodVerdict, p *Pod, s *selection) {
	if p.Terms != (Terms{}) {
		g.judgeTerms(v, p)
	}
	if !g.apart { // Karpenter has no PodSchedules
		g.judgeSchedules(v, p, s)
	}
	if s.several != nil && !p.Unevictable {
		v.Blockers = append(v.Blockers, s.refuses(&g.texts, p))
	}
}

// judgeTerms adds the blockers of a pod's annotations. They are one source, so they lift together.
func (g *PodGate) judgeTerms(v *PodVerdict, p *Pod) {
	before := len(v.Blockers)
	if b, protected := g.protected(p); protected {
		v.Blockers = append(v.Blockers, b)
	}
	if p.Terms.Invalid && g.failClosed {
		b := g.texts.blocker(p, CodeInvalidAnnotation, " has invalid annotations, which by policy block it")
		v.Blockers = append(v.Blockers, b)
	}
	if p.Terms.Window != (schedule.Window{}) {
		g.judgeWindow(v, p, p.Terms.Window, nil)
	}
	liftTogether(v.Blockers[before:], p.Terms.Window)
}

// protected returns the blocker of a pod that is still protected by Terms.Protect. (Karpenter: IsDoNotDisruptActive.)
func (g *PodGate) protected(p *Pod) (b Blocker, protected bool) {
	protect := p.Terms.Protect
	until := p.Started.Add(protect)
	switch {
	case protect == 0:
		return b, false
	case protect < 0:
		message := fmt.Sprintf(": Terms.Protect %s is negative: write 0 for none", protect)
		return g.texts.blocker(p, mistake.CodeNegative, message), true
	case protect == Forever:
		b = g.texts.blocker(p, CodeDoNotDisrupt, ` is annotated karpenter.sh/do-not-disrupt: "true"`)
		b.ForGood = true
		return b, true
	case p.Started.IsZero():
		until = time.Time{}
	case !g.now.Before(until):
		return b, false
	}
	message := fmt.Sprintf(" must not be disrupted for %s after its start (do-not-disrupt)", wording.Duration(protect))
	if until.IsZero() {
		message += ", and has not started"
	}
	b = g.texts.blocker(p, CodeDoNotDisrupt, message)
	b.Until = until
	return b, true
}

// liftTogether sets the time when none of a pod's annotations blocks it: its window is open, and nothing else blocks.
func liftTogether(blockers []Blocker, w schedule.Window) {
	if len(blockers) == 0 {
		return
	}
	last, lifts := LiftsAt(blockers)
	if lifts && !schedule.InWindow(w, last) { // its window closes before the rest lifts
		_, last, lifts = w.UntilAtLeast(last)
	}
	if !lifts {
		last = time.Time{}
	}
	for i := range blockers {
		blockers[i].Until = last
	}
}

func (g *PodGate) judgeSchedules(v *PodVerdict, p *Pod, selected *selection) {
	for _, i := range selected.schedules {
		s := &g.rules.schedules[i]
		if s.broken == "" {
			g.judgeWindow(v, p, s.window, s)
			continue
		}
		b := g.texts.blocker(p, CodeInvalidSchedule, " is blocked by ", s.title, ", which is not valid: ", s.broken)
		b.Source = s.source
		v.Blockers = append(v.Blockers, b)
	}
}

// A windowState is a window at the gate's time.
type windowState struct {
	open  bool
	until time.Time
	exact bool   // until is exact; else it may last longer
	text  string // of a closed window
}

// judgeWindow adds the blocker of a closed window: of a PodSchedule, or, if by is nil, of the pod's own annotations.
func (g *PodGate) judgeWindow(v *PodVerdict, p *Pod, w schedule.Window, by *enforcedSchedule) {
	state, known := g.windows[w]
	if !known {
		state.open, state.until, state.exact = w.UntilAtLeast(g.now)
		if !state.open {
			state.text = wording.Short(w.String(), 200)
		}
		if g.windows == nil {
			g.windows = map[schedule.Window]windowState{}
		}
		g.windows[w] = state
	}
	if state.open || !state.exact {
		v.Until = schedule.First(v.Until, state.until)
	}
	if state.open {
		return
	}
	whose, source := "its disruption schedule", (*Source)(nil)
	if by != nil {
		whose, source = by.title, by.source
	}
	b := g.texts.blocker(p, CodeOutsideSchedule, " may be disrupted only when ", whose, " allows it: ", state.text)
	if b.Source = source; state.exact { // else it is unknown when it opens
		b.Until = state.until
	}
	v.Blockers = append(v.Blockers, b)
}

// podTexts writes messages about pods in blocks, so that hundreds of them take one allocation.
type podTexts struct{ block strings.Builder }

// blocker returns a blocker of a pod. Its text is "pod namespace/name" and the message.
func (t *podTexts) blocker(p *Pod, code Code, message ...string) Blocker {
	const intro = "pod "
	name := [...]string{p.Namespace, "/", p.Name}
	if wording.Quote(p.Namespace) != p.Namespace || wording.Quote(p.Name) != p.Name {
		name = [...]string{p.String(), "", ""}
	} else if p.Namespace == "" {
		name[1] = ""
	}
	named := len(name[0]) + len(name[1]) + len(name[2])
	size := len(intro) + named
	for _, part := range message {
		size += len(part)
	}
	if b := &t.block; b.Cap()-b.Len() < size {
		next := max(size, min(64<<10, max(256, 2*b.Cap())))
		t.block = strings.Builder{}
		t.block.Grow(next)
	}
	start := t.block.Len()
	t.block.WriteString(intro)
	for _, part := range name {
		t.block.WriteString(part)
	}
	for _, part := range message {
		t.block.WriteString(part)
	}
	text := t.block.String()[start:] // what a Builder has written stays
	return Blocker{Gate: GatePod, Code: code, Pod: text[len(intro):][:named], Message: text}
}
