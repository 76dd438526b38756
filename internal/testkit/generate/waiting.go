package generate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Waiting generates small fleets in which most candidates wait: for windows and paces of budgets, for pods, pauses and
// deadlines, and for older candidates that come first. Nearly all of it changes within a day.
func Waiting(s Source) disruptkit.Input { return waiting(s, few, few, closing, closing, allowing) }

// WaitingInZones generates the same, with budgets for single zones.
func WaitingInZones(s Source) disruptkit.Input { return waiting(s, few, closing, turning) }

func waiting(s Source, kinds ...func(Source, time.Time) budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: Now(s), Memory: map[string]disruptkit.Memory{}}
	in.Rules, _ = candidate.CompileRules([]candidate.PDB{
		{
			Namespace: "shop", Name: "web", DisruptionsAllowed: s.Between(0, 2),
			Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "web"}},
		},
	}, nil)
	in.Pools = several(s, 1, 2, func(s Source) disruptkit.Pool {
		spec := budget.Spec{
			MostSpecific: s.seldom(),
			Budgets:      several(s, 1, 4, func(s Source) budget.Budget { return pick(s, kinds...)(s, in.Now) }),
		}
		set, _ := spec.Compile()
		return disruptkit.Pool{Budgets: set}
	})
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Name = fmt.Sprintf("pool-%d", i)
		m := disruptkit.Memory{Roll: Roll(in.Now)(s)}
		if s.seldom() {
			m.Backoff = disruptkit.Backoff{
				Level: 1, Until: in.Now.Add(time.Duration(s.Between(1, 10)) * 20 * time.Minute),
			}
		}
		if slices.ContainsFunc(p.Budgets.Pacing(), func(b *budget.Limit) bool { return b.Per > 0 }) {
			m.Starts = several(s, 0, 3, func(s Source) disruptkit.Start {
				return disruptkit.Start{
					Node: fmt.Sprintf("gone-%d", s(9)), Reason: pick(s, candidate.Drifted, "", Reason(s)),
					At: in.Now.Add(-time.Duration(s(6)) * 15 * time.Minute), Seen: true,
				}
			})
		}
		if !m.Equal(disruptkit.Memory{}) {
			in.Memory[p.Name] = m
		}
	}
	if s.seldom() {
		in.Pauses = several(s, 1, 2, Pause(in.Now))
	}
	in.Nodes = several(s, 2, 9, func(s Source) candidate.Node { return waits(s, in.Now, len(in.Pools)) })
	for i := range in.Nodes {
		in.Nodes[i].Name = fmt.Sprintf("node-%02d", i)
	}
	return in
}

// allowing generates budgets that allow some nodes, of any reason.
func allowing(s Source, now time.Time) budget.Budget {
	return daily(s, now, budget.Budget{Nodes: pick(s, "2", "3", "50%")})
}

// waits generates nodes without a name that are candidates for one or two reasons.
func waits(s Source, now time.Time, pools int) candidate.Node {
	soon := func(s Source) time.Time { return now.Add(time.Duration(s.Between(1, 16)) * 15 * time.Minute) }
	n := candidate.Node{
		Pool: fmt.Sprintf("pool-%d", s(pools)), Phase: candidate.Running,
		HasGracePeriod: s.seldom(), DoNotDisrupt: s.seldom(),
		Labels: map[string]string{"zone": pick(s, "a", "a", "b", "c"), "rack": pick(s, "1", "2")},
	}
	if s.seldom() {
		n.NominatedUntil = soon(s)
	}
	n.Conditions = several(s, 1, 2, func(s Source) candidate.Condition {
		c := candidate.Condition{Reason: pick(s, candidate.Drifted, candidate.Drifted,
			candidate.Underutilized, candidate.Empty, "Drifted/AMIDrift", Reason(s))}
		c.Since = now.Add(-time.Duration(1+s(40)) * time.Hour)
		if s.seldom() {
			c.Deadline = soon(s)
		}
		return c
	})
	n.Pods = several(s, 0, 2, func(s Source) candidate.Pod {
		p := candidate.Pod{Namespace: "shop", Labels: map[string]string{"app": pick(s, "job", "job", "web")}}
		if s.seldom() {
			at := soon(s).UTC()
			p.Terms.Window = schedule.MustParse(fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()),
				time.Duration(s.Between(1, 6))*time.Hour, "")
		}
		return p
	})
	for i := range n.Pods {
		n.Pods[i].Name = fmt.Sprintf("%s-%d", n.Pods[i].Labels["app"], i)
	}
	return n
}
