package disruptkit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
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
		Usage: p.InUse.Clone(), budgets: p.Budgets, paces: p.Budgets.Pacing(), nodes: p.Nodes, known: m.Soak.Since,
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
			if frees.IsZero() && b.Constant() && !p.budgets.MostSpecific() {
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

// A recollection is what is remembered of a pool: starts of nodes, and slots of budgets that soak.
type recollection struct {
	Memory                            // Starts, Paces, Soak and Spreads
	rolls                   []*spread // those of Spreads
	keepsStarts, keepsSlots bool
	pace, soak              time.Duration // the longest that the pool has
	gone                    []Slot        // slots whose nodes the pool does not count as in use
}

// recall reads what is remembered, and updates it from the nodes. Nodes in flight that are not remembered count as
// started now.
func (b *book) recall() []recollection {
	f := b.fleet
	all, seen, watched := make([]recollection, len(f.Scopes)), sightings{}, false
	for i, p := range f.Scopes {
		m, last := &all[i], f.Memory[p.MemoryKey()]
		m.Starts, m.Paces, m.Soak, m.Spreads = slices.Clone(last.Starts), last.Paces, last.Soak, last.Spreads
		m.recallSpreads(p, f)
		for _, b := range p.Budgets.Pacing() {
			m.pace, m.soak = max(m.pace, b.Per), max(m.soak, b.Soak)
		}
		if !p.Ambiguous && f.Dialect != dialect.Karpenter { // else it is unclear which paces there are
			m.Paces = keptPaces(longestPace(p.Budgets), f.Now, last.Paces)
		}
		m.keepsStarts = len(m.Paces) > 0 || len(p.Budgets.Rollouts())+len(m.rolls) > 0
		for _, s := range m.Starts {
			seen.of(p, s.Node)
		}
		if !f.Now.IsZero() && !p.Ambiguous && f.Dialect != dialect.Karpenter { // else what is remembered stays
			m.Soak, m.keepsSlots = Soaking{}, m.soak > 0
		}
		if m.keepsSlots {
			m.Soak.For, m.Soak.Since = wording.Duration(m.soak), knownSince(last.Soak, m.soak, f.Now)
			m.Soak.Slots = slices.Clone(last.Soak.Slots)
			for _, slot := range m.Soak.Slots {
				s := seen.of(p, slot.Node)
				s.slot, s.openSlot = true, s.openSlot || !slot.Seen || slot.Since.IsZero()
			}
		}
		watched = watched || m.keepsStarts || m.keepsSlots || len(m.Starts) > 0
	}
	if !watched {
		return all
	}
	gone := seen.look(f, all)
	for i, p := range f.Scopes {
		all[i].readStarts(p, f, seen)
	}
	for name, s := range seen {
		all[name.pool.Index].add(name, s, gone[name.node], f.Now)
	}
	for i, p := range f.Scopes {
		if all[i].keepsSlots {
			all[i].readSlots(p, f.Now, seen)
		}
	}
	return all
}

// sightings are what the nodes of a decision show about names that are remembered.
type sightings map[sighted]*sighting

// sighted is a name in a pool.
type sighted struct {
	pool *scope
	node string
}

// A sighting is what the nodes of a name show. Several nodes may have it.
type sighting struct {
	there    bool      // some node has it
	inFlight bool      // some node of the name is
	counted  bool      // such a node is in use
	dated    bool      // some node of the name shows a time
	since    time.Time // the earliest that any shows: since when it was Ready, or a condition held

	flying *candidate.Node // a node of the name that is in flight, and was counted when it started

	replaced  bool      // something replaces the node that is not Ready
	replacing bool      // what replaces the node is in use
	waits     bool      // what replaces it, or has its name and is not in flight, is not Ready
	ready     time.Time // since when that is Ready, if known

	started        bool // the start of the node in flight is known
	slot, openSlot bool // a slot is known, and one that does not soak
}

// of returns the sighting of a name.
func (all sightings) of(p *scope, node string) *sighting {
	s := all[sighted{p, node}]
	if s == nil {
		s = &sighting{}
		all[sighted{p, node}] = s
	}
	return s
}

// look reads the nodes of these names, and adds the names that may not be remembered: of nodes in flight, and of nodes
// whose replacements are not Ready. It returns which of the latter are gone.
func (all sightings) look(f *fleet, remembered []recollection) (gone map[string]bool) {
	gone = map[string]bool{}
	for i := range f.Nodes {
		n, p := &f.Nodes[i], f.Pool(i)
		waits := n.Replaces != "" && !n.Ready()
		if p == nil || !waits && !startedUnasked(n) {
			continue
		}
		for _, scope := range p.Scopes {
			m := &remembered[scope.Index]
			if waits && m.keepsSlots {
				all.of(scope, n.Replaces).replaced, gone[n.Replaces] = true, true
			}
			if startedUnasked(n) && (m.keepsSlots || m.keepsStarts) {
				s := all.of(scope, n.Name)
				s.flying = cmp.Or(s.flying, n)
			}
		}
	}
	for i := range f.Nodes {
		n, p := &f.Nodes[i], f.Pool(i)
		delete(gone, n.Name)
		if n.Replaces != "" && n.Replaces != n.Name {
			for _, scope := range f.Scopes {
				if s := all[sighted{scope, n.Replaces}]; s != nil {
					s.replacedBy(n)
					s.replacing = s.replacing || p != nil && slices.Contains(p.Scopes, scope) && n.Disrupting("")
				}
			}
		}
		if p == nil {
			continue
		}
		for _, scope := range p.Scopes {
			if s := all[sighted{scope, n.Name}]; s != nil {
				s.see(n)
			}
		}
	}
	return gone
}

// see adds what a node of the name shows.
func (s *sighting) see(n *candidate.Node) {
	s.there = true
	if n.InFlight() {
		s.inFlight, s.counted = true, s.counted || n.Counted()
	} else {
		s.replacedBy(n) // it is back, or a new node has its name
	}
	if !n.ReadySince.IsZero() {
		s.shows(n.ReadySince)
	}
	for i := range n.Conditions {
		s.shows(n.Conditions[i].Since)
	}
}

func (s *sighting) shows(at time.Time) {
	if !s.dated || at.Before(s.since) {
		s.dated, s.since = true, at
	}
}

// replacedBy adds a node that replaces that of the name.
func (s *sighting) replacedBy(n *candidate.Node) {
	s.waits = s.waits || !n.Ready()
	s.ready = schedule.Last(s.ready, n.ReadySince)
}

// neverStarted reports whether a node did not start: no decision has seen it in flight, and it is still there. A new
// node may have its name, unless it was Ready before, or has a condition that is older than the start.
func (s *sighting) neverStarted(at time.Time, seen bool) bool {
	return s.dated && !s.inFlight && !seen && (at.IsZero() || !s.since.After(at))
}

// startedUnasked reports whether a node is in flight, and counted for budgets when it started.
func startedUnasked(n *candidate.Node) bool {
	return n.InFlight() && (!n.Phase.Joining() || n.Rebooting)
}

// add adds the start and the slot of a node in flight that is not remembered, and the slot of a node that is gone but
// whose replacement is not Ready.
func (m *recollection) add(name sighted, s *sighting, gone bool, now time.Time) {
	if n := s.flying; n != nil && m.keepsStarts && !s.started && !name.pool.Ambiguous && !now.IsZero() {
		m.Starts = append(m.Starts, Start{Node: name.node, Reason: n.InFlightFor(), At: now, Seen: true})
	}
	switch {
	case !m.keepsSlots:
	case s.flying != nil && !s.openSlot:
		m.Soak.Slots = append(m.Soak.Slots, Slot{Node: name.node, Reason: s.flying.InFlightFor()})
	case gone && s.replaced && !s.slot:
		m.Soak.Slots = append(m.Soak.Slots, Slot{Node: name.node, Seen: true})
	}
}

// longestPace returns the longest valid Per as written, even if its budget is invalid or the dialect has no paces.
func longestPace(s budget.Set) (longest string) {
	for _, b := range s.In(dialect.Disruptkit).Budgets() {
		if budget.Period(b.Per) > budget.Period(longest) {
			longest = b.Per
		}
	}
	return longest
}

// keptPaces returns the paces for which starts are remembered after a decision, longest first, given those of the last
// decision, and the longest that the pool has. Every start is remembered for as long as the first of them.
//
// A longer pace that is gone is kept for its own period. So a pace that is invalid, shortened or left out, and returns
// within its period, counts every start meanwhile. A pace counts as present even if its budget is invalid, the list is
// too long, or the dialect has no paces. If now is zero, nothing changes.
func keptPaces(longest string, now time.Time, last []Pace) (kept []Pace) {
	if now.IsZero() {
		return last
	}
	period := func(p Pace) time.Duration { return budget.Period(p.Per) }
	var latest time.Time // the end of a longer one that is kept
	for _, p := range slices.SortedStableFunc(slices.Values(last), func(a, b Pace) int {
		return cmp.Compare(period(b), period(a))
	}) {
		if p.Gone.IsZero() || p.Gone.After(now.Add(period(p))) { // no clock that is right wrote that
			p.Gone = now
		}
		end := p.Gone.Add(period(p))
		if period(p) > budget.Period(longest) && end.After(now) && end.After(latest) {
			kept, latest = append(kept, p), end
		}
	}
	if longest != "" {
		kept = append(kept, Pace{Per: longest})
	}
	return kept
}

// mostUncounted is how many starts of a pool are remembered that no pace counts now: the last ones.
const mostUncounted = 1000

// readStarts updates the starts. It forgets those that nothing will count, unless it is unclear which these are. Times
// that only a wrong clock can have written count as now.
func (m *recollection) readStarts(p *scope, f *fleet, seen sightings) {
	m.Starts = slices.DeleteFunc(m.Starts, func(s Start) bool {
		return seen.of(p, s.Node).neverStarted(s.At, s.Seen)
	})
	for i := range m.Starts {
		s := &m.Starts[i]
		switch seen := seen.of(p, s.Node); {
		case !seen.there:
		case !seen.inFlight:
			s.Seen, s.Over = true, true
		case !s.Over:
			s.Seen, seen.started = true, true
		}
	}
	kept := time.Duration(0)
	for _, p := range m.Paces {
		kept = max(kept, budget.Period(p.Per))
	}
	if f.Now.IsZero() || p.Ambiguous || kept == 0 && f.Dialect == dialect.Karpenter {
		return
	}
	for i := range m.Starts {
		if at := &m.Starts[i].At; at.IsZero() || at.After(f.Now.Add(kept)) {
			*at = f.Now
		}
	}
	slices.SortFunc(m.Starts, func(a, b Start) int { return b.compare(a) }) // the last ones first
	spare := mostUncounted
	m.Starts = slices.DeleteFunc(m.Starts, func(s Start) bool {
		flies := !s.Over && seen.of(p, s.Node).inFlight
		if flies || s.At.Add(m.pace).After(f.Now) {
			return false
		}
		spare--
		forget := spare < 0 || !s.At.Add(kept).After(f.Now)
		if forget {
			m.forgets(s)
		}
		return forget
	})
}

// knownSince returns since when all slots are known that soak for so long.
func knownSince(last Soaking, longest time.Duration, now time.Time) time.Time {
	switch kept := budget.Period(last.For); {
	case kept == 0, last.Since.IsZero(), last.Since.After(now): // none is, or no clock that is right wrote that
		return now
	case longest > kept:
		return schedule.Last(last.Since, now.Add(-kept))
	}
	return last.Since
}

// readSlots updates the slots.
func (m *recollection) readSlots(p *scope, now time.Time, seen sightings) {
	slots := slices.DeleteFunc(m.Soak.Slots, func(slot Slot) bool {
		return seen.of(p, slot.Node).neverStarted(slot.Since, slot.Seen)
	})
	for i := range slots {
		slots[i] = seen.of(p, slots[i].Node).slotNow(slots[i], now)
	}
	slices.SortFunc(slots, compareSlots)
	open := ""
	m.Soak.Slots = slices.DeleteFunc(slots, func(slot Slot) bool {
		if !slot.Since.IsZero() {
			return !slot.Since.Add(m.soak).After(now)
		}
		again := open == slot.Node
		open = slot.Node
		return again // the node has one slot at a time, besides those that soak
	})
	for _, slot := range m.Soak.Slots {
		// A node in flight, or, once it is gone, a replacement that is not Ready, already uses up budgets. Its slot
		// must not count as well, or a node would wait for its own repair.
		s := seen.of(p, slot.Node)
		if inUse := s.counted || s.replacing && !s.inFlight; !inUse || !slot.Since.IsZero() {
			m.gone = append(m.gone, slot)
		}
	}
}

// slotNow returns the slot as it is now. A slot that soaks goes on while its node, which had returned, is in flight
// again.
func (s *sighting) slotNow(slot Slot, now time.Time) Slot {
	switch soaks := slot.Seen && !slot.Since.IsZero() && !slot.Since.After(now); {
	case soaks && s.inFlight:
	case s.inFlight || s.waits:
		slot.Since = time.Time{}
	case !soaks:
		slot.Since = now
	case !s.ready.After(now):
		slot.Since = schedule.Last(slot.Since, s.ready)
	}
	slot.Seen = true
	return slot
}

// Remember returns the Starts, Paces, Soak and Spreads of each pool's Memory after a decision.
func (b *book) Remember(disrupted []*request) []Memory {
	all := make([]Memory, len(b.recalled))
	for i := range b.recalled {
		all[i] = b.recalled[i].Memory
	}
	for _, r := range disrupted {
		if r.Uncounted {
			continue
		}
		for _, scope := range r.Pool.Scopes {
			m, was := &all[scope.Index], &b.recalled[scope.Index]
			if was.keepsStarts {
				m.Starts = append(m.Starts, Start{Node: r.Name, Reason: r.CountsFor(), At: b.now})
			}
			if was.keepsSlots {
				slot := Slot{Node: r.Name, Reason: r.CountsFor(), Since: b.now}
				m.Soak.Slots = append(m.Soak.Slots, slot)
			}
		}
	}
	for i := range all {
		slices.SortStableFunc(all[i].Starts, Start.compare)
		slices.SortFunc(all[i].Soak.Slots, compareSlots)
	}
	return all
}

// compareSlots orders slots by node, then by time.
func compareSlots(a, b Slot) int {
	if c := cmp.Or(strings.Compare(a.Node, b.Node), a.Since.Compare(b.Since)); c != 0 || a.Seen == b.Seen {
		return cmp.Or(c, strings.Compare(string(a.Reason), string(b.Reason)))
	}
	if a.Seen {
		return -1
	}
	return 1
}
