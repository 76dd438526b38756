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
	s.shows(n.ReadySince)
	for i := range n.Conditions {
		s.shows(n.Conditions[i].Since)
	}
}

// shows adds a time. One that is unknown says nothing: it is no proof that a start did not take place.
func (s *sighting) shows(at time.Time) {
	if !at.IsZero() && (!s.dated || at.Before(s.since)) {
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
		if wording.Period(b.Per) > wording.Period(longest) {
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
	period := func(p Pace) time.Duration { return wording.Period(p.Per) }
	var latest time.Time // the end of a longer one that is kept
	for _, p := range slices.SortedStableFunc(slices.Values(last), func(a, b Pace) int {
		return cmp.Compare(period(b), period(a))
	}) {
		if p.Gone.IsZero() || p.Gone.After(now.Add(period(p))) { // no clock that is right wrote that
			p.Gone = now
		}
		end := p.Gone.Add(period(p))
		if period(p) > wording.Period(longest) && end.After(now) && end.After(latest) {
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
		kept = max(kept, wording.Period(p.Per))
	}
	if f.Now.IsZero() || p.Ambiguous || kept == 0 && f.Dialect == dialect.Karpenter {
		return
	}
	for i := range m.Starts {
		if at := &m.Starts[i].At; at.IsZero() || at.After(f.Now.Add(kept)) {
			*at = f.Now
		}
	}
	slices.SortFunc(m.Starts, func(a, b Start) int { return b.Compare(a) }) // the last ones first
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
	switch kept := wording.Period(last.For); {
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
		slices.SortStableFunc(all[i].Starts, Start.Compare)
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
