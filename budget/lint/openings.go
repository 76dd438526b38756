package lint

import (
	"cmp"
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
		for _, b := range l.pool {
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

// openingsOf returns the openings for a reason. It skips those without a beginning or an end, and brief ones.
func (l *linter) openingsOf(r candidate.Reason) (o openings) {
	phases := phasesOf(l.effective(r))
	isBrief := brief(phases, 0)
	var last time.Time // the end of an opening
	for i, p := range phases {
		o.blocking |= p.blocking
		if !p.open || isBrief(i) {
			continue
		}
		if !last.IsZero() {
			o.apart = max(o.apart, p.Start.Sub(last))
		}
		if last = p.End; i > 0 && i < len(phases)-1 {
			o.spans = append(o.spans, p.Span)
		}
	}
	if len(o.spans) >= 3 {
		o.usual = median(o.spans)
	}
	return o
}

func length(s schedule.Span) time.Duration { return s.End.Sub(s.Start) }

// median returns the median length of some spans: the higher one of an even number.
func median(spans []schedule.Span) time.Duration {
	lengths := make([]time.Duration, len(spans))
	for i, s := range spans {
		lengths[i] = length(s)
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

// total returns the length of all spans.
func total(spans []schedule.Span) (sum time.Duration) {
	for _, s := range spans {
		sum += length(s)
	}
	return sum
}

// longest returns the length of the longest span.
func longest(spans []schedule.Span) (most time.Duration) {
	for _, s := range spans {
		most = max(most, length(s))
	}
	return most
}

// gap finds openings that are probably holes between freezes: some minutes, or an hour, between two that else adjoin,
// or a time of the week at which other days are closed.
func (l *linter) gap(r candidate.Reason) (f Finding, fix advisor) {
	phases := phasesOf(l.effective(r))
	for _, severity := range []Severity{SeverityWarning, SeverityInfo} {
		if f, fix = l.almostAdjoin(r, phases, severity); f.Message != "" {
			return f, fix
		}
	}
	return l.hole(l.effective(r))
}

// almostAdjoin finds closures with only a brief opening between them (a warning), or with a gap beside which there are
// other openings. Minutes that are a window of their own are meant, but nothing comes of a single one.
func (l *linter) almostAdjoin(r candidate.Reason, phases []phase, severity Severity) (f Finding, fix advisor) {
	is := brief(phases, meantOpening)
	if severity == SeverityInfo {
		is = func(i int) bool { return isGap(phases, i) }
	}
	var gaps []schedule.Span
	var ending, next budget.Indexes
	others := severity == SeverityWarning
	for i, p := range phases {
		switch {
		case i == 0 || i == len(phases)-1 || !p.open:
		case !is(i):
			others = true
		case length(p.Span) > time.Minute && l.grants(r, p.Span):
		default:
			if gaps, ending = append(gaps, p.Span), ending|phases[i-1].last; len(gaps) == 1 {
				next = phases[i+1].first
			}
		}
	}
	if len(gaps) == 0 || !others {
		return f, nil
	}
	f = Finding{Severity: severity, Budgets: ending | next, Span: gaps[0],
		Message: fmt.Sprintf("open for only %s %s, between two freezes: %s", wording.Duration(length(gaps[0])),
			l.span(gaps[0]), l.names(ending|next))}
	return f, func(reasons []candidate.Reason) remedy {
		r := l.filling(gaps, reasons, f.Budgets, ending)
		if openFor(l.effective(reasons[0]))-total(gaps) <= 2*longest(gaps) { // at the ends of the checked time
			r.otherwise = "write a longer opening: nothing else is open"
		}
		return r
	}
}

// filling returns how to close gaps between freezes: those that end there last longer or, if that would also be for
// repair, budgets of their own do, or are only for the gaps. The latter would be in UTC.
func (l *linter) filling(gaps []schedule.Span, reasons []candidate.Reason, freezes, ending budget.Indexes) remedy {
	longer, again, only := way{}, way{instead: true}, way{instead: true}
	for i := range ending.All() {
		b := l.list[i]
		if d, err := time.ParseDuration(b.Duration); err == nil && !b.Outside { // else its window is what is open
			b.Duration = wording.Duration(d + length(gaps[0]))
			longer.edits = append(longer.edits, l.replacing(i, b)...)
			b.Reasons = reasons
			again.edits = l.adding(b)
		}
	}
	more := l.weekly(schedule.Dates(gaps[:min(len(gaps), 50)]...), reasons...)
	if len(more) > 0 && freezes&l.which(func(b *budget.Limit) bool { return l.list[b.Index].TimeZone != "" }) == 0 {
		only.edits = l.adding(more...)
	}
	return remedy{lead: "if that is not intended, ", ways: []way{longer, again, only},
		otherwise: "close that time as well, or write a longer opening"}
}

// minutesOfWeek are the minutes of a week.
const minutesOfWeek = 7 * 24 * 60

// hole finds a time of the week that is open, although all other days are closed at that time of day, or at night all
// but one: a freeze of nights and one of weekends do not adjoin on Monday, or there is none of weekends. It has to be
// part of an opening that else is as on other days.
func (l *linter) hole(timeline []budget.Segment) (f Finding, fix advisor) {
	w, freezes := l.week(timeline)
	open := 0
	for m := range w.of {
		if w.open(m) {
			open++
		}
	}
	for most, days := range []string{"all", "nearly all"} {
		holes := l.holes(w, most)
		left := open - int(total(holes)/time.Minute)
		if len(holes) == 0 || 3*left < open { // rather, the long opening is the one that is meant
			continue
		}
		f = Finding{Budgets: freezes, Span: holes[0],
			Message: fmt.Sprintf("open %s, a time of day at which %s other days of the week are closed: %s",
				l.span(holes[0]), days, l.names(freezes))}
		if 2*left > minutesOfWeek {
			f.Severity = SeverityInfo
		}
		return f, func(reasons []candidate.Reason) remedy { return l.filling(holes, reasons, freezes, 0) }
	}
	return f, nil
}

// A week says in how many of two weeks each minute is open, from now on.
type week struct {
	of   [minutesOfWeek]int
	days [24 * 60]int // on how many days each minute is open in any week
}

// week returns the week of a timeline, and the budgets that close in it.
func (l *linter) week(timeline []budget.Segment) (w *week, closing budget.Indexes) {
	w = &week{}
	for _, s := range timeline {
		from, to := int(s.Start.Sub(l.now)/time.Minute), int(s.End.Sub(l.now)/time.Minute)
		switch from, to = max(from, minutesOfWeek), min(to, 3*minutesOfWeek); {
		case from >= to:
		case s.Nodes == 0:
			closing |= s.Binding
		default:
			for m := from; m < to; m++ {
				w.of[m%minutesOfWeek]++
			}
		}
	}
	for m, n := range w.of {
		w.days[m%(24*60)] += min(1, n)
	}
	return w, closing
}

// open reports whether a minute is open in both weeks.
func (w *week) open(minute int) bool { return w.of[minute%minutesOfWeek] == 2 }

// others returns on how many other days a minute is open in any week.
func (w *week) others(minute int) int {
	return w.days[minute%(24*60)] - min(1, w.of[minute%minutesOfWeek])
}

// holes returns the holes of the coming week at which so many other days are open.
func (l *linter) holes(w *week, most int) (holes []schedule.Span) {
	is := func(m int) bool { return w.open(m) && w.others(m) <= most }
	usual := func(m int) bool { return w.open(m) && w.others(m) >= 3 }
	first := 0
	for first < minutesOfWeek && is(first) {
		first++
	}
	for m := first; m < first+minutesOfWeek; m++ {
		from := m
		for is(m) && m < first+minutesOfWeek {
			m++
		}
		if m == from {
			continue
		}
		start := l.now.Add(time.Duration(from%minutesOfWeek) * time.Minute)
		s := schedule.Span{Start: start, End: start.Add(time.Duration(m-from) * time.Minute)}
		if length(s) >= briefOpening && (most == 0 || l.night(s)) && (usual(from+minutesOfWeek-1) || usual(m)) {
			holes = append(holes, s)
		}
	}
	slices.SortFunc(holes, func(a, b schedule.Span) int { return a.Start.Compare(b.Start) })
	return holes
}

// night reports whether a span lasts through a night. A freeze by day leaves the weekend open on purpose.
func (l *linter) night(s schedule.Span) bool {
	start := s.Start.In(l.now.Location())
	night := time.Date(start.Year(), start.Month(), start.Day(), 3, 0, 0, 0, start.Location())
	if night.Before(start) {
		night = night.AddDate(0, 0, 1)
	}
	return night.Before(s.End)
}

// between reports whether a phase is an opening of up to some time, and each closure beside it lasts so many times as
// long at least.
func between(phases []phase, i int, most time.Duration, times int) bool {
	if i <= 0 || i >= len(phases)-1 || !phases[i].open {
		return false
	}
	d := length(phases[i].Span)
	return d <= most && min(length(phases[i-1].Span), length(phases[i+1].Span)) >= time.Duration(times)*d
}

// briefOpening is how long an opening is at most that hardly lets a node be replaced.
const briefOpening = 30 * time.Minute

// meantOpening is how long openings are at least that may be meant, if others are not longer.
const meantOpening = 15 * time.Minute

// brief returns whether a phase is a brief opening between closures, probably unintended. People write "23h59m" because
// they think of the last minute that should be closed, but the end of a duration is not part of it. Where most of the
// open time is in openings of at least some length that are as brief, they are meant.
func brief(phases []phase, least time.Duration) func(i int) bool {
	openings := slices.DeleteFunc(slices.Clone(phases), func(p phase) bool { return !p.open })
	slices.SortFunc(openings, func(a, b phase) int { return cmp.Compare(length(a.Span), length(b.Span)) })
	var half time.Duration
	for _, p := range openings {
		half += length(p.Span) / 2
	}
	for _, p := range openings {
		if half -= length(p.Span); half <= 0 {
			least = max(least, length(p.Span))
			break
		}
	}
	return func(i int) bool { return length(phases[i].Span) < least && between(phases, i, briefOpening, 20) }
}

// isGap reports whether a phase is an opening of up to an hour between longer closures by different budgets.
func isGap(phases []phase, i int) bool {
	return between(phases, i, time.Hour, 4) && phases[i-1].last&phases[i+1].first == 0
}

// grants reports whether a budget's own window is exactly a span in which nodes are allowed for a reason.
func (l *linter) grants(r candidate.Reason, hole schedule.Span) bool {
	for _, b := range l.valid {
		w, meant := b.Window, b.N > 0
		if l.list[b.Index].Outside {
			w, meant = w.Outside(), b.N == 0
		}
		if _, span := w.State(hole.Start); meant && !constant(b) && b.Covers(r) && span == hole {
			return true
		}
	}
	return false
}

// shortRotation is how long a window has to be at least for a pool of more than a few nodes to roll in it: launching a
// replacement and draining a node takes minutes, and Karpenter replaces drifted nodes in small groups.
const shortRotation = time.Hour

// shortRotation finds short windows that allow all nodes. They read as if all of them were replaced in a window.
func (l *linter) shortRotation(r candidate.Reason, o openings) (f Finding, _ advisor) {
	if r != candidate.Drifted || o.usual == 0 || longest(o.spans) >= shortRotation {
		return f, nil
	}
	for _, s := range l.effective(r) {
		switch {
		case s.Nodes == 0:
		case s.Nodes < l.nodes, s.Nodes == budget.Unlimited: // unlimitedSpan finds the latter
			return f, nil
		default:
			f.Budgets |= s.Binding
		}
	}
	f.Message = fmt.Sprintf("allowed for all nodes at once, but hardly all of them fit in the %s that an opening "+
		"lasts: replacements take minutes to start, and Karpenter rolls a few nodes at a time; the others wait for "+
		"the next window: %s", wording.Duration(o.usual), l.names(f.Budgets))
	f.Advice = "compare with a plan (kubectl disruption plan), and write a longer window"
	return f, nil
}

// throttles is how short a window is that people write to allow a single node within it.
const throttles = time.Hour

// oneAtATime finds short windows in which one node is allowed at a time: those of a budget, and those that freezes
// leave it. People mean one in each window, but a budget says how many are in flight: when a node is gone, the next is
// allowed.
func (l *linter) oneAtATime(b *budget.Limit) (f Finding, _ func() remedy) {
	if (b.Amount != budget.Amount{N: 1}) || b.Key != "" || b.Per > 0 || l.list[b.Index].Outside {
		return f, nil
	}
	window, _ := time.ParseDuration(l.list[b.Index].Duration)
	for _, r := range l.reasons {
		switch o := l.openingsOf(r); {
		case !b.Covers(r):
		case l.pacesOf(r) != 0:
			return f, nil
		case constant(b) && o.usual > 0 && longest(o.spans) <= throttles && single(l.effective(r)).Has(b.Index):
			window = o.usual
		}
	}
	if window == 0 || window > throttles || !l.decides(b) {
		return f, nil
	}
	f.Message = fmt.Sprintf(": that is one node at a time, not one in each window of %s, since the next is allowed as "+
		"soon as one is gone", wording.Duration(window))
	f.Advice = `Karpenter cannot count the nodes of a window: the annotation disruptkit.dev/disruption can, ` +
		`where it runs with disruptkit's guard or steward (per)`
	if l.spec.Dialect != dialect.Karpenter {
		f.Advice = fmt.Sprintf(`if one in each window is meant, also write a pace, such as "per": %q`,
			wording.Duration(max(window, time.Hour)))
	}
	return f, nil
}
