package decide

import (
	"slices"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A difference is a pool of which engines allow another number of nodes now, for the same reason and with the same objects.
type difference struct {
	reason  candidate.Reason
	numbers string         // "Karpenter v1.15: 3, guard: 0 (disruptkit.dev/disruption budgets[0])"
	Pool    string         `json:"pool"`
	Allowed map[string]int `json:"allowed"` // how many nodes may be disrupted now, by engine
	Message string         `json:"message"`
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
			d := difference{reason: own.Reason, Pool: p.Pool, Allowed: map[string]int{}}
			most := map[string]bool{} // who may be disrupted, by any engine
			for e, decision := range decisions {
				d.Allowed[e.String()] = 0
				for _, c := range decision.Allowed {
					if c.Pool == p.Pool {
						d.Allowed[e.String()]++
						most[c.Node] = true
					}
				}
			}
			numbers, differ := engine.Numbers(o.Policy.As, func(e engine.Engine) (n, why string) {
				if clusters[e].Rejected(p.Pool) {
					return "the API server rejects the NodePool", ""
				}
				return strconv.Itoa(d.Allowed[e.String()]), whyFewer(clusters[e], decisions[e], p.Pool, most)
			})
			d.numbers, d.Message = numbers, wording.Quote(p.Pool)+": "+numbers
			if differ && len(most) > 0 {
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

// differing returns the differences for a reason.
func (a answer) differing(reason candidate.Reason) []difference {
	return slices.DeleteFunc(append([]difference{}, a.differs...), func(d difference) bool { return d.reason != reason })
}
