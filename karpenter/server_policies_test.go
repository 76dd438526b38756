package karpenter_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// parsed returns the object of a text in YAML.
func parsed(text []byte) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &o.Object); err != nil {
		panic(err)
	}
	return o
}

// share puts a DisruptionPolicy on the server, which gets the kind if it does not know it.
func share(t *testing.T, c client.Client, name, spec string) *unstructured.Unstructured {
	t.Helper()
	if err := c.Create(t.Context(), parsed(disruptionpolicy.CRD)); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	text := "{apiVersion: " + disruptionpolicy.Version + ", kind: " + disruptionpolicy.Kind + ", metadata: {name: " + name + "}, spec: " + spec + "}"
	var err error
	for range 60 { // until the kind is served
		o := parsed([]byte(text))
		if err = c.Create(t.Context(), o); err == nil || apierrors.IsAlreadyExists(err) {
			t.Cleanup(func() { _ = c.Delete(context.Background(), o) })
			return o
		}
		time.Sleep(time.Second)
	}
	t.Fatal(err)
	return nil
}

// Three NodePools, each with a node in each zone, roll the same zone at a time. Karpenter is restarted in the first one, and then goes on in
// it. The story begins on a server that does not know the kind.
func TestServerPolicyRollsTheSameZoneInAllPools(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.NodePool.Annotations = map[string]string{}
		o.Others = []*v1.NodePool{anotherPool("two"), anotherPool("three", karpenter.DisruptionAnnotation, `budgets: [{nodes: "1", per: 1m}]`)}
	})
	s.always = nil
	policy := share(t, s.Client, "zones", `{all: true, budgets: [{nodes: "2"}, {nodes: 100%, topologyKey: topology.kubernetes.io/zone, sequential: true}]}`)
	s.drift()
	s.until(patience, "a node is disrupted", func() bool { return len(s.started(0)) > 0 })
	first := s.started(0)[0][:1]
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.rolls(2 * patience)
	if zones, nodes := world.Peak(s.Timeline()); zones != 1 || nodes > 2 {
		t.Errorf("%d zones and %d nodes were in flight at once, want 1 and at most 2", zones, nodes)
	}
	if turns := zones(s.started(0)); strings.Count(turns, first) != 1 || len(strings.Fields(turns)) != 3 {
		t.Errorf("the zones took turns so: %s; want each once", turns)
	}
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
		t.Fatal(err)
	}
	if text := policy.GetAnnotations()[karpenter.MemoryAnnotation]; !strings.Contains(text, `"roll"`) || strings.Contains(text, `"starts"`) {
		t.Errorf("the memory of the policy is %s", text)
	}
	for _, pool := range []string{"default", "two", "three"} {
		if m, text := s.memoryOf(pool); m.Roll.Key != "" || (len(m.Paces) > 0) != (pool == "three") {
			t.Errorf("the memory of %s is %s", pool, text)
		}
	}
}

// Three NodePools are opted in. A policy caps what all of them have in flight. Karpenter runs unchanged.
func TestServerStewardPolicyCapsAllPools(t *testing.T) {
	s := tellWithSteward(t, limits{3, 3}, `budgets: [{nodes: 100%}]`, func(o *world.Options) {
		o.NodesPerZone = 1
		for _, name := range []string{"two", "three"} {
			o.Others = append(o.Others, anotherPool(name, annotation.Disruption, `budgets: [{nodes: 100%}]`, annotation.Steward, "true"))
		}
	})
	policy := share(t, s.Client, "cap", `{all: true, budgets: [{nodes: "3"}, {nodes: "9", per: 1h}]}`)
	s.drift()
	s.rolls(2 * patience)
	s.quiet()
	if s.watcher.peak < 2 {
		t.Errorf("at most %d nodes were released at once: the policy allows 3", s.watcher.peak)
	}
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
		t.Fatal(err)
	}
	if text := policy.GetAnnotations()[annotation.Memory]; strings.Count(text, `"node"`) != 9 {
		t.Errorf("the memory of the policy is %s, want nine starts", text)
	}
	s.until(patience, "the policy says that it holds", func() bool {
		_ = s.Client.Get(t.Context(), client.ObjectKeyFromObject(policy), policy)
		conditions, _, _ := unstructured.NestedSlice(policy.Object, "status", "conditions")
		return len(conditions) == 2 && conditions[1].(map[string]any)["status"] == "True"
	})
}

// Three NodePools are opted in, and a policy without a memory lets one node of all of them go. The steward is killed at random, at one of its first
// writes, just before the API server has it or just after; the next one begins at once, and sees what it watches late. The first one does not
// stop: it goes on beside the others, and nobody is elected. Who watches the limit is not the steward. DEATHS is how often it dies.
func TestServerStewardDiesUnderACapOfThreePools(t *testing.T) {
	want := 8
	if text := os.Getenv("DEATHS"); text != "" {
		want = must(strconv.Atoi(text))
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	s := tellWithSteward(t, limits{1, 1}, `budgets: [{nodes: 100%}]`, func(o *world.Options) {
		o.NodesPerZone = 1
		for _, name := range []string{"two", "three"} {
			o.Others = append(o.Others, anotherPool(name, annotation.Disruption, `budgets: [{nodes: 100%}]`, annotation.Steward, "true"))
		}
	})
	share(t, s.Client, "cap", `{all: true, budgets: [{nodes: "1"}]}`)
	s.lasts(5 * time.Second) // so that the first steward has seen it
	for _, pool := range []string{"two", "three"} {
		s.until(patience, pool+" is held", func() bool {
			var np v1.NodePool
			err := s.Client.Get(t.Context(), client.ObjectKey{Name: pool}, &np)
			return err == nil && np.Annotations[annotation.StewardEnforced] == "true"
		})
	}
	first := s.stop
	t.Cleanup(func() { first() })
	died, deaths := make(chan bool, 1), 0
	next := func() { s.lead(diesAt(1+random.Int64N(12), random.IntN(2) == 0, died), late(5*time.Second)) }
	next()
	s.drift()
	last := time.Now()
	s.until(time.Duration(want)*time.Minute+2*patience, "stewards have died, and all nodes are new", func() bool {
		select {
		case <-died:
			deaths, last = deaths+1, time.Now()
			t.Logf("%s: %d stewards have died", last.UTC().Format(time.TimeOnly), deaths)
			s.stop()
			next()
		default:
		}
		switch rolled := s.Rolled(); {
		case rolled && deaths >= want:
			return true
		case rolled:
			s.drift()
		}
		return false
	})
	t.Logf("%d stewards have died, the last one %s ago; %d nodes were released", deaths, time.Since(last).Round(time.Second), len(s.watcher.released))
	_, _ = s.counted()
}
