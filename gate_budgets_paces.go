package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A pacer counts what uses up the budgets of a pool. Most budgets count the nodes in flight or not Ready. A pace
// (budget.Budget.Per) counts each start for the length of its period. A budget that soaks (budget.Budget.Soak) also
// counts nodes that are gone but not yet replaced, and the slots that soak.
type pacer struct {
	budget.Usage
	disrupted int // requests that are disrupted; also in Usage
	with      int // others of a unit that is judged, unless they counted before; also in Usage

	budgets budget.Set
	paces   []*budget.Limit // and budgets that soak or spread, and those that compete with them
	spreads []*spread
	nodes   int
	tallies []*tally
	known   time.Time // since when all slots that soak are known; unknown slots may soak until one soak later
	now     moment
	then    map[time.Time]moment // see later
}

// A tally has the starts and the slots for one reason.
type tally struct {
	reason  candidate.Reason
	starts  []time.Time // when nodes started, in order
	soaking []time.Time // since when slots soak, in order
	waiting int         // slots of nodes that are gone, and do not soak yet
	with    int         // starts at the time that is asked for, whenever that is: those of a unit

	asked          bool // the fields below are set
	active         budget.Indexes
	decide, counts budget.Indexes // while those are active: the paces that decide for the reason, and that count it
}

// A moment is a time, with the paces that are active then.
type moment struct {
	time.Time
	active budget.Indexes
	change time.Time // when active next changes; zero: never
}

// newPacer returns the pacer of a pool. A start after now, by a wrong clock, already counts.
func newPacer(p *scope, now time.Time, m *recollection) *pacer {
	pacer := &pacer{
		Usage: cloned(p.InUse), budgets: p.Budgets, paces: p.Budgets.Pacing(), nodes: p.Nodes, known: m.Soak.Since,
		spreads: m.rolls,
	}
	if len(pacer.paces) == 0 {
		return pacer
	}
	pacer.now = pacer.moment(now)
	for reason := range pacer.InFlight {
		pacer.of(reason)
	}
	for _, s := range m.Starts {
		t := pacer.of(s.Reason)
		t.starts = append(t.starts, s.At)
	}
	for _, slot := range m.gone {
		if t := pacer.of(slot.Reason); slot.Since.IsZero() {
			t.waiting++
		} else {
			t.soaking = append(t.soaking, slot.Since)
		}
	}
	for _, t := range pacer.tallies {
		slices.SortFunc(t.starts, time.Time.Compare)
		slices.SortFunc(t.soaking, time.Time.Compare)
	}
	return pacer
}

func (p *pacer) moment(at time.Time) moment {
	m := moment{Time: at}
	for _, b := range p.paces {
		active, end := b.Window.Until(at)
		if active {
			m.active.Add(b.Index)
		}
		m.change = schedule.First(m.change, end)
	}
	return m
}

// later returns a moment that the next start may be at. It remembers them, for each reason asks for the same ones.
func (p *pacer) later(at time.Time) moment {
	m, known := p.then[at]
	if !known {
		if p.then == nil {
			p.then = map[time.Time]moment{}
		}
		m = p.moment(at)
		p.then[at] = m
	}
	return m
}

// of returns the tally of a reason.
func (p *pacer) of(reason candidate.Reason) *tally {
	for _, t := range p.tallies {
		if t.reason == reason {
			return t
		}
	}
	t := &tally{reason: reason}
	p.tallies = append(p.tallies, t)
	return t
}

// in sets which paces decide for the tally's reason while some budgets are active, and which count it.
func (t *tally) in(budgets budget.Set, active budget.Indexes) *tally {
	if !t.asked || t.active != active {
		t.asked, t.active = true, active
		t.decide, t.counts = budgets.PacingFor(t.reason, active)
	}
	return t
}

// count counts a start, or takes it back if n is -1: now, or together with the one that is judged. The Usage counts its
// node apart, and may have counted it before.
func (p *pacer) count(reason candidate.Reason, n int, together, counted bool) {
	switch {
	case !together:
		p.disrupted += n
	case !counted:
		p.with += n
	}
	if len(p.paces) == 0 {
		return
	}
	p.of("") // the Usage has it for nodes that were not Ready
	t := p.of(reason)
	if together {
		t.with += n
		return
	}
	if i := after(t.starts, p.now.Time); n > 0 {
		t.starts = slices.Insert(t.starts, i, p.now.Time)
	} else {
		t.starts = slices.Delete(t.starts, i-1, i)
	}
}

// after returns the position of the first of the sorted times that is after at.
func after(times []time.Time, at time.Time) int {
	i, _ := slices.BinarySearchFunc(times, at, func(one, at time.Time) int {
		if one.After(at) {
			return 1
		}
		return -1
	})
	return i
}

func (p *pacer) deciding(reason candidate.Reason, at moment) (decide []*budget.Limit) {
	which := p.of(reason).in(p.budgets, at.active).decide
	for _, b := range p.paces {
		if which.Has(b.Index) {
			decide = append(decide, b)
		}
	}
	return decide
}

// A count is what uses up a pace, or a budget that soaks.
type count struct {
	total   int
	own     int           // others of the unit that is judged
	waiting int           // of total: slots of nodes that are gone, and do not soak yet
	timed   int           // of total: starts, and slots that soak
	since   [][]time.Time // of those, in order
}

// usedBy returns what uses up a budget for a reason.
func (p *pacer) usedBy(b *budget.Limit, at moment, reason candidate.Reason) (c count) {
	soaks := b.Soak > 0
	if soaks && !candidate.Unhealthy.Covers(reason) {
		c.total = p.NotReady + p.Missing
	}
	for _, t := range p.tallies {
		if !t.in(p.budgets, at.active).counts.Has(b.Index) {
			continue
		}
		c.own += t.with
		if soaks {
			c.waiting += t.waiting
			c.total += t.waiting + p.InFlight[t.reason]
		} else {
			c.total += t.with
		}
		if since := t.since(b, at.Time); len(since) > 0 {
			c.timed += len(since)
			c.total += len(since)
			c.since = append(c.since, since)
		}
	}
	c.total = rest(p.budgets, c.total, c.own)
	return c
}

// since returns the starts that a pace counts at a time, or since when slots soak for a budget.
func (t *tally) since(b *budget.Limit, at time.Time) []time.Time {
	times := t.starts
	if b.Soak > 0 {
		times = t.soaking
	}
	return times[after(times, at.Add(-lasts(b))):]
}

// lasts returns how long a pace counts a start, or a budget counts a slot that soaks.
func lasts(b *budget.Limit) time.Duration { return b.Per + b.Soak } // one of them is 0

// knownFrom returns since when a budget knows all slots that soak. Until then it allows nothing.
func (p *pacer) knownFrom(b *budget.Limit) (always time.Time) {
	if b.Soak == 0 {
		return always
	}
	return p.known.Add(b.Soak)
}

// mayStart returns how many more starts paces and soaks allow now for a reason.
func (p *pacer) mayStart(reason candidate.Reason) budget.Allowance {
	allowance := budget.Allowance{Nodes: budget.Unlimited}
	for _, b := range p.deciding(reason, p.now) {
		left := max(0, b.Of(p.nodes)-p.usedBy(b, p.now, reason).total)
		switch {
		case b.Spread > 0 && reached(p.spacing(b, reason).next, p.now.Time):
			continue
		case b.Spread > 0, p.now.Before(p.knownFrom(b)):
			left = 0
		}
		if left < allowance.Nodes {
			allowance = budget.Allowance{Nodes: left}
		}
		if left == allowance.Nodes {
			allowance.Binding.Add(b.Index)
		}
	}
	return allowance
}

// mostPaceChanges is how many changes of paces nextStart follows.
const mostPaceChanges = 4000

// nextStart returns the first time at or after from at which paces and soaks allow one more start for a reason, if
// nothing else starts until then. Zero means never, only after an event, or only after some thousand changes.
func (p *pacer) nextStart(from time.Time, reason candidate.Reason) (never time.Time) {
	for range mostPaceChanges {
		at := p.later(from)
		free, ever := from, true // while the same paces are active
		for _, b := range p.deciding(reason, at) {
			frees := p.frees(b, at, reason)
			if frees.IsZero() && b.Window == (schedule.Window{}) && !p.budgets.MostSpecific() {
				return never // it decides at all times, and counts the same
			}
			free, ever = schedule.Last(free, frees), ever && !frees.IsZero()
		}
		switch {
		case !ever:
			from = at.change
		case free.Equal(from):
			return from
		default:
			from = schedule.First(free, at.change)
		}
		if from.IsZero() {
			return never
		}
	}
	return never
}

// frees returns when a budget allows one more start: at once, or once enough starts and slots no longer count.
func (p *pacer) frees(b *budget.Limit, at moment, reason candidate.Reason) (never time.Time) {
	if b.Spread > 0 {
		next := p.spacing(b, reason).next
		if next.IsZero() {
			return never
		}
		return schedule.Last(at.Time, next)
	}
	free, c := at.Time, p.usedBy(b, at, reason)
	limit := b.Of(p.nodes)
	over := c.total - limit
	if limit > 0 && c.total == c.own+c.timed && p.budgets.Oversized() { // the unit is alone once none of these counts
		over = min(over, c.timed-1)
	}
	if over >= c.timed {
		return never
	} else if over >= 0 { // one more than these must no longer count
		since := slices.Concat(c.since...)
		slices.SortFunc(since, time.Time.Compare)
		free = since[over].Add(lasts(b))
	}
	return schedule.Last(free, p.knownFrom(b))
}

// nextChange returns when time alone may next change mayStart: a start or a slot no longer counts, or a pace becomes
// active or inactive. Zero means never.
func (p *pacer) nextChange() time.Time {
	next := p.now.change
	for _, b := range p.paces {
		for _, t := range p.tallies {
			if since := t.since(b, p.now.Time); lasts(b) > 0 && len(since) > 0 {
				next = schedule.First(next, since[0].Add(lasts(b)))
			}
		}
		if known := p.knownFrom(b); p.now.Before(known) {
			next = schedule.First(next, known)
		}
	}
	return schedule.First(next, p.spreadsChange())
}

// gone returns which of some budgets soak, how many of their slots soak, how many are of nodes that are gone but do not
// soak yet, and whether unknown slots may soak.
func (p *pacer) gone(which budget.Indexes, reason candidate.Reason) (soaks budget.Indexes, soaking, waiting int,
	unknown bool) {
	for _, b := range p.paces {
		if which.Has(b.Index) && b.Soak > 0 {
			c := p.usedBy(b, p.now, reason)
			soaks.Add(b.Index)
			soaking, waiting = max(soaking, c.timed), max(waiting, c.waiting)
			unknown = unknown || p.now.Before(p.knownFrom(b))
		}
	}
	return soaks, soaking, waiting, unknown
}
