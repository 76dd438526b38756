package kube

import (
	"context"
	"os/exec"
)

// Patch changes an object, such as nodepool/web, by a merge patch.
func (c Cluster) Patch(ctx context.Context, object, patch string) error {
	which, _, err := c.connection(ctx)
	if err != nil {
		return err
	}
	if _, err = exec.CommandContext(ctx, "kubectl", append(which, "patch", object, "--type", "merge", "-p", patch)...).Output(); err != nil {
		return fault(err, "kubectl patch "+object)
	}
	return nil
}
