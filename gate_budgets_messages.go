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

// refuse returns the blockers of a kind of requests, or of units of a size. Their other nodes are counted.
func (b *book) refuse(q *quota, size int) (refusal []candidate.Blocker) {
	u, s := b.use(q.Pool), b.standing(q)
	switch {
	case q.Allowance.Remaining(s.taken+s.reserved) > 0:
	case q.Allowance.Nodes > 0 && q.Allowance.Nodes < size:
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
	if slow := s.mayStart.Binding &^ soaks; slow != 0 {
		text := "start limit reached"
		if size > 1 {
			text = fmt.Sprintf("start limit reached: its unit has %d nodes", size)
		}
		if u.disrupted > 0 {
			text += fmt.Sprintf(", with %d allowed now", u.disrupted)
		}
		refusal = append(refusal, q.blocker(candidate.CodePaced, slow, text+": "+q.Describe(b.now, slow)))
	}
	if soaks != 0 {
		counts := slices.Concat(amount(q.InUse, q.users()), amount(soaking, "soaking"),
			amount(waiting, "not yet gone or replaced"), amount(u.disrupted, "allowed now"))
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
	counts := slices.Concat([]string{text}, amount(inUse, q.users()), amount(disrupted, "allowed now"))
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
	switch {
	case !errors.As(q.Err, &w):
		return candidate.CodeUnknownReason
	case w.Code == candidate.CodeNoTime:
		return candidate.CodeNoTime
	}
	return candidate.CodeInvalidBudget
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
	return slices.Concat(all, b.inFlightWarnings(p), b.shareWarnings(p))
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
