package decide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A difference is a pool of which engines allow another number of nodes now, for the same reason and with the same objects.
type difference struct {
	reason  candidate.Reason
	pool    string
	allowed map[engine.Engine]int
	numbers string // "Karpenter v1.15: 3, guard: 0 (disruptkit.dev/disruption budgets[0])"
}

// differences returns them for the reasons that were decided.
func differences(clusters map[engine.Engine]*manifest.Cluster, a answer, o options) (all []difference) {
	inputs := map[engine.Engine]disruptkit.Input{}
	for e, cluster := range clusters {
		if e != o.Policy.As {
			inputs[e] = cluster.Input(o.At)
		}
	}
	for _, own := range a.decisions {
		decisions := map[engine.Engine]disruptkit.Decision{o.Policy.As: own}
		for e, in := range inputs {
			decisions[e] = clusters[e].Decide(in, own.Reason)
		}
		for _, p := range own.Pools {
			if p.Reason != own.Reason {
				continue
			}
			d := difference{own.Reason, p.Pool, map[engine.Engine]int{}, ""}
			most := map[string]bool{} // who may be disrupted, by any engine
			for e, decision := range decisions {
				d.allowed[e] = 0
				for _, c := range decision.Allowed {
					if c.Pool == p.Pool {
						d.allowed[e]++
						most[c.Node] = true
					}
				}
			}
			numbers, differ := engine.Numbers(o.Policy.As, func(e engine.Engine) (n, why string) {
				if clusters[e].Rejected(p.Pool) {
					return "the API server rejects the NodePool", ""
				}
				return strconv.Itoa(d.allowed[e]), whyFewer(clusters[e], decisions[e], p.Pool, most)
			})
			if d.numbers = numbers; differ && len(most) > 0 {
				all = append(all, d)
			}
		}
	}
	return all
}

// whyFewer describes what blocks nodes of a pool that may be disrupted by another engine: the budgets, or the gates.
func whyFewer(c *manifest.Cluster, d disruptkit.Decision, pool string, others map[string]bool) string {
	var whys []string
	add := func(text string) {
		if !slices.Contains(whys, text) {
			whys = append(whys, text)
		}
	}
	if candidate.Unhealthy.Covers(d.Reason) && !c.Repairing() {
		return "node repair is off by default"
	}
	at := slices.IndexFunc(c.Pools, func(p disruptkit.Pool) bool { return p.Name == pool })
	for _, b := range d.Blocked {
		if b.Pool != pool || !others[b.Node] {
			continue
		}
		for _, blocker := range b.Blockers {
			i := slices.IndexFunc(d.Pools, func(p disruptkit.PoolDecision) bool { return p.Pool == pool && p.Reason == b.Reason })
			switch {
			case blocker.Source != nil && blocker.Source.Group != "":
				add(wording.Quote(disruptionpolicy.Kind + "/" + blocker.Source.Group))
			case blocker.Gate == candidate.GateBudget && i >= 0 && at >= 0 && d.Pools[i].Allowance.Binding != 0:
				for n := range d.Pools[i].Allowance.Binding.All() {
					add(c.Pools[at].Budgets.Place(n))
				}
			default:
				add(string(blocker.Gate) + ": " + string(blocker.Code))
			}
		}
	}
	return strings.Join(whys, ", ")
}

// differences shows them for a reason.
func (t *table) differences(d disruptkit.Decision) {
	for _, difference := range t.differs {
		if difference.reason == d.Reason {
			t.line("%s", tell.Wrap(fmt.Sprintf("%s differs by engine: %s", wording.Quote(difference.pool), difference.numbers), "  "))
		}
	}
}

func (d difference) json() jsonDifference {
	j := jsonDifference{d.pool, map[string]int{}, wording.Quote(d.pool) + ": " + d.numbers}
	for e := range d.allowed {
		j.Allowed[e.String()] = d.allowed[e]
	}
	return j
}
