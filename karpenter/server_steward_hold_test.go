package karpenter_test

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	manifests "github.com/disruptkit/disruptkit/cmd/steward"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// The stories of this file are about what blocks nodes.

func oneOfAZone(o *world.Options) { o.NodesPerZone = 1 }

// rolledBut waits until only those old nodes are left, and nothing is in flight.
func (s *stewarded) rolledBut(old string) {
	s.t.Helper()
	s.until(patience, "only "+old+" are old", func() bool {
		for _, name := range s.started(0) {
			if slices.Contains(strings.Fields(old), name) {
				s.t.Fatalf("%s was disrupted, and was to be held", name)
			}
		}
		return s.old() == old && len(s.InFlight()) == 0
	})
}

// heldFor fails unless a node is held, was never released, and says why.
func (s *stewarded) heldFor(name, why string) {
	s.t.Helper()
	if s.wasReleased(name) {
		s.t.Errorf("%s was released", name)
	}
	if m, _ := s.mark(name); m.Disrupt != annotation.Ours || !strings.Contains(m.Why, why) {
		s.t.Errorf("%s is held as %+v, want %q", name, m, why)
	}
}

// The pods of one zone have a PodDisruptionBudget of 0, and those of another may be disrupted only later.
func TestServerStewardPodsBlockNodes(t *testing.T) {
	s := tellWithSteward(t, limits{1, 3}, `budgets: [{nodes: "1"}]`, oneOfAZone)
	none := intstr.FromInt32(0)
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "none", Namespace: "default"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &none, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web-a"}},
		},
	}
	if err := s.Client.Create(t.Context(), pdb); err != nil {
		t.Fatal(err)
	}
	later := func(at time.Time) {
		t.Helper()
		err := s.UpdatePods(func(p *corev1.Pod) {
			if p.Labels["app"] == "web-b" {
				p.Annotations = maps.Clone(p.Annotations)
				if p.Annotations == nil {
					p.Annotations = map[string]string{}
				}
				p.Annotations[kube.DisruptionScheduleAnnotation] = fmt.Sprintf("%d %d * * *", at.UTC().Minute(), at.UTC().Hour())
				p.Annotations[kube.DisruptionScheduleDurationAnnotation] = "1h"
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	later(time.Now().Add(12 * time.Hour))
	s.lasts(3 * time.Second) // the stand-in for the PDB's controller counts
	s.drift()
	s.rolledBut("a1 b1")
	s.stays(15 * time.Second)
	s.heldFor("a1", "pod/allows-none")
	s.heldFor("b1", "pod/outside-schedule")
	if err := s.Client.Delete(t.Context(), pdb); err != nil {
		t.Fatal(err)
	}
	s.rolledBut("b1")
	s.heldFor("b1", "pod/outside-schedule")
	row, from := len(s.Timeline()), time.Now().Add(75*time.Second).Truncate(time.Minute)
	later(from)
	s.rolls(patience)
	for _, r := range s.Timeline()[row:] {
		if begins(r) && r.At.Before(from) {
			t.Errorf("%v before %s", r, from.Format(time.TimeOnly))
		}
	}
	s.quiet()
}

// A probe denies before the roll begins, and again in the middle of it.
func TestServerStewardProbe(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	slo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer slo.Close()
	host, port, _ := net.SplitHostPort(slo.Listener.Addr().String())
	s := tellWithSteward(t, ofOneZone(1), one, func(o *world.Options) {
		o.NodePool.Annotations[annotation.Probes] =
			fmt.Sprintf(`[{name: slo, host: %q, port: %s, path: /, periodSeconds: 1, failureThreshold: 1, successThreshold: 1}]`, host, port)
	})
	s.drift()
	s.stays(20 * time.Second)
	s.heldFor("a1", "probe/unhealthy")
	down.Store(false)
	s.inZones(1)
	down.Store(true)
	s.until(patience, "nothing is released", func() bool { return s.released() == "" })
	s.stays(25 * time.Second)
	down.Store(false)
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()
}

// A budget of 0 blocks all nodes, until their deadline; then zones still take turns.
func TestServerStewardDeadline(t *testing.T) {
	const deadline = time.Minute
	s := tellWithSteward(t, ofOneZone(2), `drift: {deadline: 1m, budgets: [{nodes: "0"}, {nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]}`, nil)
	began := time.Now()
	s.drift()
	s.rolls(2 * patience)
	s.oneByOne()
	for _, r := range s.Timeline() {
		if took := r.At.Sub(began); begins(r) && took < deadline {
			t.Errorf("%v: that is %s after the first drift, and the deadline %s", r, took, deadline)
		}
	}
	s.quiet()
}

// A node has drifted and is empty. As an empty node it may not be disrupted: so it is not disrupted as a drifted one, either.
func TestServerStewardTwoReasons(t *testing.T) {
	s := tellWithSteward(t, limits{2, 3}, `budgets: [{nodes: "0", reasons: [Empty]}, {nodes: "2"}]`, func(o *world.Options) {
		o.NodesPerZone = 1
		o.NodePool.Spec.Disruption.ConsolidationPolicy = v1.ConsolidationPolicyWhenEmpty
		o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("0s")
	})
	if err := s.Scale("b", 0); err != nil {
		t.Fatal(err)
	}
	s.until(patience, "b1 is empty, and held for that", func() bool { m, _ := s.mark("b1"); return strings.HasPrefix(m.Why, "Empty: ") })
	s.drift()
	s.rolledBut("b1")
	s.stays(30 * time.Second)
	s.heldFor("b1", "Empty")
	s.annotatePool(annotation.Disruption, `budgets: [{nodes: "2"}]`)
	s.until(patience, "b1 is gone", func() bool { return s.old() == "" && len(s.InFlight()) == 0 })
	s.quiet()
}

// An older Kubernetes has no mutating policies: a node is held once the steward sees it, and a release that is taken back is held again by the
// steward alone. A freeze comes whenever a node has just been released.
func TestServerStewardWithoutMutatingPolicies(t *testing.T) {
	s := tellBeforeSteward(t, func(o *world.Options) {
		o.NodePool.Annotations = map[string]string{annotation.Disruption: one, annotation.Steward: "true"}
	}, manifests.Deny)
	s.lead()
	s.enforced()
	s.may(ofOneZone(1))
	s.drift()
	for range 2 {
		s.until(patience, "a node is released", func() bool { return s.released() != "" })
		s.annotatePool(annotation.Disruption, one+`- {nodes: "0"}`)
		s.until(patience, "nothing is released", func() bool { return s.released() == "" })
		s.stays(20 * time.Second)
		s.annotatePool(annotation.Disruption, one)
	}
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()
}

// For as long as an operator looks away, all nodes have drifted and none may be disrupted: Karpenter has nothing to do, and no error.
func TestServerStewardHoldsForTenMinutes(t *testing.T) {
	s := tellWithSteward(t, limits{}, twoOfAZone, nil)
	pause(s, "true")
	s.drift()
	s.stays(10 * time.Minute)
	s.quiet()
	pause(s, "")
	s.may(ofOneZone(2))
	s.rolls(2 * patience)
	s.oneByOne()
	s.quiet()
}
