package karpenter

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
)

const rack = "example.com/rack"

// of puts a node into a unit. For NodeClaims, whose labels the node shares as well.
func of(unit string) func(*corev1.Node, *v1.NodeClaim) {
	return func(n *corev1.Node, _ *v1.NodeClaim) { n.Labels[rack] = unit }
}

// refusing chooses the first candidate that is none of some, as drift does when the pods of these fit nowhere.
func refusing(names ...string) func(map[string]int, []*disruption.Candidate) []disruption.Command {
	return func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
		for i, c := range cs {
			if !slices.Contains(names, c.Name()) {
				return each(cs[i : i+1])
			}
		}
		return nil
	}
}

// The guard starts all nodes of a unit in one pass, or none.
func TestTheGuardStartsWholeUnits(t *testing.T) {
	for rule, c := range map[string]struct {
		budget string
		method *method
		fill   func(g *guarded)
		passes int
		want   string // what starts, pass by pass
	}{
		"drift replaces one node, and the guard completes its unit": {
			budget: "2", method: &method{reason: "Drifted", choose: refusing()},
			fill: func(g *guarded) {
				g.node("p", "a1", 9, of("a"))
				g.node("p", "a2", 8, of("a"))
				g.node("p", "b1", 7, of("b"))
			},
			want: "a1→1 a2→1",
		},
		"a unit of which a node cannot be replaced does not start, and others do": {
			budget: "2", method: &method{reason: "Drifted", choose: refusing("a2")},
			fill: func(g *guarded) {
				g.node("p", "a1", 9, of("a"))
				g.node("p", "a2", 8, of("a"))
				g.node("p", "b1", 7, of("b"))
			},
			want: "b1→1",
		},
		"a budget for half a unit starts none of it": {
			budget: "1", method: &method{reason: "Drifted", choose: refusing()},
			fill: func(g *guarded) {
				g.node("p", "a1", 9, of("a"))
				g.node("p", "a2", 8, of("a"))
				g.node("p", "b1", 7, of("b"))
			},
			want: "b1→1",
		},
		"a node without a reason follows its unit once Karpenter offers it": {
			budget: "2", method: &method{reason: "Drifted", choose: refusing()}, passes: 2,
			fill: func(g *guarded) { g.node("p", "a1", 9, of("a")); g.node("p", "a2", 0, of("a")) },
			want: "; a1→1 a2→1",
		},
		"emptiness deletes whole units": {
			budget: "3", method: &method{reason: "Empty", choose: func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return one(cs) }},
			fill: func(g *guarded) {
				g.node("p", "a1", 0, of("a"))
				g.node("p", "b1", 0, of("b"))
				g.node("p", "b2", 0, of("b"))
			},
			want: "a1+b1+b2",
		},
		"but not a part of one": {
			budget: "3", method: &method{reason: "Empty", choose: func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return one(cs[:2]) }},
			fill: func(g *guarded) {
				g.node("p", "a1", 0, of("a"))
				g.node("p", "b1", 0, of("b"))
				g.node("p", "b2", 0, of("b"))
			},
			want: "a1",
		},
		"nor does consolidation, which is not completed": {
			budget: "3", method: &method{reason: "Underutilized", kind: "single", choose: refusing()},
			fill: func(g *guarded) { g.node("p", "b1", 0, of("b")); g.node("p", "b2", 0, of("b")) },
			want: "",
		},
		"repair is for the broken node alone": {
			budget: "3", method: &method{reason: "Unhealthy", choose: refusing()},
			fill: func(g *guarded) {
				g.node("p", "a2", 0, of("a"))
				g.offered = nil
				g.node("p", "a1", 0, of("a"))
			},
			want: "a1→1",
		},
	} {
		t.Run(rule, func(t *testing.T) {
			g := newGuarded(t, pool("p", DisruptionAnnotation, `budgets: [{nodes: "`+c.budget+`"}]`, UnitLabelAnnotation, rack))
			c.fill(g)
			all := g.offered
			guard := Guard(&drifting{c.method}, g.Cluster)
			var got []string
			for range max(c.passes, 1) {
				g.offered = slices.DeleteFunc(slices.Clone(all), func(c *disruption.Candidate) bool { return !guard.ShouldDisrupt(t.Context(), c) })
				got = append(got, g.mustCompute(guard, 9))
			}
			if got := strings.Join(got, "; "); got != c.want {
				t.Errorf("%q started, want %q", got, c.want)
			}
		})
	}
}

// A drifting method disrupts what has drifted, and knows no other node, where it is one for drift.
type drifting struct{ *method }

func (d *drifting) ShouldDisrupt(_ context.Context, c *disruption.Candidate) bool {
	return d.reason != "Drifted" || c.NodeClaim.StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue()
}

// A node of a unit follows when another one is in flight, and what is launched since then does not.
func TestWhatIsLeftOfAUnitFollows(t *testing.T) {
	g := newGuarded(t, pool("p", DisruptionAnnotation, `budgets: [{nodes: "2"}]`, UnitLabelAnnotation, rack))
	leaves := func(_ *corev1.Node, c *v1.NodeClaim) {
		c.StatusConditions(status.WithClock(g.clock)).SetTrueWithReason(v1.ConditionTypeDisruptionReason, "Drifted", "")
	}
	created := func(at time.Time) func(*corev1.Node, *v1.NodeClaim) {
		return func(_ *corev1.Node, c *v1.NodeClaim) { c.CreationTimestamp = metav1.NewTime(at) }
	}
	g.node("p", "a1", 9, of("a"), leaves)
	g.node("p", "a2", 0, of("a"), created(now.Add(-time.Hour)))
	g.node("p", "a3", 0, of("a"), created(now.Add(time.Second)))
	g.inFlight("a1")
	all := g.offered
	guard := Guard(&drifting{&method{reason: "Drifted", choose: refusing()}}, g.Cluster)
	var got []string
	for range 2 {
		g.offered = slices.DeleteFunc(slices.Clone(all), func(c *disruption.Candidate) bool { return !guard.ShouldDisrupt(t.Context(), c) })
		got = append(got, g.mustCompute(guard, 9))
	}
	if got := strings.Join(got, "; "); got != "; a2→1" {
		t.Errorf("%q started", got)
	}
}
