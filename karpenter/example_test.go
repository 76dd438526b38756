package karpenter_test

import (
	"log"

	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/node/health"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator"

	"github.com/disruptkit/disruptkit/karpenter"
)

// The main of a provider, here that of Karpenter's kwok provider, with all disruption methods guarded.
func ExampleControllers() {
	ctx, op := operator.NewOperator()
	instanceTypes, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	overlayUndecoratedCloudProvider := kwok.NewCloudProvider(ctx, op.GetClient(), instanceTypes)
	cloudProvider := overlay.Decorate(overlayUndecoratedCloudProvider, op.GetClient(), op.InstanceTypeStore)
	repairPolicies, err := health.NewRepairPolicyMatcher(ctx, cloudProvider)
	if err != nil {
		log.Fatal(err)
	}
	clusterState := state.NewCluster(op.Clock, op.GetClient(), cloudProvider, state.WithRepairPolicyMatcher(repairPolicies))

	list := controllers.NewControllers(ctx, op.Manager, op.Clock, op.GetClient(), op.EventRecorder,
		cloudProvider, overlayUndecoratedCloudProvider, clusterState, op.InstanceTypeStore, op.PredictionStore)
	guarded := karpenter.Controllers(ctx, &karpenter.Cluster{
		Client:        op.GetClient(),
		State:         clusterState,
		Clock:         op.Clock,
		Recorder:      op.EventRecorder,
		CloudProvider: cloudProvider,
	}, list)
	op.WithControllers(ctx, guarded...).Start(ctx)
}
