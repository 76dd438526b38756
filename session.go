package disruptkit

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Session is a decision in progress: the caller chooses which candidates to disrupt, and the session reports which
// may be. It is for autoscalers with criteria of their own, such as cost or utilization. [Decide] is the loop for all
// others.
//
// No caller can exceed a limit, in whatever order it disrupts candidates. A session that has disrupted some answers
// like a new one on the input after [Input.Apply], except that turns of zones and the waves of rolls are chosen when
// the session opens.
//
// If you cannot or will not disrupt a node, add a blocker to Node.Blockers before Open. Otherwise its zone may keep the
// turn because of it.
//
// A session is for one moment. It reads no clock, and is not safe for concurrent use.
type Session struct {
	row    *row
	faults []candidate.Warning // of the input itself
	stored map[string]Memory   // Input.Memory as the caller has it

	last  *request            // the last result of Candidates; nil: it has ended
	nodes map[node][]*request // the candidates of each node, in line
	found [1]*request         // scratch of find
	done  *Decision           // once the session is closed
}

// A node identifies a node.
type node struct{ name, pool string }

// Open opens a session for the candidates with a reason, or with one of its children; "" is for all reasons. It reads
// the input once: it counts the nodes, chooses the turns of zones, and counts nodes in flight against budgets and
// PodDisruptionBudgets. It never fails. Invalid input never allows more, and Decision.Warnings lists it.
func Open(in Input, reason candidate.Reason) *Session {
	stored := in.Memory
	var faults []candidate.Warning
	if in.Dialect == dialect.Karpenter {
		in, faults = in.asKarpenterReads()
	}
	in, negative := in.withoutNegatives()
	return &Session{row: openRow(in, reason), faults: append(faults, negative...), stored: stored}
}

// Candidates yields the candidates in line. A node is a candidate once for each of its reasons that the session is for.
// The session may disrupt candidates meanwhile. If it does, and there are guaranteed budgets, the others come again at
// the end: less may be reserved then. The order of the line is:
//
//   - Unhealthy, as in Karpenter: the most urgent first (candidate.Condition.Urgency), then the cheapest
//     (candidate.Node.Cost). Those with a deadline and no urgency are ahead.
//   - Those with a deadline (candidate.Condition.Deadline, budget.Control.Deadline), the earliest first.
//   - The first nodes of a roll in waves (budget.Rollout.From).
//   - In Karpenter's dialect, if the reason is Drifted or a child of it, nodes without pods to move
//     (candidate.Node.Vacant).
//   - All others, the oldest first; at the same age, first Requested, then by node, pool and reason.
//
// Pools and groups may have another order than by age (budget.Spec.Order): it exchanges the places in line that their
// candidates have by age, a group's first, and then each pool's own. Turns of zones do not depend on it.
//
// From its deadline on, a candidate is overdue (candidate.Candidate.Overdue). Windows, paces, soaks, back-offs and even
// a budget that is always 0 no longer block it while fewer nodes of its pool are in flight or not Ready than
// [budget.Set.Overdue] allows. Turns and limits of zones, waves, probes, pauses, invalid budgets and the node's own
// blockers still do, and so do its pods, unless the node has a termination grace period. A deadline never takes away
// permission.
func (s *Session) Candidates() iter.Seq[candidate.Candidate] {
	return func(yield func(candidate.Candidate) bool) {
		if s.done != nil {
			return
		}
		for before := -1; before < len(s.row.Disrupted); {
			again := before >= 0
			before = len(s.row.Disrupted)
			for r := range s.row.Walk(func(r *request) int { return len(r.Name) }) { // most are blocked by budgets
				if again && r.Disrupted {
					continue
				}
				s.last = r
				if !yield(r.candidate()) || s.done != nil {
					return
				}
			}
			if !s.row.Budgets.lends() {
				break
			}
		}
		s.last = nil
	}
}

// codeNoCandidate is the code of a node that is not a candidate for the reason. It is stable.
const codeNoCandidate candidate.Code = "no-candidate"

// Blockers returns what blocks a candidate now, given all that the session has disrupted. If it returns nothing, the
// candidate may be disrupted. It reads only the Node, Pool and Reason of c. With the reason "", the blockers of all
// candidates of the node block it. Callers must not change the list.
func (s *Session) Blockers(c candidate.Candidate) []candidate.Blocker {
	requests := s.find(c)
	switch {
	case s.done != nil:
		return blocked(codeNoCandidate, "the session is closed: open another one")
	case len(requests) == 0:
		return blocked(codeNoCandidate, "the node is no candidate for the reason: ask for one of Candidates")
	case slices.ContainsFunc(requests, func(r *request) bool { return r.Disrupted }):
		return blocked(candidate.CodeAlreadyAllowed, "the session already disrupts the node for this reason")
	}
	if c.Reason != "" {
		return s.row.Blockers(requests[0])
	}
	all := s.row.turnsForAny(requests[0])
	for _, r := range requests {
		all = append(all, s.row.Blockers(r)...)
	}
	slices.SortStableFunc(all, candidate.Blocker.Compare)
	return slices.CompactFunc(all, func(a, b candidate.Blocker) bool { return a.Compare(b) == 0 })
}

func blocked(code candidate.Code, message string) []candidate.Blocker {
	return []candidate.Blocker{nodeBlocker(code, message)}
}

// Disrupt counts the candidates as in flight, in the given order, each with the rest of its unit, and reports whether
// it did. If one of them is blocked, it counts none: see Blockers. With the reason "", a node counts as in flight for
// an unknown reason, which may be that of a roll: so it waits for the turn of its zone as well.
//
// A candidate uses up one node of every budget of its pool, whatever reasons the budget names; if the most specific
// budgets decide, only of those that apply to its reason ([budget.Set]). A node that is not Ready counts once. It also
// uses up one disruption of each PodDisruptionBudget of its pods, across pools.
func (s *Session) Disrupt(all ...candidate.Candidate) bool {
	if s.done != nil {
		return false
	}
	var units []*unit
	before := len(s.row.Disrupted)
	for _, c := range all {
		requests := s.find(c)
		if len(requests) > 0 && requests[0].unit != nil {
			if slices.Contains(units, requests[0].unit) {
				continue // with an earlier one
			}
			units = append(units, requests[0].unit)
		}
		if !s.disrupt(requests, c.Reason) {
			for last := len(s.row.Disrupted) - 1; last >= before; last = len(s.row.Disrupted) - 1 {
				s.row.Cancel(s.row.Disrupted[last])
			}
			return false
		}
	}
	return true
}

// disrupt disrupts a node, given its requests for a reason.
func (s *Session) disrupt(requests []*request, reason candidate.Reason) bool {
	for _, r := range requests {
		if r.Disrupted || !s.row.Allows(r) {
			return false
		}
	}
	if len(requests) == 0 || reason == "" && len(s.row.turnsForAny(requests[0])) > 0 {
		return false
	}
	requests[0].ForAny = reason == ""
	s.row.Disrupt(requests[0])
	return true
}

// Cancel undoes Disrupt for some candidates, without a trace. It ignores others.
func (s *Session) Cancel(all ...candidate.Candidate) {
	for _, c := range all {
		if s.done != nil {
			return
		}
		i := slices.IndexFunc(s.row.Disrupted, func(r *request) bool {
			return r.Name == c.Node && r.PoolName() == c.Pool && r.CountsFor() == c.Reason
		})
		if i >= 0 {
			s.row.Cancel(s.row.Disrupted[i])
		}
	}
}

// Close ends the session, and returns the decision: the candidates that it has disrupted are Allowed, others are
// Blocked, with their blockers now, or Free, if nothing blocks them. A closed session disrupts nothing more, and
// returns the same decision again.
func (s *Session) Close() Decision {
	if s.done != nil {
		return *s.done
	}
	row := s.row
	d := Decision{
		Now: row.Now, Reason: row.Reason,
		Pools: row.numbers(row.Pools), Groups: row.numbers(row.Groups), Memory: s.remember(),
		Warnings: append(row.warnings(), s.faults...),
	}
	d.Allowed = slices.Grow(d.Allowed, len(row.Disrupted))
	for _, r := range row.Disrupted {
		c := r.candidate()
		c.Until = row.Until(r)
		d.Allowed = append(d.Allowed, c)
	}
	consider := func(at time.Time) {
		if at.After(row.Now) && !row.Now.IsZero() {
			d.NextChange = schedule.First(d.NextChange, at)
		}
	}
	lift := func(blockers []candidate.Blocker) {
		for i := range blockers {
			consider(blockers[i].Until)
		}
	}
	d.Blocked = make([]candidate.Candidate, 0, len(row.Line)-len(d.Allowed))
	for r := range row.Walk((*request).Touch) {
		consider(r.Deadline())
		if r.Disrupted {
			continue
		}
		blockers := row.Blockers(r)
		if len(blockers) == 0 {
			d.Free = append(d.Free, r.candidate())
			continue
		}
		lift(blockers)
		d.Blocked = append(d.Blocked, candidate.Candidate{})
		c := &d.Blocked[len(d.Blocked)-1] // candidates are large, and not copied
		r.describe(c)
		c.Blockers = blockers
	}
	for _, p := range slices.Concat(d.Pools, d.Groups) {
		consider(p.Until)
		consider(p.NextStart)
		lift(p.Blockers)
	}
	consider(row.NextChange())
	row.Close()
	s.done, s.row, s.last, s.nodes, s.found = &d, nil, nil, nil, [1]*request{}
	return d
}

// find returns the candidates in line of a node for a reason, or for all reasons. If nodes share a name, it is the last
// result of Candidates, or the first that is not disrupted.
func (s *Session) find(c candidate.Candidate) (found []*request) {
	switch r := s.last; {
	case s.done != nil:
		return nil // closed
	case r != nil && r.Name == c.Node && r.Reason() == c.Reason && r.PoolName() == c.Pool:
		s.found[0] = r
		return s.found[:]
	}
	if s.nodes == nil {
		s.nodes = make(map[node][]*request, len(s.row.Line))
		for _, r := range s.row.Line {
			key := node{r.Name, r.PoolName()}
			s.nodes[key] = append(s.nodes[key], r)
		}
	}
	for _, r := range s.nodes[node{c.Node, c.Pool}] {
		switch {
		case c.Reason == "" && (len(found) == 0 || found[0].Node == r.Node):
			found = append(found, r)
		case c.Reason == r.Reason() && (len(found) == 0 || found[0].Disrupted):
			found = []*request{r}
		}
	}
	return found
}
