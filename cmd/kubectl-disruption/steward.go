package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/kube"
	"github.com/disruptkit/disruptkit/cmd/steward"
)

// newSteward returns the commands for the steward, which itself runs in the cluster.
func newSteward(cluster kube.Cluster) *cobra.Command {
	c := &cobra.Command{
		Use: "steward COMMAND", Short: "Install, watch and remove the steward, by which stock Karpenter follows disruptkit",
		Long: `The steward makes an unchanged Karpenter follow disruptkit: it holds all nodes of the NodePools that are opted in, with the annotation
karpenter.sh/do-not-disrupt, and releases those that may be disrupted, for a while.

A NodePool is opted in once it is annotated:

  kubectl annotate nodepool NAME disruptkit.dev/steward=true`,
		DisableFlagsInUseLine: true,
	}
	c.AddCommand(steward.Commands(func(ctx context.Context) (steward.Cluster, func(), error) {
		client, end, err := cluster.Proxy(ctx)
		return steward.Cluster{URL: "http://localhost", HTTP: client}, end, err
	})...)
	return c
}
