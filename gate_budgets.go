package disruptkit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// budgetGate is the gate of the budgets of one layer: of pools, or of groups that have no pool in common. To a gate of
// groups, a group is what a pool is to that of pools. Methods of budgetGate are about that layer, those of book
// about any pool or group.
type budgetGate struct {
	*book
	layer int
}

// A book is what the gates of all layers write down, each about its own pools or groups.
type book struct {
	fleet  *fleet
	quotas []quota      // by Kind
	used   []scopeUsage // by scope
	now    time.Time
}

// newBudgetGates returns the gates of a fleet, by layer.
func newBudgetGates(f *fleet) (all []*budgetGate) {
	book := &book{fleet: f, now: f.Now}
	for layer := range f.Layers {
		all = append(all, &budgetGate{book, layer})
	}
	return all
}

// kind returns the kind of a request in the gate's layer. Nil: its pool has no budgets there.
func (g *budgetGate) kind(r *request) *kind {
	if g.layer == 0 || r.Kind == nil {
		return r.Kind
	}
	return r.Kind.Within[g.layer]
}

// passes reports whether the request needs no budget of the layer.
func (g *budgetGate) passes(r *request) bool { return g.kind(r) == nil || r.Uncounted() }

// pool returns the pool of a request, or its group in the gate's layer.
func (g *budgetGate) pool(r *request) *scope { return g.kind(r).Pool }

// scopeUsage is what uses up the budgets of a pool: nodes that are in flight or not Ready, and requests that go.
type scopeUsage struct {
	budget.Usage
	going   int // requests that go
	changes int // how often Usage has changed

	starts   knownStarts    // before any request goes
	soaking  budget.Soaking // likewise
	pacer    *budget.Pacer  // with starts, and with places that soak
	starting budget.Usage   // requests that are disrupted, where the pool has paces, or budgets that soak
	taking   budget.Usage   // likewise, what they take in addition
	paced    bool
	after    *budget.Pacer // pacer, with the starts of requests that are disrupted
	afterAt  int           // used.changes when after was made
}

// A quota is what a pool's budgets allow for one reason.
type quota struct {
	*kind
	Allowance budget.Allowance
	InUse     int   // how much of Allowance is used up before any request goes
	Err       error // what is broken

	// Overdue is how many nodes may be in flight at once so that an overdue one may go, whatever windows and paces say.
	Overdue budget.Allowance

	MayStart budget.Allowance // how many nodes may start now, as far as paces go, before any request does
	Pacing   budget.Pacing

	taken   int              // how much of Allowance is used up, requests that are disrupted included
	takenAt int              // used.changes when taken was computed
	left    budget.Allowance // how many more may start, as far as paces go
	leftAt  int              // used.changes when left was computed
	never   answer
	until   time.Time // the answer of Until
	untilAt int       // 1 + used.changes when it was given

	refusal   []candidate.Blocker // the last answer of Blockers
	refusedAt int                 // used.changes when it was given
	waiting   []candidate.Blocker // the last answer of Refuse
	waitingAt int                 // used.changes when it was given
}

type answer int8

const (
	unasked answer = iota
	yes
	no
)

// Open finds out what the budgets of all layers allow for each kind of requests.
func (g *budgetGate) Open() {
	if g.layer > 0 { // the gate of pools opens the book of all layers
		return
	}
	f, now := g.fleet, g.now
	g.quotas, g.used = make([]quota, len(f.Kinds)), make([]scopeUsage, len(f.Scopes))
	starts, soaks := g.openStarts(), g.openSoaks()
	for i, p := range f.Scopes {
		g.used[i] = scopeUsage{
			Usage: p.InUse.Clone(), starts: starts[i], soaking: soaks[i].Soaking,
			pacer: p.Budgets.Pacer(p.Nodes, startTimes(starts[i])), paced: p.Budgets.Waits(),
		}
		g.used[i].pacer.Take(budget.Places{InUse: p.InUse, Gone: soaks[i].gone, Known: soaks[i].Since})
	}
	for i, k := range f.Kinds {
		q := &g.quotas[i]
		q.kind = k
		if p := k.Pool; !p.Ambiguous {
			q.Allowance, q.Err = budget.AllowedByReason(p.Budgets, now, p.Nodes, k.Reason)
			q.InUse = p.Budgets.InUse(now, p.Nodes, k.Reason, p.InUse)
			q.taken = q.InUse
			q.Pacing = g.used[p.Index].pacer.Pacing(now, k.Reason)
			q.MayStart = q.Pacing.MayStart(budget.Usage{}, budget.Usage{})
			q.left = q.MayStart
			if f.Dated {
				q.Overdue = p.Budgets.Overdue(p.Nodes, k.Reason)
			}
		}
	}
}

// Allows reports whether one more node of the pool may be disrupted for the request's reason, and may start now.
func (g *budgetGate) Allows(r *request) bool {
	if g.passes(r) {
		return true
	}
	q := &g.quotas[g.kind(r).Index]
	return q.Allowance.Remaining(g.taken(q)) > 0 && g.mayStart(q).Nodes > 0
}

// Blockers returns a blocker if no more nodes of the pool may be disrupted at once for the request's reason, and one if
// no more may start now. Requests of a kind share the answer.
func (g *budgetGate) Blockers(r *request) []candidate.Blocker {
	if g.Allows(r) {
		return nil
	}
	q := &g.quotas[g.kind(r).Index]
	if u := &g.used[q.Pool.Index]; q.refusal == nil || q.refusedAt != u.changes {
		q.refusal = liftingAt(g.allowsFrom(q, g.now), g.refuse(q, u.going))
		q.refusedAt = u.changes
	}
	return q.refusal
}

// refuse says what blocks a kind of requests.
func (b *book) refuse(q *quota, going int) (refusal []candidate.Blocker) {
	if q.Allowance.Remaining(b.taken(q)) <= 0 {
		refusal = append(refusal, candidate.Blocker{
			Gate: candidate.GateBudget, Code: q.code(),
			Message: q.sentence(b.now, b.taken(q)-q.InUse), Source: q.source(q.Allowance.Binding),
		})
	}
	may := b.mayStart(q)
	if may.Nodes > 0 {
		return refusal
	}
	soaks := q.Pool.Budgets.Soaks(may.Binding)
	if slow := may.Binding &^ soaks; slow != 0 {
		refusal = append(refusal, q.slow(b.now, slow, going))
	}
	if soaks != 0 {
		refusal = append(refusal, b.soaks(q, soaks, going))
	}
	return refusal
}

// taken returns how much of what is allowed is used up.
func (b *book) taken(q *quota) int {
	u := &b.used[q.Pool.Index]
	if q.takenAt != u.changes {
		q.taken = q.Pool.Budgets.InUse(b.now, q.Pool.Nodes, q.Reason, u.Usage)
		q.takenAt = u.changes
	}
	return q.taken
}

// Count counts a request against the budgets of its pool as it will count once it is in flight.
func (g *budgetGate) Count(r *request, n int) {
	scope := r.Pool.Within[g.layer]
	if scope == nil || r.Uncounted() {
		return
	}
	u := &g.used[scope.Index]
	g.countIn(&u.Usage, r, n)
	u.going += n
	u.changes++
	if u.paced {
		u.starting.Add(r.CountsFor(), n)
		g.countIn(&u.taking, r, n)
	}
}

func (g *budgetGate) countIn(u *budget.Usage, r *request, n int) {
	if g.joinsFlight(r) {
		u.AddNotReady(-n)
		u.Add("", n)
	} else {
		u.Add(r.CountsFor(), n)
	}
}

// joinsFlight reports whether the node of a request uses up budgets already because it is not Ready. Once disrupted, it
// is in flight instead. (In Karpenter's dialect it counts twice until then, as there.)
func (g *budgetGate) joinsFlight(r *request) bool {
	return r.NotReady() && !dialect.NotReadyTwice.In(g.fleet.Dialect)
}

// Quota returns what a pool's budgets allow for a kind of requests.
func (b *book) Quota(k *kind) *quota { return &b.quotas[k.Index] }

// Lasting returns a blocker if budgets never allow the request.
func (g *budgetGate) Lasting(r *request) []candidate.Blocker {
	if g.passes(r) || !g.neverAllows(g.kind(r)) {
		return nil
	}
	message := g.pool(r).Of() + "budgets never allow it for " + wording.Quote(string(r.Reason()))
	if !r.Deadline().IsZero() && !r.Kind.Excused {
		message += " before it is overdue"
	}
	return []candidate.Blocker{{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: message}}
}

// neverAllows reports whether the budgets will never let a request of a kind go, even if nothing is in use. A request
// that is not overdue yet has a kind of its own: once it is overdue, it may go.
func (b *book) neverAllows(k *kind) bool {
	q := &b.quotas[k.Index]
	if q.never == unasked {
		q.never = no
		if q.Allowance.Nodes == 0 && !(k.Excused && q.Overdue.Nodes > 0) {
			if room, end := k.Pool.Budgets.Room(b.now, k.Pool.Nodes, k.Reason, budget.Usage{}); !room && end.IsZero() {
				q.never = yes
			}
		}
	}
	return q.never == yes
}

// ReasonWarnings returns what is wrong with the reason asked for, and with other reasons of a pool's nodes.
func (b *book) ReasonWarnings(p *scope) (all []candidate.Warning) {
	for i, k := range p.Kinds {
		q := b.Quota(k)
		if k.Excused || !q.unknownReason() {
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
		meant := candidate.MeantReason(r)
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
	return append(all, b.inFlightWarnings(p)...)
}

// inFlightWarnings warns of nodes in flight for a reason that a pool's budgets cannot know: one warning for all.
func (b *book) inFlightWarnings(p *scope) []candidate.Warning {
	var first *candidate.Node
	nodes := 0
	for _, at := range b.fleet.InFlight {
		n := &b.fleet.Nodes[at]
		known := p.Budgets.Knows(n.DisruptedFor) || !dialect.AnyBudgetField.In(b.fleet.Dialect)
		if known || b.fleet.Pool(int(at)) != p {
			continue
		}
		if nodes++; first == nil || cmp.Or(strings.Compare(n.Name, first.Name),
			strings.Compare(string(n.DisruptedFor), string(first.DisruptedFor))) < 0 {
			first = n
		}
	}
	if first == nil {
		return nil
	}
	return []candidate.Warning{{
		Code: candidate.CodeUnknownReason, Field: "Node.DisruptedFor", Value: string(first.DisruptedFor),
		Message: fmt.Sprintf("in flight for a reason that no budget can know, and counted for every reason: %s, such "+
			"as %s for %.100q: write what candidate.ParseReason returns, or the name that budgets have",
			wording.Count(nodes, "node"), wording.Quote(first.Name), first.DisruptedFor),
	}}
}

func (q *quota) code() candidate.Code {
	var broken candidate.Warning
	switch {
	case q.unknownReason():
		return candidate.CodeUnknownReason
	case errors.As(q.Err, &broken) && broken.Code == candidate.CodeNoTime:
		return candidate.CodeNoTime
	case q.Err != nil:
		return candidate.CodeInvalidBudget
	case q.Allowance.Nodes == 0:
		return candidate.CodeAllowsNone
	}
	return candidate.CodeExhausted
}

// unknownReason reports whether Err is about the reason asked for, not about a budget.
func (q *quota) unknownReason() bool {
	var broken candidate.Warning
	return q.Err != nil && !errors.As(q.Err, &broken)
}

// sentence says how many nodes the budgets allow, how many are in use, with those that are disrupted in addition, and
// which budgets set that limit.
func (q *quota) sentence(now time.Time, going int) string {
	if q.Err != nil {
		return q.Pool.Of() + "no node may be disrupted: " + wording.Sentence(q.Err)
	}
	var s strings.Builder
	s.WriteString(q.Pool.Of())
	if q.Allowance.Nodes == 0 {
		fmt.Fprintf(&s, "0 of %s may be disrupted now", wording.Count(q.Pool.Nodes, "node"))
	} else {
		fmt.Fprintf(&s, "%d of %s may be disrupted at once", q.Allowance.Nodes, wording.Count(q.Pool.Nodes, "node"))
		if q.InUse > 0 {
			fmt.Fprintf(&s, ", %d %s", q.InUse, q.users())
		}
		if going > 0 {
			fmt.Fprintf(&s, ", %d allowed now", going)
		}
	}
	s.WriteString(": " + q.Describe(now, q.Allowance.Binding))
	return s.String()
}

// users says what uses up budgets for a reason: nodes that are not Ready do not use up what repairs them.
func (q *quota) users() string {
	switch {
	case candidate.Unhealthy.Covers(q.Reason):
		return "in flight"
	case q.Pool.InUse.Missing() > 0:
		return "in flight, not Ready or missing"
	}
	return "in flight or not Ready"
}

// source names budgets, for programs.
func (q *quota) source(which budget.Indexes) *candidate.Source {
	if which == 0 && !q.Pool.Grouped() {
		return nil
	}
	return &candidate.Source{Group: q.Pool.Group(), Budgets: slices.Collect(which.All())}
}

// Describe names budgets as they are at a time: "budgets[0] is 10%, budgets[2] is 5".
func (q *quota) Describe(at time.Time, which budget.Indexes) string {
	var texts []string
	for i := range which.All() {
		texts = append(texts, fmt.Sprintf("%s is %s", q.Pool.Budgets.Place(i), q.Pool.Budgets.Describe(i, at)))
	}
	return strings.Join(texts, ", ")
}
