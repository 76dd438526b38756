package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/census"
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
	disrupting budget.Usage // of those, in flight or not Ready
	quotas     []*quota     // by reason; the first is the one asked for, some may be of reasons that are not
	byReason   map[candidate.Reason]*quota

	members  []member      // its nodes, if it has zonings
	zonings  []*zoning     // in the order of the budgets: those on which a decision for the reason asked for depends
	order    *zoning       // the one of them that orders the pool, if any
	zonesEnd time.Time     // up to which the same budgets with a topology key concern the reason
	unzoned  time.Time     // the same, if none is active then
	roll     topology.Roll // of the last decision

	// So far in this decision:
	used    budget.Usage             // disrupting, and those
	soon    budget.Usage             // the same, and those that time alone lets go next
	counted map[*candidate.Node]bool // those of several reasons that are in soon
	place
	pods *pods
}

// A member is a node of a pool, and the range of its requests.
type member struct {
	node      *candidate.Node
	duplicate bool
	from, to  int
}

// pools are sorted by name.
type pools []*pool

// newPools returns the pools, and that of each node: nil if it is not in the input.
func newPools(in Input, reason candidate.Reason, counted census.Census, pods *pods) (ps pools, owners []*pool) {
	for _, c := range counted.Pools {
		p := &pool{Pool: in.Pools[c.Index], ambiguous: c.Ambiguous, nodes: c.Nodes, disrupting: c.Disrupting}
		p.now, p.pods, p.byReason, p.roll = in.Now, pods, map[candidate.Reason]*quota{}, in.Rolls[p.Name]
		if p.ambiguous {
			p.Verdicts, p.Blockers = nil, nil // nobody knows whose
		} else {
			p.hear(in.Verdicts)
			p.findZonings(reason)
		}
		p.used, p.soon = p.disrupting.Clone(), p.disrupting.Clone()
		p.quota(reason)
		ps = append(ps, p)
	}
	owners = make([]*pool, len(in.Nodes))
	for i, at := range counted.Owners {
		if at >= 0 {
			owners[i] = ps[at]
		}
	}
	return ps, owners
}

// countNodes counts the nodes of each pool.
func countNodes(in Input) census.Census {
	names := make([]string, len(in.Pools))
	for i, p := range in.Pools {
		names[i] = p.Name
	}
	return census.Take(names, in.Nodes)
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

// judge adds what signals, PDBs, the pool's budgets and its topology say to the blockers of its next candidate, and
// takes it into account if it may go now, up to an end, or later.
func (p *pool) judge(r *request, own []candidate.Blocker) (blockers []candidate.Blocker, end time.Time) {
	q := p.quota(r.condition.Reason)
	used := q.inUse(p.used)
	own = joined(own, q.signals)
	at, lifts := candidate.Lift(own)
	alone := chance{at, lifts} // if nothing but time changes what it waits for
	anyhow := alone            // the same, or somebody who may go now leaves his place

	spent := p.pods.refuse(r.pods, &anyhow)
	blockers = joined(own, spent)
	foreseen := !slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.Code != candidate.CodeDisruptAfter })
	if q.allowance.Remaining(used) == 0 {
		from := q.hasRoomFrom(p.used, &q.soonest)
		alone.wait(from)
		anyhow.wait(until.First(from, p.leaves))
		blockers = joined(blockers, q.blockers())
	}
	for _, z := range q.zonings {
		if said, change := z.blockers(r.node); len(said) > 0 {
			alone.wait(change)
			anyhow.wait(until.First(change, p.leaves))
			blockers = joined(blockers, said)
		}
	}
	if foreseen && len(blockers) > 0 {
		blockers = joined(blockers, q.later(r, blockers))
	}
	if len(blockers) == 0 {
		return nil, p.let(r, q, used)
	}
	r.displaced = len(own) == 0 && q.lets(r.node)
	if len(spent) > 0 { // whoever leaves a PDB need not have been in this pool
		alone = anyhow
	}
	if alone.ok {
		p.wait(r, alone.at)
	}
	if anyhow.ok {
		p.pods.come(r.pods, anyhow.at)
	}
	return blockers, time.Time{}
}

// let lets a candidate go: as long as more nodes may be disrupted than were in use before it, none that cannot go now takes
// its place, and no window of its pods closes.
func (p *pool) let(r *request, q *quota, used int) (end time.Time) {
	for _, t := range []time.Time{p.zonesEnd, q.end(used), p.loses(r, q), p.pods.loses(r.pods), r.pods.Until} {
		end = until.First(end, t)
	}
	p.used.Add(r.condition.Reason, 1)
	p.soon.Add(r.condition.Reason, 1)
	p.mayGoFor(r)
	p.leave(end)
	p.take(r.node, q)
	p.pods.let(r.pods, end)
	return end
}

// lets reports whether budgets and topology would let a node go if none had been let go before it.
func (q *quota) lets(n *candidate.Node) bool {
	return q.allowance.Remaining(q.disrupting) > 0 && !slices.ContainsFunc(q.zonings, func(z *zoning) bool {
		domain, concerned := z.domain(n)
		return concerned && !z.turn.Allows(domain, 0)
	})
}

// loses returns when those who come may take the place of a candidate. There may be room for all of them up to a time.
func (p *pool) loses(r *request, q *quota) time.Time {
	soon := q.inUse(p.soon)
	room := q.allowance.Remaining(soon) > 0
	for _, z := range q.zonings {
		domain, concerned := z.domain(r.node)
		room = room && (!concerned || z.turn.Allows(domain, z.taken[domain]+z.waiting[domain]))
	}
	if p.comes.IsZero() || !room {
		return p.comes
	}
	end := q.end(soon)
	if end.IsZero() {
		return end
	}
	return until.Latest(p.comes, end)
}

// taken returns how many candidates may go, so far in this decision.
func (p *pool) taken() int { return p.used.Total() - p.disrupting.Total() }

// wait counts a candidate that time alone lets go, at the earliest at a time.
func (p *pool) wait(r *request, at time.Time) {
	p.come(at)
	p.waitInDomain(r.node)
	if !p.counted[r.node] {
		p.soon.Add(r.condition.Reason, 1)
		p.mayGoFor(r)
	}
}

// mayGoFor counts that a node of several reasons may go for another of them later, once: where the most specific
// budgets decide, for each of them, since it may use up other budgets then.
func (p *pool) mayGoFor(r *request) {
	if len(r.node.Conditions) < 2 || p.counted[r.node] {
		return
	}
	if p.counted == nil {
		p.counted = map[*candidate.Node]bool{}
	}
	p.counted[r.node] = true
	for _, c := range r.node.Conditions {
		if p.Budgets.MostSpecific() && c.Reason != r.condition.Reason {
			p.soon.Add(c.Reason, 1)
		}
	}
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
				Nodes: p.nodes, Disrupting: q.disrupting,
				Allowance: q.allowance, Remaining: q.allowance.Remaining(q.disrupting),
				Blockers: joined(p.Blockers, q.signals),
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
