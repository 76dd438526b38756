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

// budgetGate is the gate of the budgets of one layer: of pools, or of groups that have no pool in common. Methods of
// book are about any pool or group.
type budgetGate struct {
	*book
	layer int
}

// A book is the accounts of the gates of all layers.
type book struct {
	fleet    *fleet
	quotas   []quota        // by Kind
	used     []*pacer       // by scope
	recalled []recollection // by scope
	now      time.Time

	others    func(*request) []candidate.Blocker // row.butBudgets
	change    func() time.Time                   // row.butBudgetsChange
	shares    map[*scope][]share
	changes   map[*scope]time.Time // what demandChanges returned since the last count
	disrupted map[int32]int        // how many requests are counted, by the position of their nodes; only with shares
	asks      bool                 // nothing is to be counted, because only the gates before are asked
}

// openBudgets returns the book of a fleet, and its gates, by layer. Guaranteed budgets depend on what blocks a request
// elsewhere, and on when that changes.
func openBudgets(
	f *fleet, others func(*request) []candidate.Blocker, change func() time.Time,
) (b *book, gates []*budgetGate) {
	b = &book{fleet: f, now: f.Now, others: others, change: change}
	b.open()
	for layer := range f.Layers {
		gates = append(gates, &budgetGate{b, layer})
	}
	return b, gates
}

// kind returns the kind of a request in the gate's layer. Nil: its pool has no budgets there.
func (g *budgetGate) kind(r *request) *kind {
	if g.layer == 0 || r.Kind == nil {
		return r.Kind
	}
	return r.Kind.ByLayer[g.layer]
}

// passes reports whether the request needs no budget of the layer.
func (g *budgetGate) passes(r *request) bool { return g.kind(r) == nil || r.Uncounted }

// quota returns what the budgets of the layer allow for a request that does not pass.
func (g *budgetGate) quota(r *request) *quota { return &g.quotas[g.kind(r).Index] }

// A quota is what a pool's budgets allow for one reason, before any request is disrupted.
type quota struct {
	*kind
	Allowance budget.Allowance
	InUse     int              // how much of Allowance is in use
	Reserved  int              // how much of the rest guaranteed budgets reserve for other reasons
	Err       error            // what is invalid
	Overdue   budget.Allowance // how many nodes may be in flight at once so that an overdue one may be disrupted
	MayStart  budget.Allowance // how many starts paces and soaks allow now
	NextStart time.Time        // when they next allow one, if MayStart is 0
	never     bool             // no request will ever be allowed, even if nothing is in use

	standing standing
}

// A standing is what is left of a quota. It is known until a request of the pool is counted.
type standing struct {
	known    bool
	taken    int                 // how much of Allowance is in use
	reserved int                 // how much of the rest is reserved for other reasons
	mayStart budget.Allowance    // how many more nodes may start
	refusal  []candidate.Blocker // the answer of Blockers
	waiting  []candidate.Blocker // the answer of Refuse
	lasts    *time.Time          // the answer of Until, for most requests
}

// open sets what the budgets of all layers allow for each kind of requests.
func (b *book) open() {
	f, now := b.fleet, b.now
	b.quotas, b.used, b.recalled = make([]quota, len(f.Kinds)), make([]*pacer, len(f.Scopes)), b.recall()
	for i, p := range f.Scopes {
		b.used[i] = newPacer(p, now, &b.recalled[i])
	}
	b.openShares()
	for i, k := range f.Kinds {
		q, p := &b.quotas[i], k.Pool
		q.kind = k
		if p.Ambiguous {
			continue
		}
		q.Allowance, q.Err = budget.AllowedByReason(p.Budgets, now, p.Nodes, k.Reason)
		s := b.standing(q)
		q.InUse, q.Reserved, q.MayStart = s.taken, s.reserved, s.mayStart
		if k.Asked && q.MayStart.Nodes == 0 && !now.IsZero() {
			q.NextStart = b.used[p.Index].nextStart(now, k.Reason)
		}
		if f.Dated {
			q.Overdue = p.Budgets.Overdue(p.Nodes, k.Reason)
		}
		if q.Allowance.Nodes == 0 {
			room, end := p.Budgets.Room(now, p.Nodes, k.Reason, budget.Usage{})
			q.never = !room && end.IsZero()
		}
	}
}

// counts reports whether a budget of the pool or one of its groups depends on the number of requests for a reason.
func (p *scope) counts(reason candidate.Reason) bool {
	guarantees := func(l *budget.Limit) bool { return l.Covers(reason) }
	spreads := func(l *budget.Limit) bool { return l.Spreads(reason) }
	return slices.ContainsFunc(p.Scopes, func(s *scope) bool {
		return slices.ContainsFunc(s.Budgets.Shares(), guarantees) || slices.ContainsFunc(s.Budgets.Pacing(), spreads)
	})
}

// standing returns what is left of a quota.
func (b *book) standing(q *quota) *standing {
	if s := &q.standing; !s.known && !q.Pool.Ambiguous {
		p, u := q.Pool, b.use(q.Pool)
		s.known, s.mayStart = true, u.mayStart(q.Reason)
		in := u.usage(q.Reason)
		s.taken = p.Budgets.InUse(b.now, p.Nodes, q.Reason, in)
		s.reserved, _ = p.Budgets.Reserved(b.now, p.Nodes, q.Reason, in)
	}
	return &q.standing
}

// Allows reports whether one more node of the pool may be disrupted for the request's reason, and may start now.
func (g *budgetGate) Allows(r *request) bool {
	if g.passes(r) {
		return true
	}
	q := g.quota(r)
	s := g.standing(q)
	return q.Allowance.Remaining(s.taken+s.reserved) > 0 && s.mayStart.Nodes > 0
}

// Blockers returns a blocker if the limit of nodes at once is reached for the request's reason, and one if the start
// limit is. Requests of a kind share the answer.
func (g *budgetGate) Blockers(r *request) []candidate.Blocker {
	if g.Allows(r) {
		return nil
	}
	q := g.quota(r)
	if q.standing.refusal == nil {
		q.standing.refusal = liftingAt(g.allowsFrom(q, g.now), g.refuse(q, g.size(r)))
	}
	return q.standing.refusal
}

// Count counts a request against the budgets of its pool as it will count once it is in flight.
func (g *budgetGate) Count(r *request, n int, together bool) {
	if g.asks {
		return
	}
	if g.layer == 0 {
		g.recount(r, n)
	}
	scope := r.Pool.ByLayer[g.layer]
	if scope == nil || !r.UsesUp() {
		return
	}
	u := g.used[scope.Index]
	g.countIn(&u.Usage, r, n)
	u.count(r.CountsFor(), n, together, g.joinsFlight(r))
	if !together {
		u.countSpreads(r, n)
	}
	g.forget(scope)
}

// forget makes what is left of the quotas of a pool or a group unknown.
func (b *book) forget(p *scope) {
	for _, k := range p.Kinds {
		b.quotas[k.Index].standing = standing{}
	}
}

// cloned returns an independent copy.
func cloned(u budget.Usage) budget.Usage {
	u.InFlight, u.Demand = maps.Clone(u.InFlight), maps.Clone(u.Demand)
	return u
}

func (g *budgetGate) countIn(u *budget.Usage, r *request, n int) {
	if g.joinsFlight(r) {
		u.NotReady -= n
		u.Add("", n)
	} else {
		u.Add(r.CountsFor(), n)
	}
}

// joinsFlight reports whether the node of a request already uses up budgets because it is not Ready. Once disrupted, it
// is in flight instead. (In Karpenter's dialect it counts twice until then.)
func (g *budgetGate) joinsFlight(r *request) bool {
	return r.NotReady() && g.fleet.Dialect != dialect.Karpenter
}

// Quota returns what a pool's budgets allow for a kind of requests.
func (b *book) Quota(k *kind) *quota { return &b.quotas[k.Index] }

// Lasting returns a blocker if budgets never allow the request, or only once it is overdue.
func (g *budgetGate) Lasting(r *request) []candidate.Blocker {
	if g.passes(r) || r.Overdue && g.quota(r).Overdue.Nodes > 0 {
		return nil
	}
	if !g.quota(r).never {
		return g.neverFits(r)
	}
	message := g.quota(r).Pool.Of() + "budgets never allow it for " + wording.Quote(string(r.Reason()))
	if !r.Deadline().IsZero() && !r.Overdue {
		message += " before it is overdue"
	}
	return []candidate.Blocker{{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: message}}
}

// neverFits returns a blocker if the budgets never allow as many nodes as the request's unit has.
func (g *budgetGate) neverFits(r *request) []candidate.Blocker {
	q, size := g.quota(r), g.size(r)
	p := q.Pool
	if size < 2 || p.Budgets.Oversized() {
		return nil
	}
	var others budget.Usage
	others.Add(q.Reason, size-1)
	if room, end := p.Budgets.Room(g.now, p.Nodes, q.Reason, others); room || !end.IsZero() {
		return nil
	}
	return []candidate.Blocker{q.blocker(codeUnitTooLarge, q.Allowance.Binding, q.tooLarge(g.now, size))}
}

// Waives reports whether an overdue request may be disrupted despite the windows and paces of the layer, and, in that
// of pools, despite back-off: while few nodes are in flight at once.
func (g *budgetGate) Waives(r *request) bool {
	if g.passes(r) {
		return true
	}
	q := g.quota(r)
	return q.Overdue.Remaining(g.used[q.Pool.Index].usage(q.Reason).For(q.Reason)) > 0
}

// Refuse returns the blocker of an overdue request that has to wait for others. Requests of a kind share the answer.
func (g *budgetGate) Refuse(r *request) []candidate.Blocker {
	q := g.quota(r)
	if q.standing.waiting == nil {
		q.standing.waiting = []candidate.Blocker{g.tooMany(q)}
	}
	return q.standing.waiting
}

// AllowsFrom returns the first time at or after from at which the budgets of the layer allow one more request of its
// kind.
func (g *budgetGate) AllowsFrom(r *request, from time.Time) time.Time {
	if g.passes(r) {
		return from
	}
	return g.allowsFrom(g.quota(r), from)
}

// allowsFrom is AllowsFrom for a kind of requests.
func (b *book) allowsFrom(q *quota, from time.Time) (never time.Time) {
	if b.now.IsZero() {
		return never
	}
	p, u := q.Pool, b.use(q.Pool)
	at := firstFree(from, func(at time.Time) (blocked bool, change time.Time) {
		if room, end := p.Budgets.Room(at, p.Nodes, q.Reason, u.usage(q.Reason)); !room {
			return true, end
		}
		next := u.nextStart(at, q.Reason)
		return !next.Equal(at), next
	})
	if change := b.demandChanges(p); !change.IsZero() && !at.Before(change) {
		return never // unknown: a share may be lent then
	}
	return at
}

// size returns how many nodes of the request's unit the budgets of the layer count.
func (g *budgetGate) size(r *request) int {
	if r.unit == nil {
		return 1
	}
	in := g.kind(r).Pool
	return r.unit.size(func(m *request) bool { return m.Kind != nil && m.Pool.ByLayer[g.layer] == in })
}

// Until returns when the budgets may no longer allow the request, which is counted.
func (g *budgetGate) Until(r *request) (never time.Time) {
	if g.passes(r) {
		return never
	}
	q := g.quota(r)
	shared := !g.joinsFlight(r) && !r.ForAny && !r.Overdue
	if shared && q.standing.lasts != nil {
		return *q.standing.lasts
	}
	u := g.use(q.Pool)
	others := cloned(u.Usage)
	if r.UsesUp() {
		g.countIn(&others, r, -1)
	}
	for _, s := range g.shares[q.Pool] {
		others.Demand[s.Index] = s.Of(q.Pool.Nodes) // it may become that
	}
	room, end := q.Pool.Budgets.Room(g.now, q.Pool.Nodes, q.Reason, others)
	switch {
	case room:
	case r.Overdue && q.Overdue.Remaining(others.For(q.Reason)) > 0: // for good: the waiver knows no time
		end = never
	default: // it was allowed before others, which use up the limit now
		end = schedule.First(g.limitChanges(q), g.demandChanges(q.Pool))
	}
	if end = schedule.First(end, u.now.change); shared {
		q.standing.lasts = &end
	}
	return end
}

// NextChange returns when time alone may next change what budgets allow.
func (g *budgetGate) NextChange() (next time.Time) {
	for _, p := range g.fleet.Scopes {
		if p.Layer == g.layer {
			next = schedule.First(schedule.First(next, g.used[p.Index].nextChange()), g.demandChanges(p))
		}
	}
	for _, k := range g.fleet.Kinds {
		if p := k.Pool; p.Layer == g.layer && !p.Ambiguous {
			next = schedule.First(next, g.limitChanges(g.Quota(k)))
		}
	}
	return next
}

// limitChanges returns when time alone may next change how many nodes the budgets allow, which nodes in flight use that
// up, or which faults count.
func (b *book) limitChanges(q *quota) time.Time {
	p := q.Pool
	change := p.Budgets.Until(b.now, p.Nodes, q.Reason)
	for _, s := range b.shares[p] {
		_, end := s.Window.Until(b.now)
		change = schedule.First(change, end)
	}
	if b.used[p.Index].For("") > 0 {
		change = schedule.First(change, p.Budgets.Regroups(b.now, q.Reason))
	}
	limits := p.Budgets.Limits()
	for i := range limits { // Karpenter reads some faults only while the budget is active
		if l := &limits[i]; len(l.Faults) > 0 && !l.Broken() {
			_, end := l.Window.Until(b.now)
			change = schedule.First(change, end)
		}
	}
	return change
}

// refuse returns the blockers of a kind of requests, or of units of a size. Their other nodes are counted.
func (b *book) refuse(q *quota, size int) (refusal []candidate.Blocker) {
	u, s := b.use(q.Pool), b.standing(q)
	switch {
	case q.Allowance.Remaining(s.taken+s.reserved) > 0:
	case q.Allowance.Nodes > 0 && q.Allowance.Nodes < size && !q.Pool.Budgets.Oversized():
		refusal = append(refusal, q.blocker(codeUnitTooLarge, q.Allowance.Binding, q.tooLarge(b.now, size)))
	default:
		disrupted := s.taken - q.InUse - u.with
		full := q.exhausted(b.now, disrupted)
		if q.Allowance.Remaining(s.taken) > 0 {
			full = b.withheld(q, disrupted)
		}
		if size > 1 {
			full.Message = fmt.Sprintf("its unit has %d nodes, and %s", size, full.Message)
		}
		refusal = append(refusal, full)
	}
	if s.mayStart.Nodes > 0 {
		return refusal
	}
	soaks, soaking, waiting, unknown := u.gone(s.mayStart.Binding, q.Reason)
	early := u.spreading() & s.mayStart.Binding
	if early != 0 {
		refusal = append(refusal, b.early(q, early))
	}
	if slow := s.mayStart.Binding &^ soaks &^ early; slow != 0 {
		text := "start limit reached"
		if size > 1 {
			text = fmt.Sprintf("start limit reached: its unit has %d nodes", size)
		}
		if u.disrupted > 0 {
			text += fmt.Sprintf(", with %d already allowed", u.disrupted)
		}
		refusal = append(refusal, q.blocker(candidate.CodePaced, slow, text+": "+q.Describe(b.now, slow)))
	}
	if soaks != 0 {
		counts := slices.Concat(amount(q.InUse, q.users()), amount(soaking, "soaking"),
			amount(waiting, "not yet gone or replaced"), amount(u.disrupted, "already allowed"))
		if unknown {
			counts = append(counts, "unknown slots may soak")
		}
		refusal = append(refusal, q.blocker(candidate.CodeSoaks, soaks, fmt.Sprintf(
			"no free slot (%s): %s", strings.Join(counts, ", "), q.Describe(b.now, soaks))))
	}
	return refusal
}

// tooLarge returns the message about a unit that is larger than the limit.
func (q *quota) tooLarge(now time.Time, size int) string {
	return fmt.Sprintf("its unit has %d nodes, and %d of %s may be disrupted at once: allow %[1]d: %[4]s", size,
		q.Allowance.Nodes, wording.Count(q.Pool.Nodes, "node"), q.Describe(now, q.Allowance.Binding))
}

// blocker returns a blocker of some budgets.
func (q *quota) blocker(code candidate.Code, which budget.Indexes, message string) candidate.Blocker {
	b := candidate.Blocker{Gate: candidate.GateBudget, Code: code, Message: q.Pool.Of() + message}
	if which != 0 || q.Pool.Grouped() {
		b.Source = &candidate.Source{Group: q.Pool.Group(), Budgets: slices.Collect(which.All())}
	}
	return b
}

// exhausted returns the blocker of a limit that is used up: the limit, how many nodes are in use or disrupted, and
// which budgets set it.
func (q *quota) exhausted(now time.Time, disrupted int) candidate.Blocker {
	which, nodes := q.Allowance.Binding, wording.Count(q.Pool.Nodes, "node")
	switch {
	case q.Err != nil:
		return q.blocker(q.fault(), which, "no node may be disrupted: "+wording.Sentence(q.Err))
	case q.Allowance.Nodes == 0:
		return q.blocker(candidate.CodeAllowsNone, which,
			fmt.Sprintf("0 of %s may be disrupted now: %s", nodes, q.Describe(now, which)))
	}
	text := fmt.Sprintf("%d of %s may be disrupted at once", q.Allowance.Nodes, nodes)
	return q.blocker(candidate.CodeExhausted, which, q.inUse(text, q.InUse, disrupted)+": "+q.Describe(now, which))
}

// tooMany returns the blocker of an overdue request that has to wait for others.
func (b *book) tooMany(q *quota) candidate.Blocker {
	u := b.used[q.Pool.Index]
	if q.Overdue.Nodes == 0 { // invalid
		return q.exhausted(b.now, u.disrupted)
	}
	text := fmt.Sprintf("the node is overdue, and %d of %s may be disrupted at once then", q.Overdue.Nodes,
		wording.Count(q.Pool.Nodes, "node"))
	text = q.inUse(text, u.For(q.Reason)-u.disrupted, u.disrupted)
	if which := q.Overdue.Binding; which != 0 {
		text += ": " + q.Describe(b.now, which)
	}
	return q.blocker(candidate.CodeExhausted, q.Overdue.Binding, text)
}

// inUse adds to a text what uses up budgets.
func (q *quota) inUse(text string, inUse, disrupted int) string {
	counts := slices.Concat([]string{text}, amount(inUse, q.users()), amount(disrupted, "already allowed"))
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

// Describe names budgets as they are at a time: "budgets[0] is 10%, budgets[2] is 5".
func (q *quota) Describe(at time.Time, which budget.Indexes) string {
	var texts []string
	for i := range which.All() {
		texts = append(texts, fmt.Sprintf("%s is %s", q.Pool.Budgets.Place(i), q.Pool.Budgets.Describe(i, at)))
	}
	return strings.Join(texts, ", ")
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
		w := candidate.Warning{Code: candidate.CodeUnknownReason, Value: string(q.Reason), Message: q.Err.Error()}
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
		all = append(all, candidate.Warning{
			Code: candidate.CodeUnknownReason, Field: "budgets", Value: string(r),
			Message: fmt.Sprintf("reason %.100q is one letter from %s, for which no node is allowed until then: "+
				"write %[2]s, or name both in budgets if they are two reasons", r, meant),
		})
	}
	slices.SortFunc(all, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.Value, b.Value))
	})
	return slices.Concat(all, b.inFlightWarnings(p), b.spreadWarnings(p))
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
	return []candidate.Warning{{
		Code: candidate.CodeUnknownReason, Field: "Node.DisruptedFor", Value: string(first.DisruptedFor),
		Message: fmt.Sprintf("in flight for a reason that no budget can know, and counted for every reason: %s, such "+
			"as %s for %.100q: write what candidate.ParseReason returns, or the name that budgets have",
			wording.Count(len(unknown), "node"), wording.Quote(first.Name), first.DisruptedFor),
	}}
}
