package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// The fleet, its NodePool, and what that is annotated with.
const (
	zones        = 3
	nodesPerZone = 4
	most         = "3"
	policy       = `budgets:
- nodes: "2"
  topologyKey: topology.kubernetes.io/zone
  sequential: true
  reasons: [Drifted]
`
)

// A story is how a fleet was rolled.
type story struct {
	start time.Time
	rows  []world.Row
}

// tell rolls the fleet.
func tell(guarded bool) (story, error) {
	pool := world.NewPool("default", v1.Budget{Nodes: most})
	pool.Annotations = map[string]string{karpenter.DisruptionAnnotation: policy}
	o := world.Options{Zones: zones, NodesPerZone: nodesPerZone, NodePool: pool}
	if guarded {
		o.Guard = guard
	}
	w, err := world.New(o)
	if err != nil {
		return story{}, err
	}
	if err := w.Drift("AMIDrift"); err != nil {
		return story{}, err
	}
	s := story{start: w.Clock.Now()}
	if err := w.Run(time.Hour, (*world.World).Rolled); err != nil {
		return story{}, fmt.Errorf("the fleet is not rolled: %w", err)
	}
	s.rows = w.Timeline()
	return s, errors.Join(w.Faults...)
}

// guard does what the main of a Karpenter with the guard does between NewControllers and WithControllers.
func guard(ctx context.Context, list []controller.Controller, parts world.Parts) ([]controller.Controller, error) {
	return karpenter.Controllers(ctx, &karpenter.Cluster{
		Client: parts.Client, State: parts.Cluster, Clock: parts.Clock, Recorder: parts.Recorder,
		CloudProvider: parts.CloudProvider,
	}, list), nil
}

// at returns what the fleet looks like at a time after the start, and whether it is still being rolled.
func (s story) at(after time.Duration) (world.Row, bool) {
	last := world.Row{}
	for _, row := range s.rows {
		if row.At.Sub(s.start) > after {
			return last, true
		}
		last = row
	}
	return last, false
}

// took returns how long the roll has taken.
func (s story) took() time.Duration { return s.rows[len(s.rows)-1].At.Sub(s.start) }

// crowd returns how many nodes a zone had at the most, both old and new.
func (s story) crowd() (nodes int) {
	for _, row := range s.rows {
		for _, c := range row.Zones {
			nodes = max(nodes, c.Old+c.InFlight+c.New)
		}
	}
	return nodes
}

// replaced returns how many nodes are gone in the end.
func (s story) replaced() (nodes int) {
	for _, row := range s.rows {
		for _, note := range row.Notes {
			if strings.HasSuffix(note, " gone") {
				nodes++
			}
		}
	}
	return nodes
}
