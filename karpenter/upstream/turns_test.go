//go:build upstream

package upstream_test

import (
	"context"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeoverlay"
	"sigs.k8s.io/karpenter/pkg/state/prediction"

	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Karpenter's own list of controllers is guarded: none is replaced. Plain, its zones take no turns.
func TestZonesTakeTurns(t *testing.T) {
	for _, guarded := range []bool{true, false} {
		given := 0
		guard := func(ctx context.Context, _ []controller.Controller, parts world.Parts) ([]controller.Controller, error) {
			cluster := &karpenter.Cluster{
				Client: parts.Client, State: parts.Cluster, Clock: parts.Clock, Recorder: parts.Recorder,
				CloudProvider: parts.CloudProvider, Prober: poll.New(&httpget.Client{}, poll.YAML),
			}
			change := func(methods []disruption.Method) []disruption.Method {
				given = len(methods)
				for i, m := range methods {
					if guarded {
						methods[i] = karpenter.Guard(m, cluster)
					}
				}
				return methods
			}
			return controllers.NewControllers(ctx, nil, parts.Clock, parts.Client, parts.Recorder, parts.CloudProvider, parts.CloudProvider,
				parts.Cluster, nodeoverlay.NewInstanceTypeStore(), prediction.NewStore(), controllers.WithDisruptionMethods(change)), nil
		}
		pool := world.NewPool("default", v1.Budget{Nodes: "3"})
		pool.Annotations = map[string]string{
			karpenter.DisruptionAnnotation: `budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]`,
		}
		w := must(world.New(world.Options{NodePool: pool, NodesPerZone: 2, PodsPerNode: 1, Tick: 10 * time.Second, Guard: guard}))
		if err := w.Drift("AMIDrift"); err != nil {
			t.Fatal(err)
		}
		for end := w.Clock.Now().Add(2 * time.Hour); !w.Rolled() && w.Clock.Now().Before(end); {
			if err := w.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if !w.Rolled() || len(w.Faults) > 0 {
			t.Fatalf("the roll does not end: %v", w.Faults)
		}
		if given < 4 {
			t.Errorf("Karpenter gave %d methods, want all of them", given)
		}
		if most, _ := world.Peak(w.Timeline()); (most == 1) != guarded {
			t.Errorf("guarded: %t, and %d zones were in flight at once", guarded, most)
		}
	}
}
