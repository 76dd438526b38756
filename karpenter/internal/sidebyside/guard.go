package sidebyside

import (
	"context"

	"github.com/awslabs/operatorpkg/controller"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// Guard does what the main of a Karpenter with the guard does between NewControllers and WithControllers.
func Guard(ctx context.Context, list []controller.Controller, parts world.Parts) ([]controller.Controller, error) {
	return karpenter.Controllers(ctx, &karpenter.Cluster{
		Client: parts.Client, State: parts.Cluster, Clock: parts.Clock, Recorder: parts.Recorder,
		CloudProvider: parts.CloudProvider,
	}, list), nil
}
