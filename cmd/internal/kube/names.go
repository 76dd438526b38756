package kube

import (
	"context"
	"os/exec"
	"slices"
	"strings"
)

// Names returns the names of what there is of a kind: NodePool, node, or context, which is in the kubeconfig. It is for
// completions, and returns none where kubectl fails.
func (c Cluster) Names(ctx context.Context, kind string) (names []string) {
	args := append(slices.Clip(c.Flags.args), "get", map[string]string{"NodePool": "nodepools", "node": "nodes"}[kind], "--output", "name")
	if kind == "context" {
		args = append(c.Flags.without("context"), "config", "get-contexts", "--output", "name")
	}
	out, err := exec.CommandContext(ctx, "kubectl", args...).Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) { // contexts may have names with spaces
		line = strings.TrimSpace(line)
		if kind != "context" {
			_, line, _ = strings.Cut(line, "/")
		}
		names = append(names, line)
	}
	return names
}
