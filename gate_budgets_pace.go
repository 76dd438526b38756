package disruptkit

import (
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// knownStarts are the starts of a pool's nodes, with the paces for whose sake they are remembered.
type knownStarts struct {
	Known []budget.Start
	Paces []budget.Pace
}

// startTimes yields why and when nodes started.
func startTimes(s knownStarts) iter.Seq2[candidate.Reason, time.Time] {
	return func(yield func(candidate.Reason, time.Time) bool) {
		for i := range s.Known {
			if !yield(s.Known[i].Reason, s.Known[i].At) {
				return
			}
		}
	}
}

// mostUncounted is how many starts of a pool are remembered that no pace counts now: the last ones.
const mostUncounted = 1000

// openStarts returns the starts that are known of each pool: those in the memory, and those of nodes in flight that are
// not in the memory, which count as started now.
func (b *book) openStarts() []knownStarts {
	f := b.fleet
	all := make([]knownStarts, len(f.Scopes))
	watched := false
	for i, p := range f.Scopes {
		last := f.Memory[p.MemoryKey()]
		all[i] = knownStarts{Known: slices.Clone(last.Starts), Paces: last.Paces}
		// Otherwise it is unclear which paces there are, or they are not in force for now.
		if !p.Ambiguous && dialect.Paces.In(f.Dialect) {
			all[i].Paces = keepStarts(p.Budgets, f.Now, last.Paces)
		}
		watched = watched || len(all[i].Known) > 0 || b.keepsStarts(p, all[i])
	}
	if !watched {
		return all
	}
	seen := b.sightings(all)
	for i, p := range f.Scopes {
		all[i].Known = slices.DeleteFunc(all[i].Known,
			func(s budget.Start) bool { return seen[sighted{p, s.Node}].neverStarted(s) })
		for j := range all[i].Known {
			s := &all[i].Known[j]
			seen[sighted{p, s.Node}].mark(s)
		}
		forgetStarts(&all[i], f.Now, p, f.Dialect, seen)
	}
	for i := range f.Nodes {
		n, p := &f.Nodes[i], f.Pool(i)
		if p == nil || f.Now.IsZero() || !startedUnasked(n) {
			continue
		}
		for _, scope := range p.Scopes {
			starts := &all[scope.Index]
			name := sighted{scope, n.Name}
			if !scope.Ambiguous && b.keepsStarts(scope, *starts) && !seen.starts(name) {
				seen[name] = &sighting{there: true, inFlight: true, known: true}
				started := budget.Start{Node: n.Name, Reason: n.InFlightFor(), At: f.Now, Seen: true}
				starts.Known = append(starts.Known, started)
			}
		}
	}
	return all
}

// keepsStarts reports whether starts are remembered: for paces, or, while nodes are in flight, for waves, which count a
// node that joins as the replacement of one that started before.
func (b *book) keepsStarts(p *scope, s knownStarts) bool {
	return len(s.Paces) > 0 || len(p.Budgets.Rollouts()) > 0 && dialect.Waves.In(b.fleet.Dialect)
}

// forgetStarts drops the starts that nothing will count, unless it is unclear which those are. It corrects times that a
// wrong clock has written: they count as now.
func forgetStarts(s *knownStarts, now time.Time, p *scope, d dialect.Dialect, seen sightings) {
	kept := keptFor(s.Paces)
	if now.IsZero() || p.Ambiguous || kept == 0 && !dialect.Paces.In(d) {
		return
	}
	for i := range s.Known {
		if at := &s.Known[i].At; at.IsZero() || at.After(now.Add(kept)) {
			*at = now
		}
	}
	flies := func(s budget.Start) bool { return !s.Over && seen[sighted{p, s.Node}].inFlight }
	s.Known = slices.DeleteFunc(s.Known, func(s budget.Start) bool { return !s.At.Add(kept).After(now) && !flies(s) })
	slices.SortFunc(s.Known, budget.Start.Compare)
	counted, spare := p.Budgets.LongestPace(), -mostUncounted
	uncounted := func(s budget.Start) bool { return !s.At.Add(counted).After(now) && !flies(s) }
	for _, s := range s.Known {
		if uncounted(s) {
			spare++
		}
	}
	s.Known = slices.DeleteFunc(s.Known, func(s budget.Start) bool {
		if spare <= 0 || !uncounted(s) {
			return false
		}
		spare--
		return true
	})
}

// sighted is a name in a pool.
type sighted struct {
	pool *scope
	node string
}

// A sighting is what a decision sees of a name. Several nodes may have it.
type sighting struct {
	there    bool      // some node has it
	inFlight bool      // some node of the name is
	known    bool      // its start is
	dated    bool      // some node of the name shows a time
	since    time.Time // the earliest that any shows: since when it was Ready, or a condition held
}

// see adds what a node of the name shows.
func (s *sighting) see(n *candidate.Node) {
	s.there, s.inFlight = true, s.inFlight || n.InFlight()
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

// sightings are what a decision sees of all names whose starts are known.
type sightings map[sighted]*sighting

// starts reports whether the start of a node in flight is known.
func (all sightings) starts(name sighted) bool { return all[name] != nil && all[name].known }

// sightings returns what is seen of the nodes whose starts are known.
func (b *book) sightings(all []knownStarts) sightings {
	n := 0
	for i := range all {
		n += len(all[i].Known)
	}
	seen, list := make(sightings, n), make([]sighting, n)
	for i, p := range b.fleet.Scopes {
		for _, s := range all[i].Known {
			seen[sighted{p, s.Node}], list = &list[0], list[1:]
		}
	}
	for i := range b.fleet.Nodes {
		p, n := b.fleet.Pool(i), &b.fleet.Nodes[i]
		if p == nil {
			continue
		}
		for _, scope := range p.Scopes {
			if len(all[scope.Index].Known) == 0 {
				continue
			}
			if s := seen[sighted{scope, n.Name}]; s != nil {
				s.see(n)
			}
		}
	}
	return seen
}

// neverStarted reports whether a start did not take place: nobody has seen the node in flight, and it is still there. A
// new node may have its name, unless it was Ready before, or has a condition that is older than the start.
func (s *sighting) neverStarted(start budget.Start) bool {
	return s.dated && !s.inFlight && !start.Seen && (start.At.IsZero() || !s.since.After(start.At))
}

// mark records what is seen of a start that took place.
func (s *sighting) mark(start *budget.Start) {
	switch {
	case !s.there:
	case !s.inFlight:
		start.Seen, start.Over = true, true
	case !start.Over:
		start.Seen, s.known = true, true
	}
}

// startedUnasked reports whether a node is in flight, and counted for budgets when it started.
func startedUnasked(n *candidate.Node) bool {
	return n.InFlight() && (!n.Phase.Joining() || n.Rebooting)
}

// Pacer returns the paces of a pool, and its budgets that soak, with the starts and places that they count before any
// request goes. Callers must not start more.
func (b *book) Pacer(p *scope) *budget.Pacer { return b.used[p.Index].pacer }

// Started returns the starts of each pool after a decision that lets requests go, for the next decision.
// (disruptkit.Memory.)
func (b *book) Started(going []*request) []knownStarts {
	all := make([]knownStarts, len(b.used))
	for i := range b.used {
		all[i] = b.used[i].starts
	}
	for _, r := range going {
		for _, scope := range r.Scopes() {
			if s := &all[scope.Index]; b.keepsStarts(scope, *s) && !r.Uncounted() {
				s.Known = append(s.Known, budget.Start{Node: r.Name, Reason: r.CountsFor(), At: b.now})
			}
		}
	}
	for i := range all {
		slices.SortFunc(all[i].Known, budget.Start.Compare)
	}
	return all
}

// mayStart returns how many more nodes may start, as far as paces go.
func (b *book) mayStart(q *quota) budget.Allowance {
	u := &b.used[q.Pool.Index]
	if !u.paced {
		return q.MayStart
	}
	if q.leftAt != u.changes {
		q.left, q.leftAt = q.Pacing.MayStart(u.starting, u.taking), u.changes
	}
	return q.left
}

// slow returns the blocker that says that no more nodes may start now.
func (q *quota) slow(now time.Time, which budget.Indexes, going int) candidate.Blocker {
	before := ""
	if going > 0 {
		before = ", with " + strconv.Itoa(going) + " allowed now"
	}
	return candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodePaced, Source: q.source(which),
		Message: q.Pool.Of() + "as many nodes have started as may" + before + ": " + q.Describe(now, which)}
}
