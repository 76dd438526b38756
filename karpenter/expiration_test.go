package karpenter

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// old gives a NodeClaim an age.
func (g *guarded) old(age time.Duration) func(*corev1.Node, *v1.NodeClaim) {
	return func(_ *corev1.Node, c *v1.NodeClaim) { c.CreationTimestamp = metav1.NewTime(g.clock.Now().Add(-age)) }
}

func expiring() *method { return &method{reason: "Expired", choose: all} }

func TestNodesExpireAtTheAgeOfTheirNodePool(t *testing.T) {
	e := expiration{Drift: &disruption.Drift{}, said: map[string]annotation.Expiration{}}
	static := int64(3)
	for rule, c := range map[string]struct {
		annotation string
		age        time.Duration
		drifted    int // minutes
		change     func(*v1.NodePool)
		want       bool
	}{
		"an old node":                         {`{after: 720h}`, 720 * time.Hour, 0, nil, true},
		"a young one":                         {`{after: 720h}`, 720*time.Hour - time.Second, 0, nil, false},
		"one of a NodePool that says nothing": {"", 720 * time.Hour, 0, nil, false},
		"one of a NodePool that is not clear": {`{after: soon}`, 720 * time.Hour, 0, nil, false},
		"one that has drifted goes for that":  {`{after: 720h}`, 720 * time.Hour, 9, nil, false},
		"one of a static NodePool":            {`{after: 720h}`, 720 * time.Hour, 0, func(np *v1.NodePool) { np.Spec.Replicas = &static }, false},
	} {
		np := pool("p")
		if c.annotation != "" {
			np.Annotations[ExpireAnnotation] = c.annotation
		}
		if c.change != nil {
			c.change(np)
		}
		g := newGuarded(t, np)
		g.node("p", "a1", c.drifted, g.old(c.age))
		e.Cluster = g.Cluster
		if got := e.ShouldDisrupt(t.Context(), g.offered[0]); got != c.want {
			t.Errorf("%s: %t", rule, got)
		}
	}
}

// What has expired is replaced as what has drifted, so it waits as well, while replacements fail.
func TestWhatExpiresWaitsWhileReplacementsFail(t *testing.T) {
	g := newGuarded(t, pool("p", ExpireAnnotation, `{after: 720h}`))
	g.jitters = func() float64 { return 1 }
	g.node("p", "a1", 0, g.old(900*time.Hour))
	guard := Guard(expiring(), g.Cluster)
	if got := g.mustCompute(guard, 9); got != "a1→1" {
		t.Fatalf("%q started", got)
	}
	g.clock.Step(10 * time.Second) // Karpenter gives up: the node is not marked for deletion
	if got := g.mustCompute(guard, 9); got != "" || !strings.Contains(g.memory("p"), `"level":1`) {
		t.Errorf("%q started; the memory is %s", got, g.memory("p"))
	}
	g.clock.Step(time.Minute)
	if got := g.mustCompute(guard, 9); got != "a1→1" {
		t.Errorf("%q started after the wait", got)
	}
}
