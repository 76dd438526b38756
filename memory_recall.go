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

// A recollection is what is remembered of a pool or a group: starts of nodes, and slots of budgets that soak.
type recollection struct {
	Memory // Starts, Paces, Soak and Spreads
	*scope
	fleet                   *fleet
	rolls                   []*spread // those of Spreads
	keepsStarts, keepsSlots bool
	pace, soak              time.Duration        // the longest that the pool has
	gone                    []Slot               // slots whose nodes the pool does not count as in use
	seen                    map[string]*sighting // by name: what the nodes of a decision show
}

// recall reads what is remembered, and updates it from the nodes. Nodes in flight that are not remembered count as
// started now.
func (f *fleet) recall() []*recollection {
	all, watched := make([]*recollection, len(f.Scopes)), false
	for i, p := range f.Scopes {
		m := f.recollect(p)
		all[i], watched = m, watched || m.keepsStarts || m.keepsSlots || len(m.Starts) > 0
	}
	if !watched {
		return all
	}
	gone := f.look(all)
	for _, m := range all {
		m.readStarts()
		for name, s := range m.seen {
			m.add(name, s, gone[name])
		}
		if m.keepsSlots {
			m.readSlots()
		}
	}
	return all
}

func (f *fleet) recollect(p *scope) *recollection {
	last, m := f.Memory[p.MemoryKey()], &recollection{fleet: f, scope: p, seen: map[string]*sighting{}}
	m.Starts, m.Paces, m.Soak, m.Spreads = slices.Clone(last.Starts), last.Paces, last.Soak, last.Spreads
	m.Soak.Slots = slices.Clone(last.Soak.Slots)
	for _, b := range p.Budgets.Pacing() {
		m.pace, m.soak = max(m.pace, b.Per), max(m.soak, b.Soak)
	}
	if !f.Now.IsZero() && !p.Ambiguous && f.Dialect != dialect.Karpenter { // else what is remembered stays
		m.recallSpreads(last.Spreads)
		m.Paces = keptPaces(longestPace(p.Budgets), f.Now, last.Paces)
		if m.keepsSlots = m.soak > 0; !m.keepsSlots {
			m.Soak = Soaking{}
		}
	}
	m.keepsStarts = len(m.Paces)+len(p.Budgets.Rollouts())+len(m.rolls) > 0
	for _, s := range m.Starts {
		m.of(s.Node)
	}
	if m.keepsSlots {
		m.Soak.For, m.Soak.Since = wording.Duration(m.soak), knownSince(last.Soak, m.soak, f.Now)
		for _, slot := range m.Soak.Slots {
			s := m.of(slot.Node)
			s.slot, s.openSlot = true, s.openSlot || !slot.Seen || slot.Since.IsZero()
		}
	}
	return m
}

// A sighting is what the nodes of a name show. Several nodes may have it.
type sighting struct {
	there    bool      // some node has it
	inFlight bool      // some node of the name is
	counted  bool      // such a node is in use
	since    time.Time // the earliest time that any shows: since when it was Ready, or a condition held; zero: none

	flying *candidate.Node // a node of the name that is in flight, and was counted when it started

	replaced  bool      // something replaces the node that is not Ready
	replacing bool      // what replaces the node is in use
	waits     bool      // what replaces it, or has its name and is not in flight, is not Ready
	ready     time.Time // since when that is Ready, if known

	started        bool // the start of the node in flight is known
	slot, openSlot bool // a slot is known, and one that does not soak
}

func (m *recollection) of(node string) *sighting {
	s := m.seen[node]
	if s == nil {
		s = &sighting{}
		m.seen[node] = s
	}
	return s
}

// look reads the nodes of the names that are remembered, and adds the names that may not be: of nodes in flight, and of
// nodes whose replacements are not Ready. It returns which of the latter are gone.
func (f *fleet) look(all []*recollection) (gone map[string]bool) {
	gone = map[string]bool{}
	for p, n := range f.Within() {
		m := all[p.Index]
		if n.Replaces != "" && !n.Ready() && m.keepsSlots {
			m.of(n.Replaces).replaced, gone[n.Replaces] = true, true
		}
		if startedUnasked(n) && (m.keepsSlots || m.keepsStarts) {
			s := m.of(n.Name)
			if s.flying == nil || n.InFlightFor() < s.flying.InFlightFor() { // of namesakes, an unknown reason counts
				s.flying = n
			}
		}
	}
	for i := range f.Nodes {
		n, p := &f.Nodes[i], f.Pool(i)
		delete(gone, n.Name)
		if n.Replaces != "" && n.Replaces != n.Name {
			for _, m := range all {
				if s := m.seen[n.Replaces]; s != nil {
					s.replacedBy(n)
					s.replacing = s.replacing || p != nil && slices.Contains(p.Scopes, m.scope) && n.Disrupting("")
				}
			}
		}
	}
	for p, n := range f.Within() {
		if s := all[p.Index].seen[n.Name]; s != nil {
			s.see(n)
		}
	}
	return gone
}

func (s *sighting) see(n *candidate.Node) {
	s.there = true
	if n.InFlight() {
		s.inFlight, s.counted = true, s.counted || n.Counted()
	} else {
		s.replacedBy(n) // it is back, or a new node has its name
	}
	s.since = schedule.First(s.since, n.ReadySince)
	for i := range n.Conditions {
		s.since = schedule.First(s.since, n.Conditions[i].Since)
	}
}

// replacedBy adds a node that replaces that of the name.
func (s *sighting) replacedBy(n *candidate.Node) {
	s.waits = s.waits || !n.Ready()
	s.ready = schedule.Last(s.ready, n.ReadySince)
}

// neverStarted reports whether a node did not start: no decision has seen it in flight, and it is still there. A new
// node may have its name, unless it was Ready before, or has a condition that is older than the start. Unknown times
// are no proof.
func (s *sighting) neverStarted(at time.Time, seen bool) bool {
	return !s.since.IsZero() && !s.inFlight && !seen && (at.IsZero() || !s.since.After(at))
}

// startedUnasked reports whether a node is in flight, and counted for budgets when it started.
func startedUnasked(n *candidate.Node) bool {
	return n.InFlight() && (!n.Phase.Joining() || n.Rebooting)
}

// add adds the start and the slot of a node in flight that is not remembered, and the slot of a node that is gone but
// whose replacement is not Ready.
func (m *recollection) add(node string, s *sighting, gone bool) {
	now := m.fleet.Now
	if n := s.flying; n != nil && m.keepsStarts && !s.started && !m.Ambiguous && !now.IsZero() {
		m.Starts = append(m.Starts, Start{Node: node, Reason: n.InFlightFor(), At: now, Seen: true})
	}
	switch {
	case !m.keepsSlots:
	case s.flying != nil && !s.openSlot:
		m.Soak.Slots = append(m.Soak.Slots, Slot{Node: node, Reason: s.flying.InFlightFor()})
	case gone && s.replaced && !s.slot:
		m.Soak.Slots = append(m.Soak.Slots, Slot{Node: node, Seen: true})
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
// too long, or the dialect has no paces.
func keptPaces(longest string, now time.Time, last []Pace) (kept []Pace) {
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
func (m *recollection) readStarts() {
	now := m.fleet.Now
	m.Starts = slices.DeleteFunc(m.Starts, func(s Start) bool {
		return m.of(s.Node).neverStarted(s.At, s.Seen)
	})
	for i := range m.Starts {
		s := &m.Starts[i]
		switch seen := m.of(s.Node); {
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
	if now.IsZero() || m.Ambiguous || kept == 0 && m.fleet.Dialect == dialect.Karpenter {
		return
	}
	for i := range m.Starts {
		if at := &m.Starts[i].At; at.IsZero() || at.After(now.Add(kept)) {
			*at = now
		}
	}
	slices.SortFunc(m.Starts, func(a, b Start) int { return b.Compare(a) }) // the last ones first
	spare := mostUncounted
	m.Starts = slices.DeleteFunc(m.Starts, func(s Start) bool {
		flies := !s.Over && m.of(s.Node).inFlight
		if flies || s.At.Add(m.pace).After(now) {
			return false
		}
		spare--
		forget := spare < 0 || !s.At.Add(kept).After(now)
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

func (m *recollection) readSlots() {
	now := m.fleet.Now
	slots := slices.DeleteFunc(m.Soak.Slots, func(slot Slot) bool {
		return m.of(slot.Node).neverStarted(slot.Since, slot.Seen)
	})
	for i := range slots {
		slots[i] = m.of(slots[i].Node).slotNow(slots[i], now)
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
		s := m.of(slot.Node)
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
	all := make([]Memory, len(b.accounts))
	for i, a := range b.accounts {
		all[i] = a.Memory
		for _, s := range a.rolls {
			all[i].Spreads = append(all[i].Spreads, s.Spreading)
		}
	}
	for _, r := range disrupted {
		if r.Uncounted {
			continue
		}
		for _, scope := range r.Pool.Scopes {
			m, was := &all[scope.Index], b.accounts[scope.Index]
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

func compareSlots(a, b Slot) int {
	return cmp.Or(strings.Compare(a.Node, b.Node), a.Since.Compare(b.Since),
		cmp.Compare(unseenLast[a.Seen], unseenLast[b.Seen]), strings.Compare(string(a.Reason), string(b.Reason)))
}

// unseenLast orders slots that are seen ahead of others.
var unseenLast = map[bool]int{false: 1}
