package karpenter

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit/candidate"
)

// asks writes ReplaceAnnotation on a Node and on its NodeClaim; "": not there.
func asks(node, claim string) func(*corev1.Node, *v1.NodeClaim) {
	return func(n *corev1.Node, c *v1.NodeClaim) {
		for text, o := range map[string]metav1.Object{node: n, claim: c} {
			if text != "" {
				o.SetAnnotations(map[string]string{ReplaceAnnotation: text})
			}
		}
	}
}

func TestNodesAreReplacedForWhichSomebodyAsks(t *testing.T) {
	static := int64(3)
	for rule, c := range map[string]struct {
		node, claim string
		drifted     int // minutes
		replicas    *int64
		want        bool
	}{
		"a node":                              {node: "INC-1", want: true},
		"a NodeClaim":                         {claim: "true", want: true},
		"nobody asks":                         {},
		"nobody asks any more":                {node: "false"},
		"what the Node has counts":            {node: "False", claim: "true"},
		"a node that has drifted":             {node: "true", drifted: 9, want: true},
		"a node of a static NodePool is not":  {node: "true", replicas: &static},
		"a NodeClaim of a static one, either": {claim: "true", replicas: &static},
	} {
		np := pool("p")
		np.Spec.Replicas = c.replicas
		g := newGuarded(t, np)
		g.node("p", "a1", c.drifted, asks(c.node, c.claim))
		if got := (requests{}).ShouldDisrupt(t.Context(), g.offered[0]); got != c.want {
			t.Errorf("%s: Karpenter is offered it: %t", rule, got)
		}
		s, err := g.snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, condition := range s.Nodes[0].Conditions {
			got = got || condition.Reason == candidate.Requested
		}
		if got != c.want {
			t.Errorf("%s: decisions see it: %t", rule, got)
		}
	}
}

// A request is replaced as drift is, but it asks the budgets for Requested, and waits while replacements fail.
func TestRequestsAskTheirBudgets(t *testing.T) {
	g := newGuarded(t, pool("p", DisruptionAnnotation, `budgets: [{nodes: "1", reasons: [Requested]}, {nodes: "0", reasons: [Drifted]}]`))
	g.jitters = func() float64 { return 1 }
	g.node("p", "a1", 0, asks("2026-11-20T10:00:00Z", ""))
	g.node("p", "a2", 0, asks("2026-11-20T09:00:00Z", ""))
	guard := Guard(&method{reason: "Requested", choose: all}, g.Cluster)
	if got := g.mustCompute(guard, 9); got != "a2→1" {
		t.Fatalf("%q started, and who asked first is a2", got)
	}
	g.clock.Step(10 * time.Second) // Karpenter gives up: the node is not marked for deletion
	if got := g.mustCompute(guard, 9); got != "" || !strings.Contains(g.memory("p"), `"level":1`) {
		t.Errorf("%q started; the memory is %s", got, g.memory("p"))
	}
	g.clock.Step(time.Minute)
	if got := g.mustCompute(guard, 9); got != "a2→1" {
		t.Errorf("%q started after the wait", got)
	}
}

func TestTheGuardAsksForRequestsBeforeDrift(t *testing.T) {
	var got []string
	for _, m := range newGuarded(t).withReplacement([]disruption.Method{&disruption.StaticDrift{}, &disruption.Drift{}, &disruption.Emptiness{}}) {
		got = append(got, string(m.Reason())+" "+m.Class())
	}
	if got, want := strings.Join(got, ", "), "Drifted eventual, Requested graceful, Drifted eventual, Expired eventual, Empty graceful"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
