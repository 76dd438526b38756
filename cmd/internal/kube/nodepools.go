package kube

import (
	"bytes"
	"context"
	"io"
	"os/exec"
)

// NodePools returns the NodePools, as a list in JSON. It says nothing: Get does when all objects are read.
func (c Cluster) NodePools(ctx context.Context) (io.ReadCloser, error) {
	which, _, err := c.connection(ctx)
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "kubectl", append(which, "get", "nodepools", "--output", "json")...).Output()
	if err != nil {
		return nil, fault(err, "kubectl get nodepools")
	}
	return io.NopCloser(bytes.NewReader(out)), nil
}
