package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A pool is a Pool while a decision is made.
type pool struct {
	Pool
	ambiguous  bool // another has its name
	now        time.Time
	nodes      int
	disrupting int
	quotas     []*quota // by reason; the first is the one asked for
	byReason   map[candidate.Reason]*quota

	// So far in this decision:
	taken   int       // candidates that may go
	waiting int       // candidates that time alone will let go
	next    time.Time // when it lets the first of those go
}

// pools are sorted by name.
type pools []*pool

func newPools(in Input, reason candidate.Reason, names duplicateNames) pools {
	var ps pools
	for _, p := range in.Pools {
		ps = append(ps, &pool{Pool: p, now: in.Now, byReason: map[candidate.Reason]*quota{}})
	}
	slices.SortStableFunc(ps, func(a, b *pool) int { return cmp.Compare(a.Name, b.Name) })
	ps = slices.CompactFunc(ps, func(a, b *pool) bool {
		if a.Name != b.Name {
			return false
		}
		a.ambiguous, b.ambiguous = true, true
		return true
	})
	ps.count(in.Nodes, names)
	for _, p := range ps {
		p.quota(reason)
	}
	return ps
}

// of returns the pool of a name, or nil.
func (ps pools) of(name string) *pool {
	i, ok := slices.BinarySearchFunc(ps, name, func(p *pool, name string) int { return cmp.Compare(p.Name, name) })
	if !ok {
		return nil
	}
	return ps[i]
}

// count counts as Karpenter does (BuildDisruptionBudgetMapping), but for duplicate names.
func (ps pools) count(nodes []candidate.Node, names duplicateNames) {
	for i := range nodes {
		n := &nodes[i]
		if !n.Counted() {
			continue
		}
		if p := ps.of(n.Pool); p != nil {
			if !names[n.Name] {
				p.nodes++
			}
			if n.Disrupting() {
				p.disrupting++
			}
		}
	}
}

// judge adds what the pool's budgets say to the blockers of its next candidate, and takes it into account if it may go
// now or, by time alone, later.
func (p *pool) judge(reason candidate.Reason, blockers []candidate.Blocker) []candidate.Blocker {
	q := p.quota(reason)
	used := p.disrupting + p.taken
	if len(q.unsupported) > 0 {
		blockers = append(blockers, q.unsupported...)
	}
	if q.allowance.Remaining(used) == 0 {
		said := q.blockers(used + p.waiting)
		if len(blockers) == 0 {
			blockers = said // shared
		} else {
			blockers = append(blockers, said...)
		}
	}
	if len(blockers) == 0 {
		q.granted = append(q.granted, grant{used, p.next})
		p.taken++
	} else if at, ok := lift(blockers); ok {
		p.waiting++
		p.next = soonest(p.next, at)
	}
	return blockers
}

// lift returns when the last of the blockers lifts, if all do.
func lift(blockers []candidate.Blocker) (at time.Time, ok bool) {
	for _, b := range blockers {
		if b.Until.IsZero() {
			return time.Time{}, false
		}
		if b.Until.After(at) {
			at = b.Until
		}
	}
	return at, true
}

// decisions returns the numbers of each pool and quota.
func (ps pools) decisions() []PoolDecision {
	var ds []PoolDecision
	for _, p := range ps {
		slices.SortStableFunc(p.quotas[1:], func(a, b *quota) int { return cmp.Compare(a.reason, b.reason) }) // [0] was asked
		for _, q := range p.quotas {
			d := PoolDecision{
				Pool: p.Name, Reason: q.reason,
				Nodes: p.nodes, Disrupting: p.disrupting,
				Allowance: q.allowance, Remaining: q.allowance.Remaining(p.disrupting),
			}
			if !p.ambiguous {
				d.Until = budget.Until(p.Budgets, p.now, p.nodes, q.reason)
			}
			ds = append(ds, d)
		}
	}
	return ds
}

// warnings returns what is wrong with the pools.
func (ps pools) warnings() []candidate.Warning {
	var all []candidate.Warning
	for _, p := range ps {
		warn := func(w candidate.Warning) {
			w.Object = "NodePool/" + p.Name
			all = append(all, w)
		}
		if p.ambiguous {
			warn(candidate.Warning{Code: candidate.CodeUnknownPool, Field: "name", Value: p.Name,
				Message: fmt.Sprintf("several pools are called %q, and nobody knows whose budgets hold: write each pool once", p.Name)})
			continue
		}
		for _, w := range p.Budgets.Warnings() {
			warn(w)
		}
		written := p.Budgets.Budgets()
		for i := range p.Budgets.Scoped("").All() {
			key := written[i].TopologyKey
			warn(candidate.Warning{Code: candidate.CodeUnsupported, Field: fmt.Sprintf("budgets[%d].topologyKey", i), Value: key,
				Message: fmt.Sprintf("this version cannot limit each %q on its own, and disrupts nothing that the budget covers: "+
					"write a budget for the whole pool, or wait for one that can", key)})
		}
		if q := p.quotas[0]; q.unknownReason() {
			warn(candidate.Warning{Code: candidate.CodeUnknownReason, Value: string(q.reason), Message: q.err.Error()})
		}
	}
	return all
}
