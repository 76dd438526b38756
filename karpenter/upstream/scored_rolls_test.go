//go:build scored

package upstream_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/state/cost"

	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A watched method tells a test of the commands that it returns.
type watched struct {
	disruption.ScoredMethod
	tell func([]disruption.Command)
}

func (w watched) ComputeCommands(
	ctx context.Context, budgets map[v1.DisruptionReason]map[string]int, candidates ...*disruption.Candidate,
) ([]disruption.Command, error) {
	commands, err := w.ScoredMethod.ComputeCommands(ctx, budgets, candidates...)
	w.tell(commands)
	return commands, err
}

// withScored runs Karpenter with one method for drift, emptiness and consolidation, as wrap wraps it.
func withScored(
	ctx context.Context, list []controller.Controller, parts world.Parts, wrap func(disruption.ScoredMethod) disruption.ScoredMethod,
) []controller.Controller {
	var provisioner *provisioning.Provisioner
	var queue *disruption.Queue
	at := 0
	for i, one := range list {
		switch one := one.(type) {
		case *provisioning.Provisioner:
			provisioner = one
		case *disruption.Queue:
			queue = one
		case *disruption.Controller:
			at = i
		}
	}
	var methods []disruption.Method
	for _, m := range disruption.NewMethods(
		ctx, parts.Clock, parts.Cluster, parts.Client, provisioner, parts.CloudProvider, parts.Recorder, queue) {
		if _, several := m.(*disruption.MultiNodeConsolidation); !several {
			methods = append(methods, m)
		}
	}
	list[at] = disruption.NewController(ctx, parts.Clock, parts.Client, provisioner, parts.CloudProvider, parts.Recorder, parts.Cluster, queue,
		cost.NewClusterCost(ctx, parts.CloudProvider, parts.Client), disruption.WithScored(wrap(disruption.NewScored(methods...))))
	return list
}

// A peak is what was in flight at most at once.
type peak struct{ zones, nodes int }

// A scoredRoll is a roll by a scored method, while nodes are empty or underutilized.
type scoredRoll struct {
	*world.World
	drifted, others peak // for drift and for the other reasons
	mixed           bool // the method has chosen for several reasons at once
	forgotten       bool // a node of a zone went although the memory did not say so
}

func rollScored(t *testing.T, budgets string, guarded bool) scoredRoll {
	t.Helper()
	r := scoredRoll{}
	mixed := func(commands []disruption.Command) {
		for _, c := range commands {
			r.mixed = r.mixed || c.Reason() != commands[0].Reason()
		}
	}
	guard := func(ctx context.Context, list []controller.Controller, parts world.Parts) ([]controller.Controller, error) {
		stored := func(commands []disruption.Command) {
			for _, c := range commands {
				var np v1.NodePool
				if err := parts.Client.Get(ctx, client.ObjectKey{Name: "default"}, &np); err != nil {
					t.Error(err)
				}
				turn := fmt.Sprintf(`"domain":%q`, c.Candidates[0].Labels()[corev1.LabelTopologyZone])
				r.forgotten = r.forgotten || c.Reason() == v1.DisruptionReasonDrifted && !strings.Contains(np.Annotations[karpenter.MemoryAnnotation], turn)
			}
		}
		return withScored(ctx, list, parts, func(m disruption.ScoredMethod) disruption.ScoredMethod {
			m = watched{m, mixed}
			if !guarded {
				return m
			}
			return watched{guardScored(m, &karpenter.Cluster{
				Client: parts.Client, State: parts.Cluster, Clock: parts.Clock, Recorder: parts.Recorder,
				CloudProvider: parts.CloudProvider, Prober: poll.New(&httpget.Client{}, poll.YAML),
			}), stored}
		}), nil
	}
	pool := world.NewPool("default", v1.Budget{Nodes: "4"})
	pool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("0s")
	pool.Annotations = map[string]string{karpenter.DisruptionAnnotation: "budgets: [" + budgets + "]"}
	r.World = must(world.New(world.Options{NodePool: pool, Tick: 10 * time.Second, Guard: guard}))
	for _, zone := range r.Zones() {
		if err := r.Scale(zone, 4); err != nil { // of 8
			t.Fatal(err)
		}
	}
	if err := r.Drift("AMIDrift"); err != nil {
		t.Fatal(err)
	}
	for end := r.Clock.Now().Add(10 * time.Minute); r.Clock.Now().Before(end); {
		if err := r.Step(); err != nil {
			t.Fatal(err)
		}
		r.look()
	}
	if len(r.Faults) > 0 {
		t.Error(r.Faults)
	}
	return r
}

// look adds what is in flight now to the peaks.
func (r *scoredRoll) look() {
	for _, of := range []struct {
		*peak
		drift bool
	}{{&r.drifted, true}, {&r.others, false}} {
		zones, nodes := map[string]bool{}, 0
		for _, n := range r.Nodes() {
			if n.InFlight && n.For != "" && (n.For == string(v1.DisruptionReasonDrifted)) == of.drift {
				zones[n.Zone] = true
				nodes++
			}
		}
		of.zones, of.nodes = max(of.zones, len(zones)), max(of.nodes, nodes)
	}
}

// One method chooses for all reasons. Guarded, zones take turns for drift, and a budget for the other reasons holds beside it. Plain, neither is so.
func TestAScoredMethodIsGuarded(t *testing.T) {
	const (
		turns  = `{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true, reasons: [Drifted]}`
		frozen = `{nodes: "0", reasons: [Drifted]}`
		one    = `{nodes: "1", reasons: [Empty, Underutilized]}`
		none   = `{nodes: "0", reasons: [Empty, Underutilized]}`
	)
	for _, c := range []struct {
		name, budgets   string
		drifted, others peak
	}{
		{"zones take turns, and one node at a time goes for other reasons", turns + ", " + one, peak{1, 2}, peak{1, 1}},
		{"a freeze of the other reasons does not hold drift", turns + ", " + none, peak{1, 2}, peak{}},
		{"a freeze of drift does not hold the other reasons", frozen + ", " + one, peak{}, peak{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			guarded := rollScored(t, c.budgets, true)
			if guarded.drifted != c.drifted || guarded.others != c.others {
				t.Errorf("guarded, %+v were in flight for drift and %+v for other reasons, want %+v and %+v",
					guarded.drifted, guarded.others, c.drifted, c.others)
			}
			if guarded.Rolled() != (c.drifted.nodes > 0) {
				t.Errorf("guarded, all have rolled: %t", guarded.Rolled())
			}
			if guarded.forgotten {
				t.Error("a node started before the memory of its zone's turn was stored")
			}
			plain := rollScored(t, c.budgets, false)
			if plain.drifted.zones < 2 || plain.others.nodes < 2 || !plain.Rolled() {
				t.Errorf("plain, %+v were in flight for drift and %+v for other reasons: the guard has nothing to do", plain.drifted, plain.others)
			}
			if c.drifted.nodes > 0 && c.others.nodes > 0 && !guarded.mixed {
				t.Error("the method has never chosen for several reasons at once")
			}
		})
	}
}
