package steward

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// refusedOfA are the nodes of zone a whose releases Karpenter does not use. Zone b has one that it takes.
func refusedOfA(nodes int, policy string) scenario {
	return scenario{
		most: 2, over: time.Hour, done: old,
		build: func(r *rollout) {
			annotations := map[string]string{annotation.StewardEnforced: "true"}
			if policy == "" {
				annotations[annotation.Disruption] = twoOfAZone
			} else {
				e := &estate{}
				e.share("policy", policy)
				r.api.put(e.objects[0])
			}
			r.addPool("p", annotations)
			for range nodes {
				r.join("a", "p", 2*time.Hour, func(n *corev1.Node, _ *v1.NodeClaim) { n.Labels[refusedByPods] = "true" })
			}
			r.join("b", "p", time.Hour)
		},
		events: []happening{{2 * time.Second, annotatePool(v1.NodePoolHashAnnotationKey, newHash)}},
	}
}

// takenAfter plays a roll until a node of a zone has been taken, and returns when that was.
func takenAfter(t *testing.T, r *rollout, zone string) time.Duration {
	t.Helper()
	for r.now.Before(noon.Add(r.over)) && len(r.faults) == 0 {
		r.tick()
		for name := range r.takenAt {
			if strings.HasPrefix(name, zone) {
				return r.now.Sub(noon)
			}
		}
	}
	t.Fatalf("no node of zone %s was taken: %s", zone, strings.Join(r.faults, "\n"))
	return 0
}

// The patience is 15 minutes, and a release that runs at its end ends first.
func TestAZoneWhoseReleasesNobodyUsesGivesWay(t *testing.T) {
	const patience, late = 15 * time.Minute, 2 * time.Minute
	for _, nodes := range []int{1, 2, 3, 30} { // of 30, some were never released when it is over
		for _, policy := range []string{"", `{all: true, ` + twoOfAZone + `}`} {
			for _, restarts := range []bool{false, true} {
				rule := fmt.Sprintf("%d nodes, policy %q, restarts: %v", nodes, policy, restarts)
				s := refusedOfA(nodes, policy)
				for at := 4 * time.Minute; restarts && at < patience; at += 4 * time.Minute { // a steward that starts knows no rests
					s.events = append(s.events, happening{at, func(r *rollout) { r.lead(r.newSeat(0), time.Second) }})
				}
				if got := takenAfter(t, newRollout(s, 0), "b"); got < patience || got > patience+late {
					t.Errorf("%s: zone b has its turn after %s", rule, got)
				}
			}
		}
	}
}

// A release that is used begins the patience anew.
func TestAZoneWithATakenNodeKeepsItsTurn(t *testing.T) {
	s := refusedOfA(2, "")
	s.events = append(s.events, happening{10 * time.Minute, func(r *rollout) {
		alter[client.Object](r, r.node("a1"), func(n client.Object) { delete(n.GetLabels(), refusedByPods) })
	}})
	r := newRollout(s, 0)
	first := takenAfter(t, r, "a")
	if got := takenAfter(t, r, "b"); got < first+15*time.Minute || got > first+18*time.Minute {
		t.Errorf("a node of zone a was taken after %s, and one of zone b after %s", first, got)
	}
}
