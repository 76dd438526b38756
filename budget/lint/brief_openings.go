package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleBriefOpenings = Rule{
	Code:    CodeBriefOpenings,
	Means:   "Nodes may go only in the few minutes between one closure and the next.",
	Example: `schedule: "@daily" with duration: 23h55m.`,
	Do:      "Leave out schedule and duration to close for good, or make the opening long enough to be useful.",
}

// An opening is brief if it lasts for at most half an hour, and each closure beside it for at least 20 times as long.
// People write "23h59m" because they think of the last minute that should be closed, but the end of a duration is not
// part of it; and after "23h50m" there is hardly time to replace a node.
const (
	briefOpening = 30 * time.Minute
	briefPart    = 20
)

// isBrief reports whether a phase is a brief opening between closures, probably unintended.
func isBrief(phases []phase, i int) bool {
	if i <= 0 || i >= len(phases)-1 || !phases[i].open {
		return false
	}
	d := length(phases[i].Span)
	return d <= briefOpening && min(length(phases[i-1].Span), length(phases[i+1].Span)) >= briefPart*d
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

// briefOpenings finds closures with only some minutes between them. Minutes that are a window of their own are meant,
// but nothing comes of a single one.
func (l *linter) briefOpenings() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		holes, around, blocking := briefOpenings(l.effective(r))
		if len(holes) == 0 || length(holes[0]) > time.Minute && l.grants(r, holes[0]) {
			return f, nil, false
		}
		f = Finding{Code: CodeBriefOpenings, Severity: SeverityWarning, Budgets: blocking, Span: holes[0]}
		f.Message = fmt.Sprintf("open for only %s %s", wording.Duration(length(holes[0])), l.span(holes[0]))
		if len(holes) > 1 {
			f.Message += fmt.Sprintf(", and %s up to %s", wording.Count(len(holes)-1, "more time"), l.time(l.end))
		}
		if around > 0 {
			f.Message += ", between closures of " + wording.Duration(around)
		}
		f.Message += ": " + l.names(blocking)
		return f, func(reasons []candidate.Reason) remedy {
			return l.joining(reasons, holes, blocking)
		}, true
	})
}

// grants reports whether a budget's own window is exactly a span in which nodes may go for a reason.
func (l *linter) grants(r candidate.Reason, hole schedule.Span) bool {
	for _, b := range l.valid {
		w, meant := b.Window, b.N > 0
		if l.list[b.Index].Outside {
			w, meant = w.Outside(), b.N == 0
		}
		if _, span := w.State(hole.Start); meant && !b.Constant() && b.Covers(r) && span == hole {
			return true
		}
	}
	return false
}

// briefOpenings returns the brief openings of a timeline, the length of a closure before one of them, and the budgets
// that close before them.
func briefOpenings(timeline []budget.Segment) (holes []schedule.Span, around time.Duration, blocking budget.Indexes) {
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
func (l *linter) joining(reasons []candidate.Reason, holes []schedule.Span, blocking budget.Indexes) remedy {
	const meant = "; leave it if that is intended, as a slow pace"
	var w, more way
	var changes []string
	for i := range blocking.All() {
		d, err := time.ParseDuration(l.list[i].Duration)
		if err != nil || l.list[i].Outside {
			continue // another budget's end, or its window is what is open
		}
		b := l.list[i]
		b.Duration = wording.Duration(d + length(holes[0]))
		changes = append(changes, fmt.Sprintf("%s instead of %s in %s", b.Duration, l.list[i].Duration, l.set.Place(i)))
		w.edits = append(w.edits, l.replacing(i, b)...)
		b.Reasons = reasons
		more.does, more.edits = "add "+l.literals(b)+", so that the closures merge", l.adding(b)
	}
	w.does = "write " + enumerate(changes) + ", so that the closures merge"
	more.instead = true
	return remedy{ways: []way{w, more}, tail: meant,
		otherwise: "write longer openings, so that nodes have time to go" + meant}
}
