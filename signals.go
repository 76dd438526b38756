package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// signals returns what probes and breakers say against disrupting a pool's nodes for a reason.
func (p *pool) signals(reason candidate.Reason) []candidate.Blocker {
	var blockers []candidate.Blocker
	for _, v := range p.Verdicts {
		if b, blocked := v.Blocker(reason, p.Name, p.Labels, p.now); blocked {
			blockers = append(blockers, b)
		}
	}
	slices.SortFunc(blockers, func(a, b candidate.Blocker) int {
		return cmp.Or(strings.Compare(a.Message, b.Message), strings.Compare(a.Code, b.Code), a.Until.Compare(b.Until))
	})
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

// strayDenials returns a warning of each denial that means a pool which is not in the input.
func strayDenials(in Input) []candidate.Warning {
	verdicts := slices.Clone(in.Verdicts)
	for _, p := range in.Pools {
		verdicts = append(verdicts, p.Verdicts...)
	}
	var stray []candidate.Warning
	for _, v := range verdicts {
		for _, d := range v.Denied {
			for _, s := range d.Pools {
				if slices.ContainsFunc(in.Pools, func(p Pool) bool { return s.Selects(p.Name, p.Labels) }) {
					continue
				}
				stray = append(stray, candidate.Warning{
					Code: candidate.CodeUnknownPool, Object: "DisruptionProbe/" + v.Probe, Field: "nodePools", Value: string(s),
					Message: fmt.Sprintf("no pool has the name or the label %.100q, and nothing is denied there: write a pool's name, key=value or the value of a label", s),
				})
			}
		}
	}
	slices.SortFunc(stray, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Value, b.Value))
	})
	return slices.Compact(stray)
}
