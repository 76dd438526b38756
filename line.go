package disruptkit

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A ticket is the place of a request in line: by class, then by time. Sorting reads a request only if two tickets are
// equal, and moves no pointers, which would involve the garbage collector.
type ticket struct {
	seconds     int64 // of the time since 1970
	nanoseconds int32
	request     int32 // the position in fleet.Requests
	class       class
}

// The classes of requests, in the order of the line. See [Session.Candidates].
type class int8

const (
	datedRepair class = iota // has a deadline, and no urgency
	repair                   // "Fixing a fault outranks any discretionary rebalance" (Karpenter, NewMethods)
	dated
	begins // a roll in waves begins with it
	vacant // "Prioritize empty candidates" (Karpenter, Drift.ComputeCommands)
	other
)

// readLine makes the requests, in the order of the nodes in the input, and puts those of the decision's reason in line.
func (row *row) readLine(node *nodeGate, pods *podGate) {
	asks := row.asker()
	n := 0
	for range row.reasons(asks) {
		n++
	}
	row.Requests = takeRequests(n)
	tickets, i := make([]ticket, 0, n), 0
	for at, condition := range row.reasons(asks) {
		r := &row.Requests[i]
		i++
		row.fill(r, at, condition)
		node.Read(r)
		pods.Read(r)
		row.Zones.Read(r)
		if !asks(r.Pool, condition.Reason) {
			continue // only turns depend on it
		}
		if !r.dated && !condition.Deadline.IsZero() && !row.united[r.Position] {
			row.warnDeadline(r.Name, *condition)
		}
		c, at := row.place(r)
		tickets = append(tickets, ticket{at.Unix(), int32(at.Nanosecond()), int32(i - 1), c})
	}
	slices.SortFunc(tickets, row.compare)
	row.Line = make([]*request, len(tickets))
	for i, t := range tickets {
		row.Line[i] = &row.Requests[t.request]
	}
	if slices.ContainsFunc(row.Scopes, isOrdered) {
		for from, to := 0, 0; from < len(tickets); from = to {
			for to = from + 1; to < len(tickets) && tickets[to].alike(tickets[from]); to++ {
			}
			if tickets[from].class > repair && to-from > 1 {
				row.order(row.Line[from:to])
			}
		}
	}
}

// used are the requests of closed sessions. Those of 100,000 nodes take a quarter of a decision's memory.
var used sync.Pool

// takeRequests returns n zero requests.
func takeRequests(n int) []request {
	if list, ok := used.Get().(*[]request); ok && n <= cap(*list) {
		return (*list)[:n]
	}
	return make([]request, n)
}

// Close lets later sessions use the memory of this one. Nothing may refer to its requests.
func (row *row) Close() {
	row.pods.pods.Close()
	list := row.Requests // not the field, which would keep the row
	clear(list)
	used.Put(&list)
}

// alike reports whether the order of their pools may swap two requests.
func (t ticket) alike(other ticket) bool {
	same := t.seconds == other.seconds && t.nanoseconds == other.nanoseconds
	return t.class == other.class && (t.class != dated || same)
}

// place returns the class and the time of a request's ticket.
func (row *row) place(r *request) (class, time.Time) {
	c := r.Condition
	isRepair := candidate.Unhealthy.Covers(c.Reason)
	switch {
	case r.dated && !isRepair:
		return dated, c.Deadline
	case r.dated && c.Urgency.IsZero():
		return datedRepair, c.Deadline
	case row.Dialect == dialect.Karpenter && candidate.Drifted.Covers(row.Reason) && r.Node.Vacant():
		return vacant, c.Since
	case !isRepair && r.Begins():
		return begins, c.Since
	case !isRepair:
		return other, c.Since
	case c.Urgency.IsZero():
		return repair, c.Since
	}
	return repair, c.Urgency
}

// compare orders tickets. Requests with the same deadline are ordered as without one, and repairs by cost.
func (row *row) compare(t, other ticket) int {
	switch {
	case t.class != other.class:
		return cmp.Compare(t.class, other.class)
	case t.seconds != other.seconds:
		return cmp.Compare(t.seconds, other.seconds)
	case t.nanoseconds != other.nanoseconds:
		return cmp.Compare(t.nanoseconds, other.nanoseconds)
	}
	a, b := &row.Requests[t.request], &row.Requests[other.request]
	if t.class == dated || t.class == datedRepair {
		if c := a.Since.Compare(b.Since); c != 0 {
			return c
		}
	}
	if t.class <= repair {
		if c := cmp.Compare(a.Node.Cost, b.Node.Cost); c != 0 {
			return c
		}
	}
	switch isA, isB := candidate.Requested.Covers(a.Reason()), candidate.Requested.Covers(b.Reason()); {
	case isA && !isB:
		return -1
	case isB && !isA:
		return 1
	}
	return cmp.Or(strings.Compare(row.firstName(a), row.firstName(b)), compareNames(a, b))
}

// firstName returns the name of the node of its unit that is first in line, or its own.
func (f *fleet) firstName(r *request) string {
	if first, there := f.firsts[r.Condition]; there {
		return first
	}
	return r.Name
}

// compareNames orders requests of the same age. If two of them share all names, their blockers decide, so that the
// order of the input makes no difference.
func compareNames(a, b *request) int {
	names := cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Node.Pool, b.Node.Pool),
		strings.Compare(string(a.Condition.Reason), string(b.Condition.Reason)), a.Since.Compare(b.Since))
	if names != 0 || a == b {
		return names
	}
	return slices.CompareFunc(a.Lasting(), b.Lasting(), func(a, b candidate.Blocker) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
	})
}

// reasons yields the nodes, by position, and the conditions that become requests: those of the decision's reason, and
// those that the turns of zones depend on.
func (row *row) reasons(asks func(*scope, candidate.Reason) bool) iter.Seq2[int32, *candidate.Condition] {
	return func(yield func(int32, *candidate.Condition) bool) {
		for i := range row.Nodes {
			conditions := row.Nodes[i].Conditions
			for j := range conditions {
				if len(conditions) > 1 && repeated(conditions, j) {
					continue
				}
				reason, p := conditions[j].Reason, row.Pool(i)
				needed := asks(p, reason) || p != nil && (row.Zones.Watches(p, reason) || p.counts(reason)) ||
					row.united[int32(i)] // a unit is judged as a whole
				if needed && !yield(int32(i), &conditions[j]) {
					return
				}
			}
		}
	}
}

// asker returns a function that reports whether a condition of a pool's node is a candidate for the decision's reason.
// So is a condition with an unknown reason, since it may be any: budgets block it.
func (row *row) asker() func(*scope, candidate.Reason) bool {
	var last struct { // almost all nodes have the reason of the one before
		pool   *scope
		reason candidate.Reason
		asked  bool
	}
	return func(p *scope, reason candidate.Reason) bool {
		switch {
		case row.Reason.Covers(reason):
			return true
		case p == nil || p.Ambiguous || row.Dialect == dialect.Karpenter:
			return false
		case last.pool != p || last.reason != reason:
			parsed, err := candidate.ParseReason(string(reason), p.Budgets.Methods()...)
			last.pool, last.reason = p, reason
			last.asked = err != nil || parsed != reason && row.Reason.Covers(parsed)
		}
		return last.asked
	}
}

// repeated reports whether another condition counts in place of one, since it has the same reason: the one with the
// earlier deadline, then the one that has held for longer.
func repeated(conditions []candidate.Condition, i int) bool {
	c := &conditions[i]
	for j := range conditions {
		if o := &conditions[j]; j != i && o.Reason == c.Reason {
			if cmp.Or(compareConditions(o, c), cmp.Compare(j, i)) < 0 {
				return true
			}
		}
	}
	return false
}

// compareDeadlines compares the deadlines of two conditions. None, and one that does not hold, comes last.
func compareDeadlines(a, b *candidate.Condition) int {
	switch none, other := !a.HasDeadline(), !b.HasDeadline(); {
	case none && other:
		return 0
	case none:
		return 1
	case other:
		return -1
	}
	return a.Deadline.Compare(b.Deadline)
}

// compareRest orders conditions of the same age, so that the order of the input makes no difference.
func compareRest(a, b *candidate.Condition) int {
	bound := func(c *candidate.Condition) time.Duration {
		if c.Bound == nil {
			return math.MaxInt64
		}
		return *c.Bound
	}
	return cmp.Or(a.Deadline.Compare(b.Deadline), a.Urgency.Compare(b.Urgency), cmp.Compare(bound(a), bound(b)))
}

// order applies the orders of pools and groups to requests of one class, which are in line by age. An order only
// exchanges the places of a pool's own requests, so it does not affect other pools. A group's order does the same with
// all requests of its pools. The largest groups are first, and the pools last: so within a pool its own order holds,
// and between pools that of the groups.
func (f *fleet) order(part []*request) {
	for _, g := range f.Scopes[len(f.Pools):] {
		if isOrdered(g) {
			sharePlaces(part, func(p *scope) *scope {
				if p.ByLayer[g.Layer] == g {
					return g
				}
				return nil
			})
		}
	}
	if slices.ContainsFunc(f.Pools, isOrdered) {
		sharePlaces(part, func(p *scope) *scope {
			if isOrdered(p) {
				return p
			}
			return nil
		})
	}
}

// isOrdered reports whether a pool or a group has another order than by age.
func isOrdered(p *scope) bool { return !p.Ambiguous && p.Budgets.Order() != "" }

// sharePlaces orders the requests of each scope within the places that they have. A function returns the scope of a
// pool, or nil.
func sharePlaces(part []*request, scopeOf func(*scope) *scope) {
	places := map[*scope][]int{}
	for i, r := range part {
		if r.Pool != nil {
			if s := scopeOf(r.Pool); s != nil {
				places[s] = append(places[s], i)
			}
		}
	}
	for s, at := range places {
		requests := make([]*request, len(at))
		for i, place := range at {
			requests[i] = part[place]
		}
		slices.SortStableFunc(requests, func(a, b *request) int {
			return s.Budgets.Compare(a.Node, b.Node, a.Since, b.Since)
		})
		for i, place := range at {
			part[place] = requests[i]
		}
	}
}

// A request is a node and one reason to disrupt it. The fields that the loops of a decision read are first.
type request struct {
	Node      *candidate.Node
	Condition *candidate.Condition
	Pool      *scope    // nil if the pool is not in the input
	Kind      *kind     // nil if it is unclear which policy applies to the node, which is then blocked
	Name      string    // Node.Name, kept here so that walking the line is fast
	Since     time.Time // Condition.Since, likewise

	Position int32 // of the node in fleet.Nodes

	// Disrupted: the session disrupts the node for this reason, or, with ForAny, for an unknown one.
	Disrupted, ForAny bool

	Overdue   bool  // the deadline of the condition has come
	Several   bool  // the node has other conditions
	Duplicate bool  // another node has this name
	unit      *unit // nil: the node is disrupted alone
	dated     bool  // the condition has a deadline that holds

	// Uncounted: the request is for the repair of a node that was never initialized. No budget counts it, so it needs
	// and uses none. (Karpenter: Repair.ComputeCommands.)
	Uncounted bool

	// What the gates of nodes and of pods write, once. Zones read both: see Lasting.
	Itself []candidate.Blocker // what blocks the node itself, whatever other nodes are disrupted
	Pods   candidate.PodVerdict
}

// fill fills the zero request r of a node, by position, for one of its conditions. It is not returned, because a fleet
// has a hundred thousand of them.
func (f *fleet) fill(r *request, node int32, condition *candidate.Condition) {
	n := &f.Nodes[node]
	r.Node, r.Condition, r.Pool, r.Position = n, condition, f.Pool(int(node)), node
	r.Name, r.Since, r.Several = n.Name, condition.Since, len(n.Conditions) > 1
	r.Duplicate = f.Namesakes[n.Name]
	r.Uncounted = !n.Counted() && candidate.Unhealthy.Covers(condition.Reason)
	r.dated = condition.HasDeadline()
	r.Overdue = r.dated && condition.Overdue(f.Now)
	f.Dated = f.Dated || r.dated
	if r.Pool != nil && !r.Pool.Ambiguous {
		r.Kind = f.kindOf(r.Pool, condition.Reason)
	}
}

// CountsFor returns the reason that the request counts for once it is disrupted; "": an unknown one.
func (r *request) CountsFor() candidate.Reason {
	if r.ForAny {
		return ""
	}
	return r.Reason()
}

// NotReady reports whether the node uses up budgets only because it is not Ready.
func (r *request) NotReady() bool {
	return r.Node.Disrupting("") && !r.InFlight()
}

// InFlight reports whether the node already uses up budgets as one in flight. Only Karpenter may disrupt it then: an
// expired node, even if it reboots.
func (r *request) InFlight() bool { return r.Node.Disrupting(candidate.Unhealthy) }

// UsesUp reports whether the node uses up more budget once it is disrupted.
func (r *request) UsesUp() bool { return r.Node.Counted() && !r.InFlight() }

// Deadline returns when the node becomes overdue for the reason. Zero means never.
func (r *request) Deadline() (never time.Time) {
	if !r.dated {
		return never
	}
	return r.Condition.Deadline
}

// Begins reports whether the node is among the first of a roll in waves (budget.Rollout.From).
func (r *request) Begins() bool {
	if r.Kind == nil {
		return false
	}
	for _, scope := range r.Pool.Scopes {
		for i := range scope.Budgets.Rollouts() {
			if ro := &scope.Budgets.Rollouts()[i]; ro.From != nil && ro.Covers(r.Condition.Reason) {
				if first, _ := ro.From.Matches(r.Node.Labels); first { // an invalid selector is a fault
					return true
				}
			}
		}
	}
	return false
}

// Lasting returns the lasting blockers of the node itself, its pods and the rest of its unit.
func (r *request) Lasting() []candidate.Blocker {
	blockers := joined(r.Itself, r.Pods.Blockers)
	if r.unit == nil {
		return blockers
	}
	for _, o := range r.unit.members {
		if o != r {
			blockers = slices.Concat(blockers, r.unit.naming(o, o.Itself), r.unit.naming(o, o.Pods.Blockers))
		}
	}
	return slices.Concat(blockers, r.unit.blockers)
}

// PoolName returns the name of the node's pool, even if that pool is not in the input.
func (r *request) PoolName() string {
	if r.Pool != nil {
		return r.Pool.Name
	}
	return r.Node.Pool
}

// Reason returns why the node should be disrupted.
func (r *request) Reason() candidate.Reason {
	if r.Kind != nil {
		return r.Kind.Reason
	}
	return r.Condition.Reason
}

func (r *request) candidate() (c candidate.Candidate) {
	r.describe(&c)
	return c
}

// describe sets all fields of a candidate but Until and Blockers.
func (r *request) describe(c *candidate.Candidate) {
	c.Node, c.Pool, c.Reason, c.Since, c.Deadline = r.Name, r.PoolName(), r.CountsFor(), r.Since, r.Deadline()
	c.Overdue, c.Unit, c.Because = r.Overdue, r.unitName(), r.because()
}

// members yields the requests of its unit, or the request alone.
func (r *request) members() iter.Seq[*request] {
	return func(yield func(*request) bool) {
		if r.unit == nil {
			yield(r)
			return
		}
		for _, m := range r.unit.members {
			if !yield(m) {
				return
			}
		}
	}
}

// unitName returns the unit with which the node is disrupted; "": it is disrupted alone.
func (r *request) unitName() string {
	if r.unit == nil {
		return ""
	}
	return r.Node.Unit
}

// because returns the node of its unit that has the condition; "": the node itself.
func (r *request) because() string {
	if r.unit == nil {
		return ""
	}
	return r.Condition.Because
}

// Touch reads memory of the request and its blockers, for memory.ReadAhead.
func (r *request) Touch() int {
	n := len(r.Itself) + len(r.Name)
	for i := range r.Pods.Blockers {
		n += len(r.Pods.Blockers[i].Code)
	}
	return n
}
