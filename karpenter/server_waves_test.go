package karpenter_test

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// The waves of a policy are of the nodes of both NodePools. Karpenter is restarted while the canary bakes.
func TestServerWavesOverTwoPools(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
		o.Others = []*v1.NodePool{anotherPool("two")}
	})
	s.always = nil
	policy := share(t, s.Client, "waves", `{all: true, rollout: {waves: [1, 50%], bake: 30s}}`)
	row := len(s.Timeline())
	s.drift()
	s.until(patience, "the canary is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.rolls(2 * patience)
	s.baked(row, 30*time.Second, 1, 3)
	if err := s.Client.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
		t.Fatal(err)
	}
	if text := policy.GetAnnotations()[karpenter.MemoryAnnotation]; text == "" {
		t.Error("the policy has no memory")
	}
}

// A probe denies until after the canary's bake would have ended, which begins again then. In the second wave all nodes drift once more.
func TestServerWavesBeginAgain(t *testing.T) {
	probe, down := sloProbe(t)
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 2
		o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
		o.NodePool.Annotations = map[string]string{
			karpenter.ProbesAnnotation:     probe,
			karpenter.DisruptionAnnotation: `drift: {rollout: {waves: [1, 50%], bake: 30s}}`,
		}
	})
	s.always = nil
	row := len(s.Timeline())
	s.drift()
	s.until(patience, "the canary is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	down.Store(true)
	s.lasts(3 * time.Second) // the probe is asked
	s.stays(40 * time.Second)
	again := s.Clock.Now()
	down.Store(false)
	s.until(patience, "the second wave begins", func() bool { return len(s.started(row)) > 1 })
	if second := s.calls(row)[1]; second.Before(again.Add(30 * time.Second)) {
		t.Errorf("the second wave began at %s: the probe denied until %s", second, again)
	}
	row = len(s.Timeline())
	s.drift()
	s.rolls(2 * patience)
	s.baked(row, 30*time.Second, 1, 3)
}

// Karpenter runs unchanged. The steward dies while the canary bakes, and the next one goes on.
func TestServerStewardWaves(t *testing.T) {
	s := tellWithSteward(t, limits{3, 3}, "budgets: [{nodes: 100%}]\ndrift: {rollout: {waves: [1, 50%], bake: 30s}}", func(o *world.Options) {
		o.NodesPerZone = 2
	})
	row := len(s.Timeline())
	s.drift()
	s.until(patience, "the canary is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	s.stop()
	s.lead()
	s.rolls(2 * patience)
	s.baked(row, 30*time.Second, 1, 3)
	s.quiet()
}

// baked fails unless nodes went since a row in waves that end at so many new nodes, with a bake after each. How busy the machine is does not
// matter.
func (s *story) baked(from int, bake time.Duration, waves ...int) {
	s.t.Helper()
	calls := s.calls(from)
	for _, nodes := range waves {
		if end := s.done(from, nodes); calls[nodes].Before(end.Add(bake - 3*time.Second)) {
			s.t.Errorf("node %d was disrupted at %s, before the wave of %d nodes, done at %s, had baked", nodes+1, calls[nodes], nodes, end)
		}
	}
}
