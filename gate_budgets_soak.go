package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// soaking is the places that are taken in a pool or a group: those that are remembered, and those of nodes in flight.
type soaking struct {
	budget.Soaking
	watched bool                // they are up to date: the pool has budgets that soak
	gone    []budget.TakenPlace // those that the pool does not count as in use, or no longer
}

// A holder is what a decision sees of a place: its node, and what replaces that.
type holder struct {
	sighting
	open      bool      // one of its places does not soak yet
	counted   bool      // the node is in flight, and in use
	passed    bool      // what replaces it is in use itself
	waits     bool      // what replaces it, or came back under its name, is not Ready
	readiness time.Time // since when that is, if known
}

// openSoaks returns the places that are known of each pool.
func (b *book) openSoaks() []soaking {
	f := b.fleet
	all, watched := make([]soaking, len(f.Scopes)), false
	for i, p := range f.Scopes {
		s := &all[i]
		s.Soaking = f.Memory[p.MemoryKey()].Soak
		longest := p.Budgets.LongestSoak()
		switch {
		case f.Now.IsZero() || p.Ambiguous || !dialect.Soaks.In(f.Dialect): // what is remembered stays
		case longest == 0:
			s.Soaking = budget.Soaking{}
		default:
			s.watched, watched = true, true
			s.Since = knownSince(s.Soaking, longest, f.Now)
			s.For, s.Places = wording.Duration(longest), slices.Clone(s.Places)
		}
	}
	if watched {
		b.readPlaces(all)
	}
	return all
}

// knownSince returns since when all places that soak for so long are known.
func knownSince(last budget.Soaking, longest time.Duration, now time.Time) time.Time {
	kept := budget.Soak(last.For)
	switch {
	case kept == 0, last.Since.IsZero(), last.Since.After(now): // nothing is, or no clock that is right wrote that
		return now
	case longest > kept:
		return schedule.Last(last.Since, now.Add(-kept))
	}
	return last.Since
}

// readPlaces brings places up to date with the nodes.
func (b *book) readPlaces(all []soaking) {
	seen := b.holders(all)
	for i := range all {
		s := &all[i]
		if !s.watched {
			continue
		}
		longest := budget.Soak(s.For)
		s.Places = slices.DeleteFunc(s.Places, func(one budget.Place) bool {
			return seen[i][one.Node].neverStarted(budget.Start{At: one.Since, Seen: one.Seen})
		})
		for j := range s.Places {
			s.Places[j] = seen[i][s.Places[j].Node].look(s.Places[j], b.now)
		}
		slices.SortFunc(s.Places, inOrder)
		open := ""
		s.Places = slices.DeleteFunc(s.Places, func(one budget.Place) bool {
			if !one.Since.IsZero() {
				return !one.Since.Add(longest).After(b.now)
			}
			again := open == one.Node
			open = one.Node
			return again // the node has one place at a time, besides those that soak
		})
		for _, one := range s.Places {
			if !one.Since.IsZero() || !seen[i][one.Node].inUse() {
				s.gone = append(s.gone, budget.TakenPlace{Reason: one.Reason, Since: one.Since})
			}
		}
	}
}

// inUse reports whether the pool counts the place already: as its node in flight, or, once that is gone, as what
// replaces it and is not Ready. So two never count for one, and no node waits for itself to be repaired.
func (h *holder) inUse() bool { return h.counted || h.passed && !h.inFlight }

// look returns a place as it is now. One that soaks does so also while its node, which was back, is in flight again.
func (h *holder) look(one budget.Place, now time.Time) budget.Place {
	switch soaks := one.Seen && !one.Since.IsZero() && !one.Since.After(now); {
	case soaks && h.inFlight:
	case h.inFlight || h.waits:
		one.Since = time.Time{}
	case !soaks:
		one.Since = now
	case !h.readiness.After(now):
		one.Since = schedule.Last(one.Since, h.readiness)
	}
	one.Seen = true
	return one
}

// holders returns what is seen of places, by scope and node. It adds places that are not known: those of nodes in
// flight, and of nodes that are gone, and whose replacements are not Ready.
func (b *book) holders(all []soaking) []map[string]*holder {
	seen := make([]map[string]*holder, len(all))
	gone := b.replaced()
	for i := range all {
		if all[i].watched {
			seen[i] = map[string]*holder{}
			for _, one := range all[i].Places {
				h := seen[i][one.Node]
				if h == nil {
					h = &holder{}
					seen[i][one.Node] = h
				}
				h.open = h.open || !one.Seen || one.Since.IsZero()
			}
		}
	}
	for at := range b.fleet.Nodes {
		n, p := &b.fleet.Nodes[at], b.fleet.Pool(at)
		if n.Replaces != "" && n.Replaces != n.Name {
			for i := range seen {
				if h := seen[i][n.Replaces]; h != nil {
					h.replacedBy(n)
				}
			}
		}
		if p == nil {
			continue
		}
		for _, scope := range p.Scopes {
			h := seen[scope.Index][n.Name]
			if all[scope.Index].watched && startedUnasked(n) && (h == nil || !h.open) {
				if h == nil {
					h = &holder{}
					seen[scope.Index][n.Name] = h
				}
				h.open = true
				place := budget.Place{Node: n.Name, Reason: n.InFlightFor()}
				all[scope.Index].Places = append(all[scope.Index].Places, place)
			}
			if h != nil {
				h.see(n)
			}
			if r := n.Replaces; all[scope.Index].watched && !n.Ready() && gone[r] && seen[scope.Index][r] == nil {
				h := &holder{open: true}
				h.replacedBy(n)
				seen[scope.Index][r] = h
				all[scope.Index].Places = append(all[scope.Index].Places, budget.Place{Node: r, Seen: true})
			}
			if h := seen[scope.Index][n.Replaces]; h != nil && n.Replaces != n.Name {
				h.passed = h.passed || n.Disrupting("")
			}
		}
	}
	return seen
}

// replaced returns the names of nodes that are gone, and whose replacements are not Ready.
func (b *book) replaced() (gone map[string]bool) {
	for i := range b.fleet.Nodes {
		if n := &b.fleet.Nodes[i]; n.Replaces != "" && !n.Ready() {
			if gone == nil {
				gone = map[string]bool{}
			}
			gone[n.Replaces] = true
		}
	}
	for i := range b.fleet.Nodes {
		if len(gone) > 0 {
			delete(gone, b.fleet.Nodes[i].Name)
		}
	}
	return gone
}

// see notes the node of a place.
func (h *holder) see(n *candidate.Node) {
	h.sighting.see(n)
	if n.InFlight() {
		h.counted = h.counted || n.Counted()
	} else {
		h.replacedBy(n) // it is back, or a new node has its name
	}
}

// replacedBy notes a node that is where that of the place was.
func (h *holder) replacedBy(n *candidate.Node) {
	h.waits = h.waits || !n.Ready()
	h.readiness = schedule.Last(h.readiness, n.ReadySince)
}

// Soaks returns the places of each pool after a decision that lets requests go, for the next decision.
// (disruptkit.Memory.)
func (b *book) Soaks(going []*request) []budget.Soaking {
	all := make([]budget.Soaking, len(b.used))
	for i := range b.used {
		all[i] = b.used[i].soaking
	}
	for _, r := range going {
		for _, scope := range r.Scopes() {
			s := &all[scope.Index]
			if b.soaksNow(scope) && !r.Uncounted() {
				s.Places = append(s.Places, budget.Place{Node: r.Name, Reason: r.CountsFor(), Since: b.now})
			}
		}
	}
	for i := range all {
		slices.SortFunc(all[i].Places, inOrder)
	}
	return all
}

// soaksNow reports whether the places of a pool are remembered.
func (b *book) soaksNow(p *scope) bool {
	return p.Budgets.LongestSoak() > 0 && !p.Ambiguous && dialect.Soaks.In(b.fleet.Dialect)
}

// soaks returns the blocker that says that all places of some budgets are taken or soak.
func (b *book) soaks(q *quota, which budget.Indexes, going int) candidate.Blocker {
	u := &b.used[q.Pool.Index]
	var texts []string
	add := func(n int, what string) {
		if n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(q.InUse, q.users())
	soak, wait, unknown := u.pacer.Gone(which, b.now)
	add(soak, "soaking")
	add(wait, "not yet gone or replaced")
	add(going, "allowed now")
	if unknown {
		texts = append(texts, "some may soak that nobody remembers")
	}
	return candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeSoaks, Source: q.source(which),
		Message: q.Pool.Of() + "as many places are taken or soak as may (" + strings.Join(texts, ", ") + "): " +
			q.Describe(b.now, which)}
}

// inOrder orders places by node, then by time.
func inOrder(p, other budget.Place) int {
	if c := cmp.Or(strings.Compare(p.Node, other.Node), p.Since.Compare(other.Since)); c != 0 || p.Seen == other.Seen {
		return cmp.Or(c, strings.Compare(string(p.Reason), string(other.Reason)))
	}
	if p.Seen {
		return -1
	}
	return 1
}
