package gate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// Signals is the gate of signals from outside: the probes and breakers of the pool and of the whole cluster, and
// pauses.
type Signals struct {
	said     [][]candidate.Blocker // by Kind
	verdicts [][]probe.Verdict     // by pool
	pauses   pauses
	in       Input
}

func openSignals(pools []*Pool, kinds []*Kind, in Input) *Signals {
	g := &Signals{make([][]candidate.Blocker, len(kinds)), make([][]probe.Verdict, len(pools)), openPauses(kinds, in), in}
	for _, p := range pools {
		if !p.Ambiguous { // otherwise it is unclear which pool they concern
			g.verdicts[p.Index] = heard(p, in.Verdicts)
		}
	}
	for _, k := range kinds {
		g.said[k.Index] = g.against(k)
	}
	return g
}

// heard returns what the verdicts of the cluster and of a pool say about that pool.
func heard(p *Pool, cluster []probe.Verdict) []probe.Verdict {
	verdicts := slices.Concat(cluster, p.Verdicts)
	for i, v := range verdicts {
		verdicts[i] = v.For(p.Name, p.Labels)
	}
	return verdicts
}

// against returns what probes, breakers and pauses say against a kind of requests.
func (g *Signals) against(k *Kind) []candidate.Blocker {
	blockers := g.pauses.against(k)
	for _, v := range g.verdicts[k.Pool.Index] {
		if b, blocked := v.Blocker(k.Reason, k.Pool.Name, k.Pool.Labels, g.in.Now); blocked {
			blockers = append(blockers, b)
		}
	}
	slices.SortFunc(blockers, candidate.Blocker.Compare)
	return blockers
}

// Judge returns what signals say against the request.
func (g *Signals) Judge(r *Request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return joined(g.said[r.Kind.Index], g.pauses.zoned(r))
}

// Go and Return change nothing: signals do not depend on what goes.
func (g *Signals) Go(*Request)     {}
func (g *Signals) Return(*Request) {}

// Against returns what signals say against a kind of requests.
func (g *Signals) Against(k *Kind) []candidate.Blocker { return g.said[k.Index] }

// All yields the verdicts that count for any pool.
func (g *Signals) All() iter.Seq[probe.Verdict] {
	return func(yield func(probe.Verdict) bool) {
		for _, verdicts := range g.verdicts {
			for _, v := range verdicts {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// A target is a selector of pools to which a probe denies something.
type target struct {
	probe    string
	selector probe.PoolSelector
}

// targets adds the targets of a verdict.
func targets(all map[target]bool, v probe.Verdict) {
	for _, d := range v.Denied {
		for _, s := range d.Pools {
			all[target{v.Probe, s}] = true
		}
	}
}

// Warnings returns the warnings about pauses, and a warning for each target of a signal that selects none of the
// signal's pools.
func (g *Signals) Warnings() []candidate.Warning {
	written, met := map[target]bool{}, map[target]bool{}
	for _, v := range g.in.Verdicts {
		targets(written, v)
	}
	for _, p := range g.in.Pools {
		for _, v := range p.Verdicts {
			targets(written, v)
		}
	}
	for v := range g.All() { // heard has left only the denials that concern the pool
		targets(met, v)
	}
	var warnings []candidate.Warning
	for t := range written {
		if !met[t] {
			warnings = append(warnings, candidate.Warning{
				Code: candidate.CodeUnknownPool, Object: "DisruptionProbe/" + t.probe, Field: "nodePools", Value: string(t.selector),
				Message: fmt.Sprintf("no pool that it counts for has the name or the label %.100q, and nothing is denied there: write a pool's name, key=value or the value of a label", t.selector),
			})
		}
	}
	slices.SortFunc(warnings, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Value, b.Value))
	})
	return append(warnings, g.pauses.warnings(g.in)...)
}
