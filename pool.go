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
	quotas     []*quota

	// So far in this decision:
	allowed int       // candidates that may go
	waiting int       // candidates that only budgets hold back, and not for good
	lifts   time.Time // when the first of those may go
}

// pools are sorted by name.
type pools []*pool

func newPools(in Input, reason candidate.Reason, names duplicateNames) pools {
	var ps pools
	for _, p := range in.Pools {
		ps = append(ps, &pool{Pool: p, now: in.Now})
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

// count counts as Karpenter does (BuildDisruptionBudgetMapping).
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

// judge adds what the pool's budgets say to the blockers of its next candidate, and takes it into account if nothing
// holds it back.
func (p *pool) judge(reason candidate.Reason, blockers []candidate.Blocker) []candidate.Blocker {
	q := p.quota(reason)
	used := p.disrupting + p.allowed
	free := len(blockers) == 0
	switch {
	case q.allowance.Remaining(used) == 0 && free:
		blockers = q.blockers(used + p.waiting)
		if until := blockers[len(blockers)-1].Until; !until.IsZero() {
			p.waiting++
			p.lifts = soonest(p.lifts, until)
		}
	case q.allowance.Remaining(used) == 0:
		blockers = append(blockers, q.blockers(used+p.waiting)...)
	case free:
		q.granted = append(q.granted, grant{used, p.lifts})
		p.allowed++
	}
	return blockers
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
				Message: fmt.Sprintf("two pools are called %q, and nobody knows whose budgets hold: write each pool once", p.Name)})
			continue
		}
		for _, w := range p.Budgets.Warnings() {
			warn(w)
		}
		written := p.Budgets.Budgets()
		for _, i := range p.Budgets.Scoped() {
			warn(candidate.Warning{Code: codeTopologyIgnored, Field: fmt.Sprintf("budgets[%d].topologyKey", i), Value: written[i].TopologyKey,
				Message: fmt.Sprintf("the limit for each %q is not applied by this version: set a limit for the pool, too", written[i].TopologyKey)})
		}
		if q := p.quotas[0]; q.unknownReason() {
			warn(candidate.Warning{Code: candidate.CodeUnknownReason, Value: string(q.reason), Message: q.err.Error()})
		}
	}
	return all
}

// codeTopologyIgnored warns that a budget for single domains has no effect.
const codeTopologyIgnored = "topology-ignored"
