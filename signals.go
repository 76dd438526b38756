package disruptkit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/probe"
)

// hear takes to a pool what verdicts of the cluster and its own say of it.
func (p *pool) hear(cluster []probe.Verdict) {
	p.Verdicts = slices.Concat(cluster, p.Verdicts)
	for i, v := range p.Verdicts {
		p.Verdicts[i] = v.For(p.Name, p.Labels)
	}
}

// signals returns what probes and breakers say against disrupting a pool's nodes for a reason.
func (p *pool) signals(reason candidate.Reason) []candidate.Blocker {
	var blockers []candidate.Blocker
	for _, v := range p.Verdicts {
		if b, blocked := v.Blocker(reason, p.Name, p.Labels, p.now); blocked {
			blockers = append(blockers, b)
		}
	}
	slices.SortFunc(blockers, candidate.Blocker.Compare)
	return blockers
}

// nextSignal returns when time alone may first change what any of them says.
func (ps pools) nextSignal() time.Time {
	var next time.Time
	for _, p := range ps {
		for _, v := range p.Verdicts {
			next = until.First(next, v.NextChange(p.now))
		}
	}
	return next
}

// A target is what a signal denies something to.
type target struct {
	probe    string
	selector probe.PoolSelector
}

// targets yields those of the verdicts.
func targets(verdicts []probe.Verdict) iter.Seq[target] {
	return func(yield func(target) bool) {
		for _, v := range verdicts {
			for _, d := range v.Denied {
				for _, s := range d.Pools {
					if !yield(target{v.Probe, s}) {
						return
					}
				}
			}
		}
	}
}

// strayDenials returns a warning of each target that is no pool for which the signal counts.
func (ps pools) strayDenials(in Input) []candidate.Warning {
	stray := map[target]bool{}
	for t := range targets(in.Verdicts) {
		stray[t] = true
	}
	for _, p := range in.Pools {
		for t := range targets(p.Verdicts) {
			stray[t] = true
		}
	}
	for _, p := range ps {
		for t := range targets(p.Verdicts) { // those left are of the pool
			delete(stray, t)
		}
	}
	warnings := make([]candidate.Warning, 0, len(stray))
	for t := range stray {
		warnings = append(warnings, candidate.Warning{
			Code: candidate.CodeUnknownPool, Object: "DisruptionProbe/" + t.probe, Field: "nodePools", Value: string(t.selector),
			Message: fmt.Sprintf("no pool that it counts for has the name or the label %.100q, and nothing is denied there: write a pool's name, key=value or the value of a label", t.selector),
		})
	}
	slices.SortFunc(warnings, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Value, b.Value))
	})
	return warnings
}
