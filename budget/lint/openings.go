package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A phase is a span of a timeline in which nodes may go throughout, or none may.
type phase struct {
	schedule.Span
	open     bool
	blocking budget.Indexes // the budgets that close it
	first    budget.Indexes // the budgets that close it at its beginning
	last     budget.Indexes // the budgets that close it at its end
}

// phasesOf returns the phases of a timeline.
func phasesOf(timeline []budget.Segment) (phases []phase) {
	for _, s := range timeline {
		isOpen := s.Nodes > 0
		last := len(phases) - 1
		if last < 0 || phases[last].open != isOpen {
			phases, last = append(phases, phase{Span: s.Span, open: isOpen, first: s.Binding}), last+1
		}
		p := &phases[last]
		p.End = s.End
		if !isOpen {
			p.last = s.Binding
			p.blocking |= s.Binding
		}
	}
	return phases
}

// closures returns the phases of a timeline in which nothing is allowed. Where a single budget closes at an end of the
// checked time, they are as long as that is.
func (l *linter) closures(timeline []budget.Segment) (closed []phase) {
	for _, p := range phasesOf(timeline) {
		if p.open {
			continue
		}
		for _, b := range l.limits.pool {
			if p.blocking != only(b.Index) {
				continue
			}
			if _, span := b.Window.State(p.Start); p.Start.Equal(l.now) && !span.Start.IsZero() {
				p.Start = span.Start
			}
			if isOpen, span := b.Window.State(l.end); p.End.Equal(l.end) && isOpen && !span.End.IsZero() {
				p.End = span.End
			}
		}
		closed = append(closed, p)
	}
	return closed
}

// openingsOf returns the spans of a timeline in which nodes are allowed, the spans in which none is, and the budgets
// that close. It skips spans without a beginning or an end, and merges closures with only a minute between them.
func openingsOf(timeline []budget.Segment) (openings, closures []schedule.Span, blocking budget.Indexes) {
	phases := withoutBrief(phasesOf(timeline))
	for i, p := range phases {
		blocking |= p.blocking
		switch {
		case i == 0 || i == len(phases)-1:
		case p.open:
			openings = append(openings, p.Span)
		default:
			closures = append(closures, p.Span)
		}
	}
	return openings, closures, blocking
}

// single returns the budgets that allow one node at most, if more are never allowed at once.
func single(timeline []budget.Segment) (which budget.Indexes) {
	for _, s := range timeline {
		if s.Nodes > 1 {
			return 0
		}
		if s.Nodes == 1 {
			which |= s.Binding
		}
	}
	return which
}

func length(s schedule.Span) time.Duration { return s.End.Sub(s.Start) }

// median returns the median length: the higher one of an even number of spans, and 0 without spans.
func median(spans []schedule.Span) time.Duration {
	if len(spans) == 0 {
		return 0
	}
	lengths := make([]time.Duration, len(spans))
	for i, s := range spans {
		lengths[i] = length(s)
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

// longest returns the length of the longest span.
func longest(spans []schedule.Span) (most time.Duration) {
	for _, s := range spans {
		most = max(most, length(s))
	}
	return most
}

// unevenOpenings finds an opening that is far longer than the others: a hole in a freeze, such as a weekend. The median
// opening counts as the usual one.
func (l *linter) unevenOpenings() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		timeline := l.effective(r)
		openings, closures, blocking := openingsOf(timeline)
		openings = withoutSeasons(openings, closedBetween(timeline))
		if len(openings) < 3 || !l.nightly(closures) {
			return f, nil, false
		}
		usual := median(openings)
		most := longest(openings)
		long := 0
		for _, s := range openings {
			if length(s) >= 2*usual {
				long++
			}
		}
		if long == 0 || long > len(openings)/3 || most-usual <= clockChange {
			return f, nil, false
		}
		hole := openings[slices.IndexFunc(openings,
			func(s schedule.Span) bool { return length(s) >= max(2*usual, most-clockChange) })]
		f = Finding{Code: CodeUnevenOpenings, Severity: SeverityInfo, Budgets: blocking, Span: hole}
		if usual < median(closures) {
			f.Severity = SeverityWarning
		}
		f.Message = fmt.Sprintf("open %s, for %s, while openings usually last %s: %s", l.span(hole),
			wording.Duration(length(hole)), wording.Duration(usual), l.names(blocking))
		return f, func(reasons []candidate.Reason) remedy { return l.filling(reasons, hole, usual) }, true
	})
}

// nightly reports whether a good part of the closures lasts through a night. A freeze by day leaves the weekend open on
// purpose.
func (l *linter) nightly(closures []schedule.Span) bool {
	nights := 0
	for _, s := range closures {
		start := s.Start.In(l.now.Location())
		night := time.Date(start.Year(), start.Month(), start.Day(), 3, 0, 0, 0, start.Location())
		if night.Before(start) {
			night = night.AddDate(0, 0, 1)
		}
		if night.Before(s.End) {
			nights++
		}
	}
	return 3*nights >= len(closures)
}

// clockChange is how much longer an opening may be because clocks change.
const clockChange = 2 * time.Hour

// withoutSeasons returns openings without those that are not holes in a freeze but the time between two freezes, that
// is, without those that last longer than any time between two long openings.
func withoutSeasons(openings []schedule.Span, between schedule.Span) []schedule.Span {
	usual := median(openings)
	var freeze time.Duration // the longest one
	start := between.Start
	for _, s := range openings {
		if length(s) >= 2*usual {
			freeze = max(freeze, s.Start.Sub(start))
			start = s.End
		}
	}
	freeze = max(freeze, between.End.Sub(start))
	return slices.DeleteFunc(openings, func(s schedule.Span) bool { return length(s) > freeze })
}

// closedBetween returns the span from the first closure of a timeline to the last.
func closedBetween(timeline []budget.Segment) (s schedule.Span) {
	for _, phase := range phasesOf(timeline) {
		if phase.open {
			continue
		}
		if s.Start.IsZero() {
			s.Start = phase.Start
		}
		s.End = phase.End
	}
	return s
}

// filling returns how to shorten a weekly opening to its usual length. It does so only if that closes no other opening,
// and not more time than is closed already or stays open. If it leaves less than a third of the open time, the long
// opening is rather the one that is meant.
func (l *linter) filling(reasons []candidate.Reason, hole schedule.Span, usual time.Duration) remedy {
	more := everyWeek(hole.Start, length(hole)-usual, reasons)
	return remedy{ways: []way{{does: "if that is not intended, add " + l.literals(more), edits: l.adding(more),
		good: func(after *linter) bool {
			return !slices.ContainsFunc(reasons, func(r candidate.Reason) bool {
				open, left := openFor(l.effective(r)), openFor(after.effective(r))
				year := l.end.Sub(l.now)
				return open-left > max(left, year-open) || open > 3*left ||
					!shortens(l.effective(r), after.effective(r), usual)
			})
		}}}, otherwise: "if that is not intended, also add a budget of 0 for the time that should be closed"}
}

// shortens reports whether two timelines differ only in openings that were far longer than the usual one and now last
// about as long. Openings at the ends of the timeline may be cut.
func shortens(before, after []budget.Segment, usual time.Duration) bool {
	openings, _, _ := openingsOf(before)
	shorter, _, _ := openingsOf(after)
	if lost := len(openings) - len(shorter); lost < -2 || 2 < lost {
		return false // openings were closed, or cut in two
	}
	long := slices.DeleteFunc(openings, func(s schedule.Span) bool { return length(s) < 2*usual })
	first, last := before[0].Start, before[len(before)-1].End
	for span, both := range together(before, after) {
		was, is := both[0].Nodes, both[1].Nodes
		for len(long) > 0 && !long[0].End.After(span.Start) {
			long = long[1:]
		}
		inLong := len(long) > 0 && !span.Start.Before(long[0].Start)
		atEnd := span.Start.Before(first.Add(lintWeek)) || span.End.After(last.Add(-lintWeek))
		if was != is && (is != 0 || !inLong && !atEnd) {
			return false
		}
	}
	return !slices.ContainsFunc(shorter, func(s schedule.Span) bool { return length(s) > usual+clockChange })
}

// A gap is an opening of up to an hour, between closures by different budgets that last longer by far.
const (
	gapLength = time.Hour
	gapPart   = 4
)

// gap finds an hour, or less, between two freezes that else adjoin: probably one of them begins an hour too late, or
// ends too early. It leaves openings that briefOpenings finds, and those that are a window of their own.
func (l *linter) gap() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		phases := phasesOf(l.effective(r))
		others := false // there are other openings, which are meant
		var first phase
		var before budget.Indexes
		for i, p := range phases {
			if i == 0 || i == len(phases)-1 || !p.open {
				continue
			}
			switch {
			case !isGap(phases, i):
				others = true
			case first.End.IsZero() && !isBrief(phases, i) && !l.grants(r, p.Span):
				first, before = p, phases[i-1].last|phases[i+1].first
			}
		}
		if first.End.IsZero() || !others {
			return l.clockHole(phases)
		}
		return Finding{Code: CodeGap, Severity: SeverityInfo, Budgets: before, Span: first.Span,
				Message: fmt.Sprintf("open for %s %s, between two freezes that else adjoin: %s",
					wording.Duration(length(first.Span)), l.span(first.Span), l.names(before))},
			func(reasons []candidate.Reason) remedy { return l.closingGap(reasons, first, before) }, true
	})
}

// isGap reports whether a phase is a gap. It must be an opening between two closures.
func isGap(phases []phase, i int) bool {
	d, last, next := length(phases[i].Span), phases[i-1], phases[i+1]
	return d <= gapLength && min(length(last.Span), length(next.Span)) >= gapPart*d && last.last&next.first == 0
}

// closingGap returns how to make the first of two freezes last until the second begins: if that is also for repair, by
// another budget.
func (l *linter) closingGap(reasons []candidate.Reason, gap phase, freezes budget.Indexes) remedy {
	r := remedy{lead: "if that is not intended, ", otherwise: "close that time as well"}
	for i := range freezes.All() {
		d, err := time.ParseDuration(l.list[i].Duration)
		if err != nil || l.list[i].Outside {
			continue
		}
		longer := l.list[i]
		longer.Duration = wording.Duration(d + length(gap.Span))
		r.ways = append(r.ways, way{does: fmt.Sprintf(`write "duration": %q in %s`, longer.Duration, l.set.Place(i)),
			edits: l.replacing(i, longer), instead: len(r.ways) > 0})
		longer.Reasons = reasons
		r.ways = append(r.ways, way{does: "add " + l.literals(longer), edits: l.adding(longer), instead: true})
	}
	weekly := everyWeek(gap.Start, length(gap.Span), reasons)
	r.ways = append(r.ways, way{does: "add " + l.literals(weekly), edits: l.adding(weekly), instead: len(r.ways) > 0})
	return r
}

// clockHole finds the part of an opening, on one day of the week, at a time of day at which all other days are closed,
// where the rest of it is as on other days: a freeze of nights and one of weekends do not adjoin on Monday.
func (l *linter) clockHole(phases []phase) (f Finding, fix advisor, found bool) {
	const day = 24 * time.Hour
	if l.count(CodeUnevenOpenings)+l.count(CodeBriefOpenings) > 0 {
		return f, nil, false // that is the same hole
	}
	var openings []schedule.Span
	for _, p := range phases {
		if p.open && p.Start.Before(l.now.Add(5*lintWeek)) {
			openings = append(openings, p.Span)
		}
	}
	after := func(days int) schedule.Window { // the openings, some days earlier
		shifted := slices.Clone(openings)
		for i, s := range shifted {
			shifted[i] = schedule.Span{Start: s.Start.AddDate(0, 0, -days), End: s.End.AddDate(0, 0, -days)}
		}
		return schedule.Dates(shifted...)
	}
	var others []schedule.Window
	for days := 1; days < 7; days++ {
		others = append(others, after(days), after(-days))
	}
	for _, s := range openings {
		if s.Start.Before(l.now.Add(lintWeek)) || s.Start.After(l.now.Add(3*lintWeek)) || length(s) > 2*day {
			continue
		}
		holes := schedule.Union(append(others, schedule.Dates(s).Outside())...).Outside()
		for hole := range holes.Spans(s.Start, s.End) {
			rest := hole.End // a time in the rest of the opening
			if hole.End.Equal(s.End) {
				rest = s.Start
			}
			usual := 0
			for _, w := range others {
				if schedule.InWindow(w, rest) {
					usual++
				}
			}
			weekly := schedule.InWindow(after(7), hole.Start)
			if weekly && usual >= 6 && hole != s && length(hole) >= briefOpening {
				return l.fillHole(hole, phases)
			}
		}
	}
	return f, nil, false
}

// fillHole returns the way to close a part of an opening, each week.
func (l *linter) fillHole(hole schedule.Span, phases []phase) (f Finding, fix advisor, found bool) {
	i := slices.IndexFunc(phases, func(p phase) bool { return p.End.After(hole.Start) })
	before := phases[max(0, i-1)].last
	f = Finding{Code: CodeGap, Severity: SeverityWarning, Budgets: before, Span: hole,
		Message: fmt.Sprintf("open %s, a time of day at which all other days of the week are closed: %s", l.span(hole),
			l.names(before))}
	return f, func(reasons []candidate.Reason) remedy {
		more := everyWeek(hole.Start, length(hole), reasons)
		return remedy{lead: "if that is not intended, ", otherwise: "close that time as well",
			ways: []way{{does: "add " + l.literals(more), edits: l.adding(more)}}}
	}, true
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
			f.Message += ", and again later"
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

// grants reports whether a budget's own window is exactly a span in which nodes are allowed for a reason.
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

// joining returns which durations to extend, so that there is no minute between closures.
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

// shortRotation is how long a window has to be at least for a pool of more than a few nodes to roll in it: launching a
// replacement and draining a node takes minutes, and Karpenter replaces drifted nodes in small groups.
const shortRotation = time.Hour

// shortRotation finds short windows that allow all nodes. They read as if all of them were replaced in a window.
func (l *linter) shortRotation() {
	if !l.occurs(candidate.Drifted) || l.limits.brokenFor(candidate.Drifted) {
		return
	}
	timeline := l.effective(candidate.Drifted)
	var openings []schedule.Span
	for i, p := range phasesOf(timeline) {
		if p.open && i > 0 && !p.End.Equal(l.end) {
			openings = append(openings, p.Span)
		}
	}
	if len(openings) < 3 || longest(openings) >= shortRotation {
		return
	}
	var which budget.Indexes
	for _, s := range timeline {
		if s.Nodes > 0 && s.Nodes < l.nodes {
			return
		}
		if s.Nodes > 0 {
			which |= s.Binding
		}
	}
	if which == 0 {
		return // unlimitedSpan says so
	}
	l.add(Finding{Code: CodeShortRotation, Severity: SeverityInfo, Budgets: which, Reason: candidate.Drifted,
		Message: fmt.Sprintf("all nodes are allowed at once, but hardly all of them fit in the %s that an opening "+
			"lasts: replacements take minutes to start, and Karpenter rolls a few nodes at a time; the others "+
			"wait for the next window: %s", wording.Duration(median(openings)), l.names(which)),
		Advice: "compare with a plan (kubectl disruption plan), and write a longer window"})
}

// throttles is how short a window is that people write to allow a single node within it.
const throttles = time.Hour

// oneAtATime finds short windows in which one node is allowed at a time. People mean one in each window, but a budget
// says how many are in flight: when a node is gone, the next is allowed.
func (l *linter) oneAtATime() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		d, err := time.ParseDuration(written.Duration)
		if err == nil && d <= throttles && !written.Outside && l.oneOf(b) && l.unpaced(b) {
			f := l.perWindow(only(b.Index), d)
			f.Message = l.name(b.Index) + ": that is " + f.Message
			l.add(f)
		}
	}
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		timeline := l.effective(r)
		openings, _, _ := openingsOf(timeline)
		if len(openings) < 3 || longest(openings) > throttles || l.pacesOf(r) != 0 {
			return f, nil, false
		}
		// Percentages are of few nodes, and windows already found.
		which := single(timeline) & l.which(func(b *budget.Limit) bool { return !b.Percent && b.Constant() })
		if which == 0 {
			return f, nil, false
		}
		f = l.perWindow(which, median(openings))
		f.Message = "allowed " + f.Message + ": " + l.names(which)
		return f, nil, true
	})
}

// oneOf reports whether a budget lets a single node of the pool go at a time.
func (l *linter) oneOf(b *budget.Limit) bool {
	return b.Amount == budget.Amount{N: 1} && b.Key == "" && b.Per == 0 && l.decides(b)
}

// unpaced reports whether no pace covers what a budget covers.
func (l *linter) unpaced(b *budget.Limit) bool {
	return !slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool { return b.Covers(r) && l.pacesOf(r) != 0 })
}

// perWindow returns the finding that a limit of 1 does not count the nodes of a window.
func (l *linter) perWindow(which budget.Indexes, window time.Duration) Finding {
	f := Finding{Code: CodeOneAtATime, Severity: SeverityInfo, Budgets: which,
		Message: fmt.Sprintf("one node at a time, not one in each window of %s, since the next is allowed as soon "+
			"as one is gone", wording.Duration(window)),
		Advice: `Karpenter cannot count the nodes of a window: the annotation disruptkit.dev/disruption can, ` +
			`where it runs with disruptkit's guard or steward (per)`}
	if l.spec.Dialect != dialect.Karpenter {
		f.Advice = fmt.Sprintf(`if one in each window is meant, also write a pace, such as "per": %q`,
			wording.Duration(max(window, time.Hour)))
	}
	return f
}
