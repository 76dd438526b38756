package kube

import (
	"bytes"
	"context"
	"io"
	"os/exec"
)

// Events returns the Events about a node, as a list in JSON. Events about objects without a namespace are in the namespace default, so
// that nothing else need be readable.
func (c Cluster) Events(ctx context.Context, node string) (io.Reader, error) {
	which, _, err := c.connection(ctx)
	if err != nil {
		return nil, err
	}
	args := append(which, "get", "events", "--namespace", "default",
		"--field-selector", "involvedObject.kind=Node,involvedObject.name="+node, "--output", "json")
	out, err := exec.CommandContext(ctx, "kubectl", args...).Output()
	if err != nil {
		return nil, fault(err, "kubectl get events")
	}
	return bytes.NewReader(out), nil
}
