package disruptkit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// budgetGate is the gate of the budgets of one layer: of pools, or of groups that have no pool in common. Windows,
// paces, soaks and back-offs no longer block an overdue node while few nodes are in flight ([quota.waives]).
//
// The pools' gate decides that for back-off as well. If it does not excuse an overdue request from both, it alone has
// the blocker, and lifts it once both gates allow the request.
type budgetGate struct {
	*book
	layer int
}

// A book is the accounts of all pools and groups, and what they allow.
type book struct {
	fleet    *fleet
	backoff  *backoffGate
	now      time.Time
	accounts []*account // by scope
	lenders  []*account // those with shares
	quotas   []quota    // by Kind

	others    func(*request) []candidate.Blocker // row.butBudgets
	change    func() time.Time                   // row.butBudgetsChange
	disrupted map[int32]int                      // how many requests are counted, by the position of their nodes
	asks      bool                               // nothing is to be counted, because only the gates before are asked
}

// openBudgets returns the book of a fleet, and its gates, by layer. Guaranteed budgets depend on what blocks a request
// elsewhere, and on when that changes.
func openBudgets(
	f *fleet, backoff *backoffGate, others func(*request) []candidate.Blocker, change func() time.Time,
) (b *book, gates []*budgetGate) {
	b = &book{fleet: f, backoff: backoff, now: f.Now, quotas: make([]quota, len(f.Kinds)), others: others,
		change: change, disrupted: map[int32]int{}}
	for _, m := range f.recall() {
		a := b.openAccount(m)
		if b.accounts = append(b.accounts, a); len(a.shares) > 0 {
			b.lenders = append(b.lenders, a)
		}
	}
	for i, k := range f.Kinds {
		b.quotas[i].open(k, b.accounts[k.Pool.Index])
	}
	for layer := range f.Layers {
		gates = append(gates, &budgetGate{b, layer})
	}
	backoff.waiver = gates[0]
	return b, gates
}

// quota returns what the budgets of the layer allow for a request. Nil: it needs no budget there.
func (g *budgetGate) quota(r *request) *quota {
	k := r.Kind
	if k != nil && g.layer > 0 {
		k = k.ByLayer[g.layer]
	}
	if k == nil || r.Uncounted {
		return nil
	}
	return g.Quota(k)
}

func (b *book) Quota(k *kind) *quota { return &b.quotas[k.Index] }

// A quota is what a pool's budgets allow for one reason.
type quota struct {
	*kind
	in        *account
	Allowance budget.Allowance
	Err       error            // what is invalid
	Overdue   budget.Allowance // how many nodes may be in flight at once so that an overdue one may be disrupted
	NextStart time.Time        // when paces and soaks next allow a start, if MayStart is 0
	never     bool             // no request will ever be allowed, even if nothing is in use
	standing                   // before any request is disrupted
	left      standing         // see now
}

// A standing is what is in use of a quota. It is known until a request of the pool is counted.
type standing struct {
	known    bool
	InUse    int                 // how much of Allowance is in use
	Reserved int                 // how much of the rest guaranteed budgets reserve for other reasons
	MayStart budget.Allowance    // how many more starts paces and soaks allow
	refusal  []candidate.Blocker // of most requests that are not overdue
	lasts    *time.Time          // the answer of Until, for most requests
}

func (q *quota) open(k *kind, a *account) {
	q.kind, q.in = k, a
	if a.Ambiguous {
		return
	}
	now := a.now.at
	q.Allowance, q.Err = budget.AllowedByReason(a.Budgets, now, a.Nodes, k.Reason)
	q.standing = *q.now()
	if k.Asked && q.MayStart.Nodes == 0 && !now.IsZero() {
		q.NextStart = a.nextStart(now, k.Reason, "")
	}
	if a.fleet.Dated {
		q.Overdue = a.Budgets.Overdue(a.Nodes, k.Reason)
	}
	if q.Allowance.Nodes == 0 {
		room, end := q.room(now, budget.Usage{})
		q.never = !room && end.IsZero()
	}
}

// now returns what is in use now.
func (q *quota) now() *standing {
	if s := &q.left; !s.known {
		a, in := q.in, q.in.usage(q.Reason)
		s.known, s.MayStart = true, a.mayStart(q.Reason)
		s.InUse = a.Budgets.InUse(a.now.at, a.Nodes, q.Reason, in)
		s.Reserved, _ = a.Budgets.Reserved(a.now.at, a.Nodes, q.Reason, in)
	}
	return &q.left
}

func (q *quota) room(at time.Time, u budget.Usage) (room bool, end time.Time) {
	return q.in.Budgets.Room(at, q.in.Nodes, q.Reason, u)
}

// fits reports whether one more node may be disrupted, and may start now.
func (q *quota) fits() bool {
	if q == nil {
		return true
	}
	s := q.now()
	return q.Allowance.Remaining(s.InUse+s.Reserved) > 0 && s.MayStart.Nodes > 0
}

// waives reports whether an overdue request may be disrupted despite windows and paces, and, in the layer of pools,
// despite back-off: while few nodes are in flight at once.
func (q *quota) waives() bool {
	return q == nil || q.Overdue.Remaining(q.in.usage(q.Reason).For(q.Reason)) > 0
}

// counts reports whether a budget of the pool or one of its groups depends on the number of requests for a reason.
func (p *scope) counts(reason candidate.Reason) bool {
	guarantees := func(l *budget.Limit) bool { return l.Covers(reason) }
	spreads := func(l *budget.Limit) bool { return l.Spreads(reason) }
	return slices.ContainsFunc(p.Scopes, func(s *scope) bool {
		return slices.ContainsFunc(s.Budgets.Shares(), guarantees) || slices.ContainsFunc(s.Budgets.Pacing(), spreads)
	})
}

func (g *budgetGate) Allows(r *request) bool {
	q := g.quota(r)
	return q.fits() || r.Overdue && q.waives()
}

// Blockers returns a blocker if the limit of nodes at once is reached for the request's reason, and one if the start
// limit is: at most until the request is overdue and excused. Requests of a kind share the answer.
func (g *budgetGate) Blockers(r *request) []candidate.Blocker {
	q := g.quota(r)
	switch fits := q.fits(); {
	case fits && (!r.Overdue || g.layer > 0 || g.backoff.Allows(r)), r.Overdue && q.waives():
		return nil
	case r.Overdue:
		b := q.tooMany()
		b.Until = g.allowsFrom(r, g.now)
		return []candidate.Blocker{b}
	}
	if q.left.refusal == nil {
		q.left.refusal = q.refuse(g.size(r))
	}
	return g.untilOverdue(r, q.left.refusal)
}

// untilOverdue returns the blockers of a request that is not overdue yet. Once it is, no limit of starts blocks it, and
// limits of nodes at once only while too many nodes are in flight.
func (g *budgetGate) untilOverdue(r *request, said []candidate.Blocker) []candidate.Blocker {
	q, due := g.quota(r), r.Deadline()
	if due.IsZero() {
		return said
	}
	waives, lent := q.waives(), !q.in.demandChanges().IsZero()
	said = slices.Clone(said)
	for i := range said {
		switch b := &said[i]; {
		case !b.Until.IsZero() && b.Until.Before(due):
		case isOfStarts(b.Code):
			b.Until = due
		case b.Until.IsZero() && (lent || !waives):
		case waives:
			b.Until = due
		default:
			b.Until = g.allowsFrom(r, b.Until)
		}
	}
	return said
}

func isOfStarts(code candidate.Code) bool {
	return code == candidate.CodeSpread || code == candidate.CodePaced || code == candidate.CodeSoaks
}

// allowsFrom returns the first time at or after from at which the budgets allow one more request of its kind, and, in
// the layer of pools, the pool no longer waits. Zero is never.
func (g *budgetGate) allowsFrom(r *request, from time.Time) time.Time {
	if g.layer == 0 {
		from = g.backoff.AllowsFrom(r, from)
	}
	return g.quota(r).allowsFrom(from)
}

// allowsFrom returns the first time at or after from at which the budgets allow one more request, and it may start.
func (q *quota) allowsFrom(from time.Time) (never time.Time) {
	return q.firstFree(from, func(at time.Time) (blocked bool, change time.Time) {
		if room, end := q.room(at, q.in.usage(q.Reason)); !room {
			return true, end
		}
		next := q.in.nextStart(at, q.Reason, "")
		return !next.Equal(at), next
	})
}

// roomFrom returns the first time at or after now at which the limits of nodes at once allow one more request.
func (q *quota) roomFrom(now time.Time) (never time.Time) {
	return q.firstFree(now, func(at time.Time) (blocked bool, change time.Time) {
		room, end := q.room(at, q.in.usage(q.Reason))
		return !room, end
	})
}

func (q *quota) firstFree(from time.Time, blocks func(time.Time) (bool, time.Time)) (never time.Time) {
	if q.in.now.at.IsZero() {
		return never
	}
	at := firstFree(from, blocks)
	if change := q.in.demandChanges(); !change.IsZero() && !at.Before(change) {
		return never // unknown: a share may be lent then
	}
	return at
}

// Count counts a request against the budgets of its pool as it will count once it is in flight.
func (g *budgetGate) Count(r *request, n int, together bool) {
	if g.asks {
		return
	}
	if g.layer == 0 {
		g.recount(r, n)
	}
	if scope := r.Pool.ByLayer[g.layer]; scope != nil && r.UsesUp() {
		g.accounts[scope.Index].count(r, n, together)
		g.forget(scope)
	}
}

// forget makes what is left of the quotas of a pool or a group unknown.
func (b *book) forget(p *scope) {
	for _, k := range p.Kinds {
		b.quotas[k.Index].left = standing{}
	}
}

// Lasting returns a blocker if budgets never allow the request, or only once it is overdue.
func (g *budgetGate) Lasting(r *request) []candidate.Blocker {
	q := g.quota(r)
	switch {
	case q == nil, r.Overdue && q.Overdue.Nodes > 0:
		return nil
	case !q.never:
		return q.neverFits(g.size(r))
	}
	message := "budgets never allow it for " + wording.Quote(string(r.Reason()))
	if !r.Deadline().IsZero() && !r.Overdue {
		message += " before it is overdue"
	}
	return []candidate.Blocker{{
		Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: q.Pool.Of() + message,
	}}
}

func (q *quota) neverFits(size int) []candidate.Blocker {
	if size < 2 || q.in.Budgets.Oversized() {
		return nil
	}
	var others budget.Usage
	others.Add(q.Reason, size-1)
	if room, end := q.room(q.in.now.at, others); room || !end.IsZero() {
		return nil
	}
	return []candidate.Blocker{q.tooLarge(size)}
}

// size returns how many nodes of the request's unit the budgets of the layer count.
func (g *budgetGate) size(r *request) int {
	if r.unit == nil {
		return 1
	}
	in := g.quota(r).Pool
	return r.unit.size(func(m *request) bool { return m.Kind != nil && m.Pool.ByLayer[g.layer] == in })
}

// Until returns when the budgets may no longer allow the request, which is counted.
func (g *budgetGate) Until(r *request) (never time.Time) {
	q := g.quota(r)
	if q == nil {
		return never
	}
	shared := !g.joinsFlight(r) && !r.ForAny && !r.Overdue
	if shared && q.left.lasts != nil {
		return *q.left.lasts
	}
	a := q.in
	others := a.Usage
	others.InFlight, others.Demand = maps.Clone(a.InFlight), map[int]int{}
	if r.UsesUp() {
		g.countIn(&others, r, -1)
	}
	for _, s := range a.shares {
		others.Demand[s.Index] = s.Of(a.Nodes) // it may become that
	}
	room, end := q.room(g.now, others)
	switch {
	case room:
	case r.Overdue && q.Overdue.Remaining(others.For(q.Reason)) > 0: // for good: the waiver knows no time
		end = never
	default: // it was allowed before others, which use up the limit now
		end = schedule.First(q.limitChanges(), a.demandChanges())
	}
	if end = schedule.First(end, a.now.change); shared {
		q.left.lasts = &end
	}
	return end
}

func (g *budgetGate) NextChange() (next time.Time) {
	for _, a := range g.accounts {
		if a.Layer != g.layer {
			continue
		}
		next = schedule.First(schedule.First(next, a.nextChange()), a.demandChanges())
		for _, k := range a.Kinds {
			if !a.Ambiguous {
				next = schedule.First(next, g.Quota(k).limitChanges())
			}
		}
	}
	return next
}

// limitChanges returns when time alone may next change how many nodes the budgets allow, which nodes in flight use that
// up, or which faults count.
func (q *quota) limitChanges() time.Time {
	a, now := q.in, q.in.now.at
	change := a.Budgets.Until(now, a.Nodes, q.Reason)
	consider := func(l *budget.Limit) {
		_, end := l.Window.Until(now)
		change = schedule.First(change, end)
	}
	for _, s := range a.shares {
		consider(s.Limit)
	}
	if a.For("") > 0 {
		change = schedule.First(change, a.Budgets.Regroups(now, q.Reason))
	}
	limits := a.Budgets.Limits()
	for i := range limits { // Karpenter reads some faults only while the budget is active
		if l := &limits[i]; len(l.Faults) > 0 && !l.Broken() {
			consider(l)
		}
	}
	return change
}

// refuse returns the blockers of a kind of requests, or of units of a size. Their other nodes are counted.
func (q *quota) refuse(size int) (refusal []candidate.Blocker) {
	a, s := q.in, q.now()
	switch disrupted := s.InUse - q.InUse - a.with; {
	case q.Allowance.Remaining(s.InUse+s.Reserved) > 0:
	case q.Allowance.Nodes > 0 && q.Allowance.Nodes < size && !a.Budgets.Oversized():
		refusal = append(refusal, q.tooLarge(size))
		refusal[0].Until = q.roomFrom(a.now.at)
	default:
		full := q.exhausted(disrupted)
		if q.Allowance.Remaining(s.InUse) > 0 {
			full = q.withheld(disrupted)
		}
		if size > 1 {
			full.Message = fmt.Sprintf("its unit has %d nodes, and %s", size, full.Message)
		}
		full.Until = q.roomFrom(a.now.at)
		refusal = append(refusal, full)
	}
	if s.MayStart.Nodes == 0 {
		refusal = append(refusal, q.notDue(size, s.MayStart.Binding)...)
	}
	return refusal
}

// notDue returns the blockers of spreads, paces and soaks that allow no start now.
func (q *quota) notDue(size int, which budget.Indexes) (refusal []candidate.Blocker) {
	a, already := q.in, alreadyAllowed(q.in.disrupted)
	var spreads, paces, soaks budget.Indexes
	left, soaking, waiting, unknown := 0, 0, 0, false
	for _, b := range a.paces {
		switch code := startCode(b); {
		case !which.Has(b.Index):
		case code == candidate.CodeSpread:
			spreads.Add(b.Index)
		case code == candidate.CodePaced:
			paces.Add(b.Index)
		default:
			c := a.usedBy(b, a.now, q.Reason)
			soaks.Add(b.Index)
			soaking, waiting = max(soaking, c.timed), max(waiting, c.waiting)
			unknown = unknown || a.now.at.Before(a.knownFrom(b))
		}
	}
	for _, s := range a.rolls {
		if spreads.Has(s.Index) {
			left = s.left
		}
	}
	if spreads != 0 {
		next := "start"
		if left > 0 {
			next = "of " + wording.Count(left, "candidate")
		}
		refusal = append(refusal, q.blockerOf(candidate.CodeSpread, spreads, "the next %s is not due%s", next, already))
	}
	if paces != 0 {
		unit := ""
		if size > 1 {
			unit = fmt.Sprintf(": its unit has %d nodes", size)
		}
		refusal = append(refusal, q.blockerOf(candidate.CodePaced, paces, "start limit reached%s%s", unit, already))
	}
	if soaks != 0 {
		counts := slices.Concat(amount(q.InUse, q.users()), amount(soaking, "soaking"),
			amount(waiting, "not yet gone or replaced"), amount(a.disrupted, "already allowed"))
		if unknown {
			counts = append(counts, "unknown slots may soak")
		}
		refusal = append(refusal,
			q.blockerOf(candidate.CodeSoaks, soaks, "no free slot (%s)", strings.Join(counts, ", ")))
	}
	for i := range refusal {
		refusal[i].Until = a.nextStart(a.now.at, q.Reason, refusal[i].Code)
	}
	return refusal
}

// alreadyAllowed ends a text with how many nodes the session disrupts.
func alreadyAllowed(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", with %d already allowed", n)
}

func (q *quota) tooLarge(size int) candidate.Blocker {
	return q.blockerOf(codeUnitTooLarge, q.Allowance.Binding,
		"its unit has %d nodes, and %s: allow %[1]d", size, q.atOnce(q.Allowance))
}

// exhausted returns the blocker of a limit that is used up: the limit, how many nodes are in use or disrupted, and
// which budgets set it.
func (q *quota) exhausted(disrupted int) candidate.Blocker {
	which := q.Allowance.Binding
	switch {
	case q.Err != nil:
		return q.blocker(q.fault(), which, "no node may be disrupted: "+wording.Sentence(q.Err))
	case q.Allowance.Nodes == 0:
		return q.blockerOf(candidate.CodeAllowsNone, which,
			"0 of %s may be disrupted now", wording.Count(q.in.Nodes, "node"))
	}
	return q.blockerOf(candidate.CodeExhausted, which, "%s%s", q.atOnce(q.Allowance), q.inUse(q.InUse, disrupted))
}

func (q *quota) tooMany() candidate.Blocker {
	a := q.in
	if q.Overdue.Nodes == 0 { // invalid
		return q.exhausted(a.disrupted)
	}
	return q.blockerOf(candidate.CodeExhausted, q.Overdue.Binding, "the node is overdue, and %s then%s",
		q.atOnce(q.Overdue), q.inUse(a.For(q.Reason)-a.disrupted, a.disrupted))
}

func (q *quota) blocker(code candidate.Code, which budget.Indexes, message string) candidate.Blocker {
	b := candidate.Blocker{Gate: candidate.GateBudget, Code: code, Message: message}
	if which != 0 {
		b.Source = &candidate.Source{Budgets: slices.Collect(which.All())}
	}
	return q.Pool.Said(b)
}

// blockerOf returns a blocker that ends with the budgets as they are now: "…: budgets[0] is 10%, budgets[2] is 5".
func (q *quota) blockerOf(code candidate.Code, which budget.Indexes, format string, args ...any) candidate.Blocker {
	message, before := fmt.Sprintf(format, args...), ": "
	for i := range which.All() {
		set := q.in.Budgets
		message += before + set.Place(i) + " is " + set.Describe(i, q.in.now.at)
		before = ", "
	}
	return q.blocker(code, which, message)
}

func (q *quota) atOnce(a budget.Allowance) string {
	return fmt.Sprintf("%d of %s may be disrupted at once", a.Nodes, wording.Count(q.in.Nodes, "node"))
}

// inUse ends a text with what uses up budgets.
func (q *quota) inUse(inUse, disrupted int) string {
	counts := slices.Concat([]string{""}, amount(inUse, q.users()), amount(disrupted, "already allowed"))
	return strings.Join(counts, ", ")
}

// amount returns "2 soaking". It returns nothing for no nodes.
func amount(n int, what string) []string {
	if n <= 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d %s", n, what)}
}

// users describes the nodes that use up budgets for a reason. Nodes that are not Ready do not use up those of repair.
func (q *quota) users() string {
	switch {
	case candidate.Unhealthy.Covers(q.Reason):
		return "in flight"
	case q.Pool.InUse.Missing > 0:
		return "in flight, not Ready or missing"
	}
	return "in flight or not Ready"
}

// fault returns the code of what is invalid: a budget, the decision's reason, or the time.
func (q *quota) fault() candidate.Code {
	var w candidate.Warning
	if !errors.As(q.Err, &w) {
		return candidate.CodeUnknownReason
	}
	return w.Code
}

// ReasonWarnings returns the faults of the decision's reason, and of other reasons of a pool's nodes.
func (b *book) ReasonWarnings(p *scope) (all []candidate.Warning) {
	for i, k := range p.Kinds {
		q := b.Quota(k)
		if q.Err == nil || q.fault() != candidate.CodeUnknownReason {
			continue
		}
		w := warningf(candidate.CodeUnknownReason, "", "", string(q.Reason), "%s", q.Err)
		if i > 0 {
			w.Field, w.Message = "Node.Conditions", w.Message+"; until then, nodes with this reason are blocked"
		}
		all = append(all, w)
	}
	named := p.Budgets.Named()
	for _, r := range named {
		meant := wording.MeantReason(r)
		has := func(k *kind) bool { return k.Reason == meant } // it has a warning of its own
		if meant == "" || slices.Contains(named, meant) || slices.ContainsFunc(p.Kinds, has) {
			continue
		}
		all = append(all, warningf(candidate.CodeUnknownReason, "", "budgets", string(r),
			"reason %.100q is one letter from %s, for which no node is allowed until then: write %[2]s, or name both "+
				"in budgets if they are two reasons", r, meant))
	}
	return slices.Concat(sorted(all), b.inFlightWarnings(p), b.spreadWarnings(p))
}

// inFlightWarnings warns of nodes in flight for a reason that a pool's budgets cannot name: one warning for all.
func (b *book) inFlightWarnings(p *scope) []candidate.Warning {
	var unknown []*candidate.Node
	for _, at := range b.fleet.InFlight {
		n := &b.fleet.Nodes[at]
		known := p.Budgets.Knows(n.DisruptedFor) || b.fleet.Dialect == dialect.Karpenter
		if !known && b.fleet.Pool(int(at)) == p {
			unknown = append(unknown, n)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	first := slices.MinFunc(unknown, func(a, b *candidate.Node) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.DisruptedFor), string(b.DisruptedFor)))
	})
	return []candidate.Warning{warningf(candidate.CodeUnknownReason, "", "Node.DisruptedFor",
		string(first.DisruptedFor), "in flight for a reason that no budget can know, and counted for every reason: "+
			"%s, such as %s for %.100q: write what candidate.ParseReason returns, or the name that budgets have",
		wording.Count(len(unknown), "node"), wording.Quote(first.Name), first.DisruptedFor)}
}
