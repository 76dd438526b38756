package disruptkit

import (
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// An account counts what uses up the budgets of a pool or a group. Most budgets count the nodes in flight or not Ready.
// A pace (budget.Budget.Per) counts each start for the length of its period. A budget that soaks (budget.Budget.Soak)
// also counts nodes that are gone but not yet replaced, and the slots that soak.
type account struct {
	*recollection
	book *book
	budget.Usage
	disrupted int // requests that are disrupted; also in Usage
	with      int // others of a unit that is judged, unless they counted before; also in Usage

	paces   []*budget.Limit // and budgets that soak or spread, and those that compete with them
	tallies []*tally
	open    map[string]*tally // by node: those whose slot is waiting
	now     moment

	shares  []share
	changes *time.Time // what demandChanges returned since the last count
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
	at     time.Time
	active budget.Indexes
	change time.Time // when active next changes; zero: never
}

// openAccount returns the account of a pool or a group. A start after now, by a wrong clock, already counts.
func (b *book) openAccount(m *recollection) *account {
	a := &account{recollection: m, book: b, Usage: m.InUse, paces: m.Budgets.Pacing(), shares: b.sharesOf(m.scope)}
	a.InFlight, a.open = maps.Clone(a.InFlight), map[string]*tally{} // Count changes them
	a.now = a.moment(b.now)
	if len(a.paces) == 0 {
		return a
	}
	for reason := range a.InFlight {
		a.tally(reason)
	}
	for _, s := range m.Starts {
		t := a.tally(s.Reason)
		t.starts = append(t.starts, s.At)
	}
	for _, slot := range m.gone {
		if t := a.tally(slot.Reason); slot.Since.IsZero() {
			t.waiting++
			a.open[slot.Node] = t
		} else {
			t.soaking = append(t.soaking, slot.Since)
		}
	}
	for _, t := range a.tallies {
		slices.SortFunc(t.starts, time.Time.Compare)
		slices.SortFunc(t.soaking, time.Time.Compare)
	}
	return a
}

func (a *account) moment(at time.Time) moment {
	m := moment{at: at}
	for _, b := range a.paces {
		active, end := b.Window.Until(at)
		if active {
			m.active.Add(b.Index)
		}
		m.change = schedule.First(m.change, end)
	}
	return m
}

func (a *account) tally(reason candidate.Reason) *tally {
	for _, t := range a.tallies {
		if t.reason == reason {
			return t
		}
	}
	t := &tally{reason: reason}
	a.tallies = append(a.tallies, t)
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

// count counts a request as it will count once it is in flight, or takes it back if n is -1. Together: it starts
// together with the request that is judged. The Usage may have counted its node before.
func (a *account) count(r *request, n int, together bool) {
	a.book.countIn(&a.Usage, r, n)
	switch {
	case !together:
		a.disrupted += n
		a.countSpreads(r, n)
	case !a.book.joinsFlight(r):
		a.with += n
	}
	if len(a.paces) == 0 {
		return
	}
	a.tally("") // the Usage has it for nodes that were not Ready
	if t := a.open[r.Name]; t != nil {
		t.waiting -= n // a node that is back has one slot
	}
	t := a.tally(r.CountsFor())
	if together {
		t.with += n
		return
	}
	if i := after(t.starts, a.now.at); n > 0 {
		t.starts = slices.Insert(t.starts, i, a.now.at)
	} else {
		t.starts = slices.Delete(t.starts, i-1, i)
	}
}

func (b *book) countIn(u *budget.Usage, r *request, n int) {
	if b.joinsFlight(r) {
		u.NotReady -= n
		u.Add("", n)
	} else {
		u.Add(r.CountsFor(), n)
	}
}

// joinsFlight reports whether the node of a request already uses up budgets because it is not Ready. Once disrupted, it
// is in flight instead. (In Karpenter's dialect it counts twice until then.)
func (b *book) joinsFlight(r *request) bool {
	return r.NotReady() && b.fleet.Dialect != dialect.Karpenter
}

// after returns the position of the first of the sorted times that is after at.
func after(times []time.Time, at time.Time) int {
	return sort.Search(len(times), func(i int) bool { return times[i].After(at) })
}

func (a *account) deciding(reason candidate.Reason, at moment) (decide []*budget.Limit) {
	which := a.tally(reason).in(a.Budgets, at.active).decide
	for _, b := range a.paces {
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
func (a *account) usedBy(b *budget.Limit, at moment, reason candidate.Reason) (c count) {
	soaks := b.Soak > 0
	if soaks && !candidate.Unhealthy.Covers(reason) {
		c.total = a.NotReady + a.Missing
	}
	for _, t := range a.tallies {
		if !t.in(a.Budgets, at.active).counts.Has(b.Index) {
			continue
		}
		c.own += t.with
		if soaks {
			c.waiting += t.waiting
			c.total += t.waiting + a.InFlight[t.reason]
		} else {
			c.total += t.with
		}
		if since := t.since(b, at.at); len(since) > 0 {
			c.timed += len(since)
			c.total += len(since)
			c.since = append(c.since, since)
		}
	}
	c.total = rest(a.Budgets, c.total, c.own)
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
func (a *account) knownFrom(b *budget.Limit) (always time.Time) {
	if b.Soak == 0 {
		return always
	}
	return a.Soak.Since.Add(b.Soak)
}

// mayStart returns how many more starts paces and soaks allow now for a reason.
func (a *account) mayStart(reason candidate.Reason) budget.Allowance {
	allowance := budget.Allowance{Nodes: budget.Unlimited}
	for _, b := range a.deciding(reason, a.now) {
		left := max(0, b.Of(a.Nodes)-a.usedBy(b, a.now, reason).total)
		switch {
		case b.Spread > 0 && reached(a.spacing(b, reason).next, a.now.at):
			continue
		case b.Spread > 0, a.now.at.Before(a.knownFrom(b)):
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

// nextStart returns the first time at or after from at which the limits of starts allow one more for a reason, if
// nothing else starts until then: those whose blockers have a code, or all with the code "". Zero means never, only
// after an event, or only after some thousand changes.
func (a *account) nextStart(from time.Time, reason candidate.Reason, code candidate.Code) (never time.Time) {
	if from.IsZero() {
		return never
	}
	for range mostPaceChanges {
		at := a.moment(from)
		free, ever := from, true // while the same paces are active
		for _, b := range a.deciding(reason, at) {
			if code != "" && code != startCode(b) {
				continue
			}
			frees := a.frees(b, at, reason)
			if frees.IsZero() && b.Window == (schedule.Window{}) && !a.Budgets.MostSpecific() {
				return never // it decides at all times, and counts the same
			}
			free, ever = schedule.Last(free, frees), ever && !frees.IsZero()
		}
		if ever && free.Equal(from) {
			return from
		}
		if from = at.change; ever {
			from = schedule.First(free, at.change)
		}
		if from.IsZero() {
			return never
		}
	}
	return never
}

// startCode returns the code of the blockers of a budget that limits starts.
func startCode(b *budget.Limit) candidate.Code {
	switch {
	case b.Spread > 0:
		return candidate.CodeSpread
	case b.Soak > 0:
		return candidate.CodeSoaks
	}
	return candidate.CodePaced
}

// frees returns when a budget allows one more start: at once, or once enough starts and slots no longer count.
func (a *account) frees(b *budget.Limit, at moment, reason candidate.Reason) (never time.Time) {
	if b.Spread > 0 {
		next := a.spacing(b, reason).next
		if next.IsZero() {
			return never
		}
		return schedule.Last(at.at, next)
	}
	free, c := at.at, a.usedBy(b, at, reason)
	limit := b.Of(a.Nodes)
	over := c.total - limit
	if limit > 0 && c.total == c.own+c.timed && a.Budgets.Oversized() { // the unit is alone once none of these counts
		over = min(over, c.timed-1)
	}
	if over >= c.timed {
		return never
	} else if over >= 0 { // one more than these must no longer count
		since := slices.Concat(c.since...)
		slices.SortFunc(since, time.Time.Compare)
		free = since[over].Add(lasts(b))
	}
	return schedule.Last(free, a.knownFrom(b))
}

// nextChange returns when time alone may next change mayStart: a start or a slot no longer counts, or a pace becomes
// active or inactive. Zero means never.
func (a *account) nextChange() time.Time {
	next := a.now.change
	for _, b := range a.paces {
		for _, t := range a.tallies {
			if since := t.since(b, a.now.at); lasts(b) > 0 && len(since) > 0 {
				next = schedule.First(next, since[0].Add(lasts(b)))
			}
		}
		if known := a.knownFrom(b); a.now.at.Before(known) {
			next = schedule.First(next, known)
		}
	}
	return schedule.First(next, a.spreadsChange())
}
