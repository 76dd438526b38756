// Command kubectl-disruption-steward makes a Karpenter that runs unchanged follow disruptkit. With kubectl on the PATH it runs as kubectl
// disruption steward; in the cluster, as the container of its Deployment.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/disruptkit/disruptkit/karpenter/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command.New().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "steward:", err)
		os.Exit(1)
	}
}
