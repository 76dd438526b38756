package karpenter_test

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// policyObject returns a DisruptionPolicy.
func policyObject(name, spec string) client.Object {
	return parsed([]byte("{apiVersion: " + disruptionpolicy.Version + ", kind: " + disruptionpolicy.Kind + ", metadata: {name: " + name + "}, spec: " + spec + "}"))
}

// Twelve nodes reach their age at once, in a window in which nothing is disrupted. Then at most two of them are in flight at any time, and each is
// replaced before it is disrupted.
func TestNodesExpireUnderBudgets(t *testing.T) {
	s := tell(t, func(o *world.Options) {
		o.NodePool.Annotations = map[string]string{
			karpenter.ExpireAnnotation:     `{after: 30m, deadline: 90m}`,
			karpenter.DisruptionAnnotation: `budgets: [{nodes: "2", reasons: [Expired]}, {nodes: "0", reasons: [Expired], schedule: "20 10 * * *", duration: 10m}]`,
		}
	})
	before := map[string]bool{}
	for _, n := range s.Nodes() {
		before[n.Name] = true
	}
	fewest := len(before)
	s.always = func() {
		ready := 0
		for _, n := range s.Nodes() {
			if n.InFlight && n.For != "Expired" {
				t.Errorf("%s goes for %s", n.Name, n.For)
			}
			if n.Ready {
				ready++
			}
		}
		fewest = min(fewest, ready)
	}
	s.until(5*time.Hour, "all nodes that were there are gone", func() bool {
		for _, n := range s.Nodes() {
			if before[n.Name] {
				return false
			}
		}
		return true
	})
	if _, nodes := world.Peak(s.Timeline()); nodes != 2 {
		t.Errorf("%d nodes were in flight at once, want 2", nodes)
	}
	if fewest < len(before) {
		t.Errorf("only %d of %d nodes were Ready at a time", fewest, len(before))
	}
	for _, r := range s.Timeline() {
		if begins(r) && r.At.Before(time.Date(2026, time.November, 23, 10, 30, 0, 0, time.UTC)) {
			t.Errorf("%v, before anything may expire", r)
		}
	}
}
