package karpenter_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// One seed is a whole story of guard, world and clock: the fleet, its budgets, and what happens to it and when. What the guard decides in it is
// decided again from its recording. To tell a story again:
//
//	SEED=17 go test -run TestStoriesOfSeeds .
func TestStoriesOfSeeds(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2, 3}
	if os.Getenv("EXHAUSTIVE") != "" { // as in the step kubernetes of .ci/run
		seeds = append(seeds, 4, 5, 6)
	}
	if text := os.Getenv("SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SEED=%s is no number", text)
		}
		seeds = []uint64{seed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			first := seeded(t, seed)
			if seed > 1 && os.Getenv("SEED") == "" {
				return // that a story is always the same is tried once
			}
			if diff := cmp.Diff(first, seeded(t, seed)); diff != "" {
				t.Error("the same seed tells another story:\n", diff)
			}
		})
	}
}

// seeded plays the story of a seed, and returns what came to pass. Zones take turns, and budgets hold, whatever happens.
func seeded(t *testing.T, seed uint64) string {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 0))
	most := 1 + chance.IntN(3)
	budgets := fmt.Sprintf("budgets: [{nodes: %q}, {nodes: 100%%, topologyKey: topology.kubernetes.io/zone, sequential: true}]\n", strconv.Itoa(most))
	s := record(t, recorded(t), func(o *world.Options) {
		o.NodesPerZone, o.PodsPerNode, o.PDB = 1+chance.IntN(4), 1+chance.IntN(2), chance.IntN(2)
		o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
		o.NodePool.Annotations = map[string]string{
			karpenter.DisruptionAnnotation: budgets, karpenter.ProbesAnnotation: `[{name: slo, host: slo.example.com, port: 80}]`,
		}
	})
	annotate := func(text string) {
		t.Helper()
		if err := s.UpdatePool(func(p *v1.NodePool) { p.Annotations[karpenter.DisruptionAnnotation] = text }); err != nil {
			t.Fatal(err)
		}
	}
	restart := func() {
		t.Helper()
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	s.drift()
	for range 12 {
		zone := s.Zones()[chance.IntN(len(s.Zones()))]
		event := []struct {
			what string
			do   func()
		}{
			{"a restart", restart},
			{"instances of zone " + zone + " never become Ready", func() { s.Break(zone, true) }},
			{"those of zone " + zone + " do, from now on", func() { s.Break(zone, false) }},
			{"the probe denies", func() { s.endpoint.down = true }},
			{"the probe allows", func() { s.endpoint.down = false }},
			{"a freeze", func() { annotate(budgets + `- {nodes: "0"}`) }},
			{"no freeze", func() { annotate(budgets) }},
			{"a new revision", s.drift},
		}[chance.IntN(8)]
		told = append(told, s.Clock.Now().Format(time.TimeOnly)+" "+event.what)
		event.do()
		s.lasts(time.Duration(10+chance.IntN(300)) * time.Second)
	}
	told = append(told, s.Clock.Now().Format(time.TimeOnly)+" all is well")
	for _, zone := range s.Zones() {
		s.Break(zone, false)
	}
	for _, n := range s.Nodes() {
		s.Fail(n.Name, false)
	}
	s.endpoint.down = false
	annotate(budgets)
	s.rolls(6 * time.Hour)
	if zones, nodes := world.Peak(s.Timeline()); zones > 1 || nodes > most {
		t.Errorf("%d zones and %d nodes were in flight at once, want 1 and at most %d, in the story of SEED=%d:\n%s", zones, nodes, most, seed, strings.Join(told, "\n"))
	}
	for _, row := range s.Timeline() {
		told = append(told, row.String())
	}
	_, memory := s.memoryOf("default")
	return strings.Join(append(told, memory), "\n")
}
