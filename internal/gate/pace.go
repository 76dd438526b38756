package gate

import (
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// startsOf returns the starts that the paces of each pool count: those in the memory, and those of nodes in flight that
// are not in the memory, which count as started now.
//
// A node that was allowed but is not in flight did not start, unless it has been in flight since then: a rebooted node
// stays. A start in the future, from a wrong clock, counts as now. Starts of nodes in flight stay in the memory as long
// as the nodes are in flight; otherwise they would count as new starts.
func (row *Row) startsOf(in Input) [][]budget.Start {
	all := make([][]budget.Start, len(row.Pools))
	if in.Now.IsZero() || !slices.ContainsFunc(row.Pools, (*Pool).paced) {
		return all
	}
	type member struct {
		pool *Pool
		node string
	}
	flights := map[member]bool{} // whether they are in flight
	for i := range row.nodes {
		if p := row.pool(i); p != nil && p.paced() {
			n := &row.nodes[i]
			m := member{p, n.Name}
			flights[m] = flights[m] || n.InFlight()
		}
	}
	for _, p := range row.Pools {
		if !p.paced() {
			continue
		}
		known, longest := map[string]bool{}, p.Budgets.LongestPace()
		for _, s := range in.Starts[p.Name] {
			inFlight, there := flights[member{p, s.Node}]
			over := !s.At.Add(longest).After(in.Now)
			if there && !inFlight && !s.Seen || over && !inFlight {
				continue
			}
			if s.At.After(in.Now) {
				s.At = in.Now
			}
			s.Seen = s.Seen || inFlight
			known[s.Node] = true
			all[p.Index] = append(all[p.Index], s)
		}
		for i := range row.nodes {
			if n := &row.nodes[i]; row.pool(i) == p && startedUnasked(n) && !known[n.Name] {
				known[n.Name] = true
				all[p.Index] = append(all[p.Index], budget.Start{Node: n.Name, Reason: n.InFlightFor(), At: in.Now, Seen: true})
			}
		}
		slices.SortFunc(all[p.Index], budget.Start.Compare)
	}
	return all
}

// startedUnasked reports whether a node is in flight, and counted for budgets when it started.
func startedUnasked(n *candidate.Node) bool { return n.InFlight() && (n.Initialized || n.Rebooting) }

// paced reports whether a pool has budgets that count starts.
func (p *Pool) paced() bool { return !p.Ambiguous && p.Budgets.LongestPace() > 0 }

// Starts returns the starts that the paces of a pool count before any request goes. Callers must not change it.
func (g *Budgets) Starts(p *Pool) []budget.Start { return g.used[p.Index].starts }

// Pacer returns the paces of a pool with the starts that they count before any request goes. Callers must not start more.
func (g *Budgets) Pacer(p *Pool) *budget.Pacer { return g.used[p.Index].pacer }

// Starting returns the requests of a pool that go, which start now. Callers must not change it.
func (g *Budgets) Starting(p *Pool) budget.Usage { return g.used[p.Index].starting }

// Started returns the starts of a pool after a decision, for the next decision. (disruptkit.Memory.)
func (row *Row) Started(p *Pool) []budget.Start {
	if !p.paced() {
		return nil
	}
	started := slices.Clone(row.Budgets.Starts(p))
	for _, r := range row.Line {
		if r.Goes && r.Pool == p && !r.uncounted {
			started = append(started, budget.Start{Node: r.Name, Reason: r.Reason(), At: row.Now})
		}
	}
	slices.SortFunc(started, budget.Start.Compare)
	return started
}

// mayStart returns how many more nodes may start, as far as paces go.
func (g *Budgets) mayStart(q *Quota) budget.Allowance {
	u := &g.used[q.Pool.Index]
	if !u.paced {
		return q.MayStart
	}
	if q.started != u.changes {
		q.left, q.started = q.Pacing.MayStart(u.starting), u.changes
	}
	return q.left
}

// slow returns the blocker that says that no more nodes may start now.
func (q *Quota) slow(now time.Time, may budget.Allowance, going int) candidate.Blocker {
	before := ""
	if going > 0 {
		before = ", with " + strconv.Itoa(going) + " allowed before this one"
	}
	return candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodePaced, Source: Source(may.Binding),
		Message: "as many nodes have started as may" + before + ": " + q.Describe(now, may.Binding)}
}
