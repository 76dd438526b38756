package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// A pool is a Pool while a decision is made.
type pool struct {
	Pool
	ambiguous  bool // another has its name
	warnings   []candidate.Warning
	now        time.Time
	nodes      int
	disrupting int
	quotas     []*quota // by reason; the first is the one asked for, some may be of reasons that are not
	byReason   map[candidate.Reason]*quota

	members  []member      // its nodes, if it has zonings
	zonings  []*zoning     // in the order of the budgets: those on which a decision for the reason asked for depends
	order    *zoning       // the one of them that orders the pool, if any
	zonesEnd time.Time     // up to which the same budgets with a topology key concern the reason
	unzoned  time.Time     // the same, if none is active then
	roll     topology.Roll // of the last decision

	// So far in this decision:
	taken   int       // candidates that may go
	waiting int       // candidates that time alone will let go
	next    time.Time // when it lets the first of those go
}

// A member is a node of a pool, and the range of its requests.
type member struct {
	node      *candidate.Node
	duplicate bool
	from, to  int
}

// pools are sorted by name.
type pools []*pool

func newPools(in Input, reason candidate.Reason, names duplicateNames) pools {
	var ps pools
	for _, p := range in.Pools {
		ps = append(ps, &pool{Pool: p, now: in.Now, byReason: map[candidate.Reason]*quota{}, roll: in.Rolls[p.Name]})
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
		if !p.ambiguous {
			p.findZonings(reason)
		}
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

// selectDomains decides whose turn it is.
func (ps pools) selectDomains(requests []request) {
	for _, p := range ps {
		for _, z := range p.zonings {
			if !z.orders() {
				z.selects(requests)
			}
		}
		if p.order != nil {
			p.order.selects(requests) // where others let nothing go, no turn is waited for
		}
	}
}

// judge adds what the pool's budgets and its topology say to the blockers of its next candidate, and takes it into
// account if it may go now or, by time alone, later.
func (p *pool) judge(r *request, blockers []candidate.Blocker) []candidate.Blocker {
	q := p.quota(r.condition.Reason)
	used, own := p.disrupting+p.taken, len(blockers)
	earliest, lifts := candidate.Lift(blockers) // when it may go at the earliest, if it may
	if q.allowance.Remaining(used) == 0 {
		rises := q.risesAbove(used, &q.soonest)
		earliest, lifts = latest(earliest, rises), lifts && !rises.IsZero()
		blockers = joined(blockers, q.blockers(used+p.waiting))
	}
	for _, z := range q.zonings {
		said, change := z.blockers(r.node)
		earliest, lifts = latest(earliest, change), lifts && (len(said) == 0 || !change.IsZero())
		blockers = joined(blockers, said)
	}
	if own == 0 && len(blockers) > 0 {
		blockers = joined(blockers, q.later(r.node, blockers, used+p.waiting))
	}
	switch {
	case len(blockers) == 0:
		q.granted = append(q.granted, grant{used, p.next})
		p.taken++
		p.take(r.node, q)
	case lifts:
		p.waiting++
		p.next = until.First(p.next, earliest)
		p.wait(r.node)
	}
	return blockers
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// joined returns all blockers: shared, if one of the lists is empty.
func joined(blockers, more []candidate.Blocker) []candidate.Blocker {
	if len(blockers) == 0 {
		return more
	}
	return append(slices.Clip(blockers), more...)
}

// decisions returns the numbers of each pool and quota.
func (ps pools) decisions() []PoolDecision {
	var ds []PoolDecision
	for _, p := range ps {
		slices.SortStableFunc(p.quotas[1:], func(a, b *quota) int { return cmp.Compare(a.reason, b.reason) }) // [0] was asked
		for _, q := range p.quotas {
			if !p.quotas[0].reason.Covers(q.reason) {
				continue // only a turn depended on it
			}
			d := PoolDecision{
				Pool: p.Name, Reason: q.reason,
				Nodes: p.nodes, Disrupting: p.disrupting,
				Allowance: q.allowance, Remaining: q.allowance.Remaining(p.disrupting),
			}
			for _, z := range q.zonings {
				d.Topology = append(d.Topology, z.turn)
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
		for _, w := range p.warnings {
			warn(w)
		}
		if q := p.quotas[0]; q.unknownReason() {
			warn(candidate.Warning{Code: candidate.CodeUnknownReason, Value: string(q.reason), Message: q.err.Error()})
		}
	}
	return all
}
