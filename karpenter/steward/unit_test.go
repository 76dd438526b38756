package steward

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

func TestUnitsAreReleasedAsAWhole(t *testing.T) {
	const drifted, empty, underutilized, unhealthy = candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Unhealthy
	const requested = candidate.Requested
	two := []budget.Budget{{Nodes: "2"}}
	for _, c := range []struct {
		rule string
		with func(f *fleet, unit func(name string, mark annotation.Mark, reasons ...candidate.Reason) *candidate.Node)
		want string
	}{
		{"all of its nodes, for 10 s longer for the second", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", held, drifted)
		}, "release a1 until 12:01:40 (Drifted); release a2 until 12:01:40 (Drifted)"},
		{"none where a budget allows half of it", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			f.budgets = []budget.Budget{{Nodes: "1"}}
			unit("a1", held, drifted)
			unit("a2", held, drifted)
		}, ""},
		{"none where something blocks one", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", annotation.Mark{Disrupt: annotation.Theirs, Repair: annotation.Theirs}, drifted)
		}, ""},
		{"none where one is not held yet", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", bare)
		}, "hold a2"},
		{"a node that has not drifted is made to drift", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", held)
		}, "unite a2; release a1 until 12:01:40 (Drifted); release a2 until 12:01:40 (Drifted)"},
		{"for a request, all of them for that", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, requested)
			unit("a2", held)
		}, "replace a1; replace a2; release a1 until 12:01:40 (Requested); release a2 until 12:01:40 (Requested)"},
		{"none where one cannot be made to drift", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", held)
			f.Ages["a2"] = Age{Fixed: true}
		}, ""},
		{"one that drifts for its unit goes on to", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted).Leaving = candidate.Draining
			f.Input.Nodes[0].DisruptedFor = drifted
			unit("a2", released(time.Minute))
			f.Ages["a2"] = Age{Drifts: drifted}
		}, ""},
		{"and no more once its unit has no reason", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held)
			unit("a2", held)
			f.Ages["a2"] = Age{Drifts: drifted}
		}, "restore a2"},
		{"all are taken back if one loses its release", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", released(time.Minute), drifted)
			unit("a2", held, drifted)
		}, "take back a1 until 12:00:15"},
		{"all rest if one does", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", held, drifted)
			f.Rests["a2"] = Rest{Since: noon.Add(-29 * time.Second), Times: 1}
		}, ""},
		{"and are released together after that", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, drifted)
			unit("a2", held, drifted)
			f.Rests["a1"], f.Rests["a2"] = Rest{Since: noon.Add(-9 * time.Minute), Times: 1}, Rest{Since: noon.Add(-time.Minute), Times: 1}
		}, "release a1 until 12:01:40 (Drifted); release a2 until 12:01:40 (Drifted)"},
		{"a broken node is repaired alone", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			f.budgets = []budget.Budget{{Nodes: "1"}}
			unit("a1", held, unhealthy)
			unit("a2", held, underutilized)
		}, "release for repair a1 until 12:01:30 (Unhealthy)"},
		{"no consolidation of a part", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, empty)
			unit("a2", held, underutilized)
		}, ""},
		{"but of one that is empty as a whole", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, empty)
			unit("a2", held, empty)
		}, "release a1 until 12:07:00 (Empty); release a2 until 12:07:00 (Empty)"},
		{"a unit of one is any node", func(f *fleet, unit func(string, annotation.Mark, ...candidate.Reason) *candidate.Node) {
			unit("a1", held, underutilized)
		}, "release a1 until 12:07:00 (Underutilized)"},
	} {
		p := plan(t, func(f *fleet) {
			f.budgets = two
			c.with(f, func(name string, mark annotation.Mark, reasons ...candidate.Reason) *candidate.Node {
				n := f.node(name, mark, reasons...)
				n.Unit = "u"
				if mark.Until.After(noon) {
					f.stored(name, mark.Until.Sub(noon))
				}
				return n
			})
		})
		if got := told(p); got != c.want {
			t.Errorf("%s: got %q, want %q", c.rule, got, c.want)
		}
	}
}

// A unit whose release cannot be written for one node is released for none.
func TestAUnitWaitsForAllOfItsNodePools(t *testing.T) {
	p := Plan{Drift: map[string]candidate.Reason{"b1": candidate.Drifted}, Writes: []Write{
		{Node: "a1", Pool: "p", Unit: "a", Kind: Release}, {Node: "a2", Pool: "q", Unit: "a", Kind: Release},
		{Node: "b1", Pool: "p", Unit: "b", Kind: Release}, {Node: "b2", Pool: "p", Unit: "b", Kind: Release},
		{Node: "c1", Pool: "p", Unit: "c", Kind: Release}, {Node: "d1", Pool: "p", Kind: Release},
		{Node: "a3", Pool: "p", Unit: "a", Kind: TakeBack},
	}}
	var got []string
	for _, w := range p.possible(map[string]bool{"p": true}) {
		got = append(got, w.Node)
	}
	if got := strings.Join(got, " "); got != "c1 d1 a3" {
		t.Errorf("written: %s", got)
	}
}

const rack = "example.com/rack"

// inRack puts a node into a unit.
func inRack(unit string) func(*corev1.Node, *v1.NodeClaim) {
	return func(n *corev1.Node, _ *v1.NodeClaim) { n.Labels[rack] = unit } // they are those of the claim
}

// unitRolls are rolls of whole units. What replaces a unit has its label.
var unitRolls = []scenario{
	{
		rule: "six units of four nodes in three zones", most: 4, over: 12 * time.Minute, done: old,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{
				annotation.Disruption: `budgets: [{nodes: "4", topologyKey: topology.kubernetes.io/zone, sequential: true}]`,
				annotation.UnitLabel:  rack, annotation.StewardEnforced: "true",
			})
			for i, unit := range []string{"a-1", "b-1", "c-1", "a-2", "b-2", "c-2"} {
				for range 4 {
					r.join(unit[:1], "p", time.Duration(i+1)*time.Hour, inRack(unit))
				}
			}
		},
		events: []happening{{2 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)}},
	},
	{
		rule: "somebody asks for one node of one of two units", most: 2, over: 8 * time.Minute,
		build: func(r *rollout) {
			r.addPool("p", map[string]string{annotation.Disruption: `budgets: [{nodes: "2"}]`, annotation.UnitLabel: rack, annotation.StewardEnforced: "true"})
			for _, unit := range []string{"a-1", "a-1", "a-2", "a-2"} {
				r.join("a", "p", time.Hour, inRack(unit))
			}
		},
		events: []happening{{2 * time.Second, func(r *rollout) {
			alter(r, r.node("a1"), func(n *corev1.Node) { n.Annotations[annotation.Replace] = "true" })
		}}},
		done: func(r *rollout) string {
			var left []string
			for _, name := range []string{"a1", "a2"} {
				if r.node(name) != nil {
					left = append(left, name)
				}
			}
			if r.node("a3") == nil || r.node("a4") == nil || len(all[*corev1.Node](r.api.objects)) > 4 && len(left) == 0 {
				r.failf("other nodes were taken")
			}
			return strings.Join(left, " ") + old(r)
		},
	},
}

// In a roll of units, all of a unit are released when Karpenter takes the first, and what replaces them is not taken, whenever Karpenter looks.
// Where writes fail, limits hold, and the roll comes to its end.
func TestUnitsRollAsAWhole(t *testing.T) {
	for _, s := range unitRolls {
		for phase := range 10 {
			if phase%3 != 0 && !exhaustive {
				continue
			}
			r := newRollout(s, time.Duration(phase)*time.Second)
			if wrong := r.play(); len(wrong) > 0 || r.denials > 0 {
				t.Errorf("%s: Karpenter looks %d s after the full minute: %s; %d denials", s.rule, phase, strings.Join(wrong, "\n"), r.denials)
			}
		}
		for _, b := range blows[4:7] {
			for every := 3; every <= 5; every++ {
				r := newRollout(s, 0)
				r.strike = func(r *rollout, s *seat, o client.Object, do func() error) error {
					if r.writes%every != 0 {
						return do()
					}
					return b.variants[0](r, s, o, do)
				}
				if wrong := r.play(); len(wrong) > 0 {
					t.Errorf("%s: every %d. write, %s:\n%s", s.rule, every, b.what, strings.Join(wrong, "\n"))
				}
			}
		}
	}
}

// checkUnit checks that the other nodes of the unit of a node that is taken are released or in flight, and that it replaces none that is.
func (r *rollout) checkUnit(n *corev1.Node) {
	unit := n.Labels[rack]
	if unit == "" || r.strike != nil { // each node is written by itself, so a write that fails may break a unit
		return
	}
	broken := r.now // since when the unit is
	for name, at := range r.takenAt {
		if r.node(name).Labels[rack] == unit && at.Before(broken) {
			broken = at
		}
	}
	if !n.CreationTimestamp.Time.Before(broken) {
		r.failf("%s is taken, and replaces a node of its unit %s", n.Name, unit)
	}
	others := slices.DeleteFunc(all[*corev1.Node](r.api.objects), func(o *corev1.Node) bool {
		return o.Labels[rack] != unit || r.goes(o) || !o.CreationTimestamp.Time.Before(broken)
	})
	for _, o := range others {
		r.failf("%s is taken, and %s of its unit %s is held: %v", n.Name, o.Name, unit, fmt.Sprint(o.Annotations))
	}
}
