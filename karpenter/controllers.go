package karpenter

import (
	"context"
	"errors"
	"fmt"

	"github.com/awslabs/operatorpkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	metricsnodepool "sigs.k8s.io/karpenter/pkg/controllers/metrics/nodepool"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state/informer"
	"sigs.k8s.io/karpenter/pkg/state/cost"

	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Controllers returns the controllers from Karpenter's NewControllers with all methods of the disruption controller
// guarded, with two more methods, which replace nodes for which ReplaceAnnotation asks, and nodes at the age that ExpireAnnotation says, and two
// more controllers: one runs probes, and one writes the status of DisruptionPolicies:
//
//	list := controllers.NewControllers(ctx, …)
//	op.WithControllers(ctx, karpenter.Controllers(ctx, &karpenter.Cluster{…}, list)...)
//
// It panics if there is no disruption controller, since nothing would be guarded.
//
// NewControllers does not accept methods. So Controllers replaces its disruption controller with one that has guarded
// methods, on the same provisioner and queue. It also replaces the controllers that track the costs of NodePools,
// because NewControllers does not expose these costs, and the new disruption controller needs them.
func Controllers(ctx context.Context, c *Cluster, list []controller.Controller) []controller.Controller {
	if c.Prober == nil {
		runner := poll.New(&httpget.Client{}, poll.YAML)
		c.Prober = runner
		list = append(list[:len(list):len(list)], probing{runner})
	}
	list = append(list[:len(list):len(list)], reporting{&shared.Reporter{Client: c.Client, Methods: c.ownMethods, Calendars: c.Calendars}})
	guarded, err := c.guardAll(ctx, list)
	if err != nil {
		panic(fmt.Errorf("guarding Karpenter's methods: %w", err))
	}
	return guarded
}

func (c *Cluster) guardAll(ctx context.Context, list []controller.Controller) ([]controller.Controller, error) {
	var provisioner *provisioning.Provisioner
	var queue *disruption.Queue
	for _, one := range list {
		switch one := one.(type) {
		case *provisioning.Provisioner:
			provisioner = one
		case *disruption.Queue:
			queue = one
		}
	}
	if provisioner == nil || queue == nil {
		return nil, errors.New("the list has no provisioner or no disruption queue: pass what controllers.NewControllers returns")
	}
	costs := cost.NewClusterCost(ctx, c.CloudProvider, c.Client)
	methods := c.withReplacement(disruption.NewMethods(
		ctx, c.Clock, c.State, c.Client, provisioner, c.CloudProvider, c.Recorder, queue))
	for i, m := range methods {
		methods[i] = Guard(m, c)
	}
	replaced := false
	guarded := make([]controller.Controller, len(list))
	for i, one := range list {
		switch one.(type) {
		case *disruption.Controller:
			one = disruption.NewController(ctx, c.Clock, c.Client, provisioner, c.CloudProvider, c.Recorder, c.State, queue, costs,
				disruption.WithMethods(methods...))
			replaced = true
		case *informer.NodePoolController:
			one = informer.NewNodePoolController(c.Client, c.CloudProvider, c.State, costs)
		case *informer.NodeClaimController:
			one = informer.NewNodeClaimController(c.Client, c.CloudProvider, c.State, costs)
		case *informer.PricingController:
			one = informer.NewPricingController(c.Client, c.CloudProvider, costs)
		case *metricsnodepool.Controller:
			one = metricsnodepool.NewController(c.Client, c.CloudProvider, costs)
		}
		guarded[i] = one
	}
	if !replaced {
		return nil, errors.New("the list has no disruption controller: pass what controllers.NewControllers returns")
	}
	return guarded, nil
}

// reporting writes the status of DisruptionPolicies while the manager runs and is the leader.
type reporting struct{ *shared.Reporter }

func (r reporting) Register(_ context.Context, m manager.Manager) error {
	return m.Add(manager.RunnableFunc(r.Run))
}

// probing runs probes while the manager runs and is the leader.
type probing struct{ *poll.Runner }

func (p probing) Register(_ context.Context, m manager.Manager) error {
	return m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		p.Run(ctx)
		return nil
	}))
}
