package budget

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/schedule"
)

// briefOpening is the length of the openings that "23h59m" leaves: people write the last minute that should be closed,
// but the end of a duration is not part of it. No opening can be shorter than a minute.
const briefOpening = time.Minute

// isBrief reports whether a phase is a brief opening between closures, probably unintended.
func isBrief(phases []phase, i int) bool {
	return 0 < i && i < len(phases)-1 && phases[i].open && length(phases[i].Span) <= briefOpening &&
		length(phases[i-1].Span) > briefOpening && length(phases[i+1].Span) > briefOpening
}

// withoutBrief merges closures with only a brief opening between them.
func withoutBrief(phases []phase) (fewer []phase) {
	for i, p := range phases {
		last := len(fewer) - 1
		switch {
		case isBrief(phases, i):
		case last >= 0 && fewer[last].open == p.open:
			fewer[last].End, fewer[last].last = p.End, p.last
			fewer[last].blocking |= p.blocking
		default:
			fewer = append(fewer, p)
		}
	}
	return fewer
}

// brief finds closures with only a minute between them.
func (l *linter) brief() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		holes, around, blocking := briefOpenings(l.effective(r))
		if len(holes) == 0 {
			return f, false
		}
		f = Finding{Code: FindingBriefOpenings, Severity: SeverityWarning, Budgets: blocking, Span: holes[0]}
		f.Message = fmt.Sprintf("open for only %s %s", duration.Text(length(holes[0])), l.span(holes[0]))
		if len(holes) > 1 {
			f.Message += fmt.Sprintf(", and %d more times up to %s", len(holes)-1, l.time(l.end))
		}
		if around > 0 {
			f.Message += ", between closures of " + duration.Text(around)
		}
		f.Message += ": " + l.names(blocking)
		f.Advice = l.joining(r, holes, blocking)
		return f, true
	})
}

// briefOpenings returns the brief openings of a timeline, the length of a closure before one of them, and the budgets
// that close before them.
func briefOpenings(timeline []Segment) (holes []schedule.Span, around time.Duration, blocking Indexes) {
	phases := phasesOf(timeline)
	for i, hole := range phases {
		if !isBrief(phases, i) {
			continue
		}
		if around == 0 && i > 1 { // the first phase began before
			around = length(phases[i-1].Span)
		}
		holes, blocking = append(holes, hole.Span), blocking|phases[i-1].last
	}
	return holes, around, blocking
}

// joining says which durations to extend, so that there is no minute between closures.
func (l *linter) joining(r candidate.Reason, holes []schedule.Span, blocking Indexes) string {
	const meant = "; leave it if the minute is intended, as a slow pace"
	list := slices.Clone(l.set.written)
	var longer Indexes
	var changes []string
	for i := range blocking.All() {
		d, err := time.ParseDuration(list[i].Duration)
		if err != nil || list[i].Outside {
			continue // another budget's end, or its window is what is open
		}
		longer.add(i)
		was := list[i].Duration
		list[i].Duration = duration.Text(d + length(holes[0]))
		changes = append(changes, fmt.Sprintf("%s instead of %s in %s", list[i].Duration, was, l.set.places[i]))
	}
	one := func(_ candidate.Reason, before, after []Segment) bool {
		left, _, _ := briefOpenings(after)
		return len(left) == 0 && 2*openFor(after) >= openFor(before) && tightens(before, after)
	}
	concerned := slices.DeleteFunc(slices.Clone(l.reasons), func(other candidate.Reason) bool {
		return other != r && !slices.ContainsFunc(l.budgets(), func(b *compiled) bool { return blocking.Has(b.index) && b.covers(other) })
	})
	switch {
	case longer != 0 && l.proves(list, concerned, one):
		return "write " + enumerate(changes) + ", so that the closures merge" + meant
	case longer != blocking:
		return "write longer openings, so that nodes have time to go" + meant
	}
	return fmt.Sprintf("hardly any time is left: write shorter durations, so that nodes have time to go, "+
		"or %s only if they should never go%s", enumerate(changes), meant)
}
