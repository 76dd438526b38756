package disruptkit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// signalGate is the gate of signals from outside: the probes and breakers of the pool, of its groups and of the whole
// cluster, and pauses.
type signalGate struct {
	said     [][]candidate.Blocker // by Kind
	until    []time.Time           // by Kind: when the first pause of all its requests begins
	verdicts [][]scopeVerdict      // by scope; those of a pool include those of its groups
	pauses   pauses
	fleet    *fleet
}

// A scopeVerdict is one of a pool, of a group, or of the cluster.
type scopeVerdict struct {
	probe.Verdict
	group string // whose it is; "": none
}

// newSignalGate returns the gate of a fleet.
func newSignalGate(f *fleet) *signalGate { return &signalGate{fleet: f} }

// Open finds out what signals say against each kind of requests.
func (g *signalGate) Open() {
	f := g.fleet
	g.said, g.verdicts = make([][]candidate.Blocker, len(f.Kinds)), make([][]scopeVerdict, len(f.Scopes))
	g.until = make([]time.Time, len(f.Kinds))
	g.pauses = openPauses(f)
	methods := methodsOf(f)
	for _, p := range f.Scopes {
		if !p.Ambiguous { // otherwise it is unclear which pool they concern
			g.verdicts[p.Index] = verdictsFor(p, f.Verdicts, methods)
		}
	}
	for _, k := range f.Kinds {
		g.said[k.Index] = g.against(k, nil)
		for _, p := range g.pauses.wide[k.Index] {
			_, change := p.State(f.Now)
			g.until[k.Index] = schedule.First(g.until[k.Index], change)
		}
	}
	g.limitWhatLasts()
}

// limitWhatLasts notes when pauses of single domains begin or end: what lasts of a request changes then.
func (g *signalGate) limitWhatLasts() {
	if len(g.pauses.all) == 0 {
		return
	}
	for i := range g.fleet.Requests {
		r := &g.fleet.Requests[i]
		if r.Kind == nil {
			continue
		}
		for p := range g.domainPauses(r) {
			_, change := p.State(g.fleet.Now)
			r.Kind.Lasts = schedule.First(r.Kind.Lasts, change)
		}
	}
}

// verdictsFor returns what the verdicts of the cluster, of a pool and of its groups say about that pool. Of a group it
// returns what the group's own say about all its pools.
func verdictsFor(p *scope, cluster []probe.Verdict, methods []candidate.Reason) (all []scopeVerdict) {
	hear := func(verdicts []probe.Verdict, group, pool string) {
		for _, v := range verdicts {
			all = append(all, scopeVerdict{enforcedVerdict(v, methods).For(pool, p.Labels), group})
		}
	}
	if p.Grouped() {
		hear(p.Verdicts, p.Name, "")
		return all
	}
	hear(cluster, "", p.Name)
	for _, scope := range p.Within {
		if scope != nil {
			hear(scope.Verdicts, scope.Group(), p.Name)
		}
	}
	return all
}

// against returns what signals say against a kind of requests, and of them against those of a node. Without a node, it
// leaves out pauses of single domains.
func (g *signalGate) against(k *kind, n *candidate.Node) (blockers []candidate.Blocker) {
	all := g.sources(k, n)
	for _, s := range all {
		b, blocked := s.blocker()
		if !blocked {
			continue
		}
		b.Until = firstFree(g.fleet.Now, func(at time.Time) (blocks bool, change time.Time) {
			for _, other := range all {
				if other.name == s.name {
					blocked, next := other.blocks(at)
					blocks, change = blocks || blocked, schedule.First(change, next)
				}
			}
			return blocks, change
		})
		blockers = append(blockers, b)
	}
	slices.SortStableFunc(blockers, candidate.Blocker.Compare)
	return blockers
}

// A signalSource is a probe, a breaker or a pause that concerns some requests, whether it blocks them now or not.
// Sources of one name are one to people: they lift together.
type signalSource struct {
	name    signalName
	blocks  func(at time.Time) (blocks bool, change time.Time)
	blocker func() (b candidate.Blocker, blocked bool) // now
}

// A signalName is that of a probe, or what a pause is known by.
type signalName struct {
	group, probe, by, why string
	pause                 bool
}

// sources returns the signals that concern a kind of requests, and of them those of a node. Without a node, it leaves
// out pauses of single domains.
func (g *signalGate) sources(k *kind, n *candidate.Node) (all []signalSource) {
	add := func(p *paused, blockers []candidate.Blocker) {
		all = append(all, signalSource{
			signalName{by: p.By, why: p.Why, pause: true}, p.State,
			func() (candidate.Blocker, bool) { return blockers[0], p.holds },
		})
	}
	for i := range g.pauses.wide[k.Index] {
		p := &g.pauses.wide[k.Index][i]
		add(p, p.inside)
	}
	for i := range g.pauses.byKind[k.Index] {
		if p := &g.pauses.byKind[k.Index][i]; n != nil {
			if blockers := p.against(n); len(blockers) > 0 {
				add(p, blockers)
			}
		}
	}
	pool := k.Pool.Name
	if k.Pool.Grouped() {
		pool = ""
	}
	for _, v := range g.verdicts[k.Pool.Index] {
		against := func(at time.Time) (b candidate.Blocker, blocked bool) {
			if b, blocked = v.Blocker(k.Reason, pool, k.Pool.Labels, at); blocked && v.group != "" {
				b = inGroup(v.group, b)
			}
			return b, blocked
		}
		all = append(all, signalSource{
			signalName{group: v.group, probe: v.Probe},
			func(at time.Time) (bool, time.Time) {
				_, blocked := against(at)
				return blocked, v.NextChange(at)
			},
			func() (candidate.Blocker, bool) { return against(g.fleet.Now) },
		})
	}
	return all
}

// Allows reports whether no signal blocks the request.
func (g *signalGate) Allows(r *request) bool {
	return r.Kind == nil || len(g.said[r.Kind.Index]) == 0 && len(g.pauses.zoned(r)) == 0
}

// Blockers returns what signals say against the request.
func (g *signalGate) Blockers(r *request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	if len(g.pauses.byKind[r.Kind.Index]) > 0 && !g.pauses.distinct {
		return g.against(r.Kind, r.Node)
	}
	return joined(g.said[r.Kind.Index], g.pauses.zoned(r))
}

// Until returns when the first pause begins that concerns the request. Probes go on to be answered.
func (g *signalGate) Until(r *request) time.Time {
	end := g.until[r.Kind.Index]
	for p := range g.domainPauses(r) {
		_, change := p.State(g.fleet.Now)
		end = schedule.First(end, change)
	}
	return end
}

// Count does nothing.
func (g *signalGate) Count(*request, int) {}

// NextChange returns when the first answer goes stale, or a pause begins or ends.
func (g *signalGate) NextChange() (next time.Time) {
	for v := range g.all() {
		next = schedule.First(next, v.NextChange(g.fleet.Now))
	}
	for _, p := range g.pauses.all {
		_, change := p.State(g.fleet.Now)
		next = schedule.First(next, change)
	}
	return next
}

// Lasting returns what pauses of its domain say against the request, for which no roll waits.
func (g *signalGate) Lasting(r *request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return g.pauses.zoned(r)
}

// Against returns what signals say against a kind of requests.
func (g *signalGate) Against(k *kind) []candidate.Blocker { return g.said[k.Index] }

// all yields the verdicts that count for any pool.
func (g *signalGate) all() iter.Seq[probe.Verdict] {
	return func(yield func(probe.Verdict) bool) {
		for _, verdicts := range g.verdicts {
			for _, v := range verdicts {
				if !yield(v.Verdict) {
					return
				}
			}
		}
	}
}

// written yields all verdicts of the input.
func (g *signalGate) written() iter.Seq[probe.Verdict] {
	return func(yield func(probe.Verdict) bool) {
		lists := [][]probe.Verdict{g.fleet.Verdicts}
		for _, p := range g.fleet.Input.Pools {
			lists = append(lists, p.Verdicts)
		}
		for _, p := range g.fleet.Input.Groups {
			lists = append(lists, p.Verdicts)
		}
		for _, v := range slices.Concat(lists...) {
			if !yield(v) {
				return
			}
		}
	}
}

// A denialTarget is a selector of pools to which a probe denies something.
type denialTarget struct {
	probe    string
	selector probe.PoolSelector
}

// addTargets adds the targets of a verdict.
func addTargets(all map[denialTarget]bool, v probe.Verdict) {
	for _, d := range v.Denied {
		for _, s := range d.Pools {
			all[denialTarget{v.Probe, s}] = true
		}
	}
}

// Warnings returns the warnings about pauses, and a warning for each target of a signal that selects none of the
// signal's pools.
func (g *signalGate) Warnings() []candidate.Warning {
	written, met := map[denialTarget]bool{}, map[denialTarget]bool{}
	for v := range g.written() {
		addTargets(written, v)
	}
	for v := range g.all() { // verdictsFor has left only the denials that concern the pool
		addTargets(met, v)
	}
	warnings := g.reasonWarnings()
	for t := range written {
		if !met[t] {
			warnings = append(warnings, candidate.Warning{
				Code: candidate.CodeUnknownPool, Object: "DisruptionProbe/" + t.probe,
				Field: "nodePools", Value: string(t.selector),
				Message: fmt.Sprintf("no pool that it counts for has the name or the label %.100q, "+
					"and nothing is denied there: write a pool's name, key=value or the value of a label", t.selector),
			})
		}
	}
	slices.SortFunc(warnings, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Field, b.Field),
			strings.Compare(a.Value, b.Value))
	})
	return append(warnings, g.pauses.warnings(g.fleet.Input)...)
}
