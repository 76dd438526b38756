package forecast

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// Faults of a cluster are reported as those of a file: once.
func TestFaultsOfAClusterAreReportedOnce(t *testing.T) {
	const objects = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web}
spec: {disruption: {budgets: [{nodes: "1"}]}}
---
apiVersion: disruptkit.dev/v1alpha1
kind: DisruptionPolicy
metadata: {name: prod}
spec: {all: true, budgets: [{nodes: x}]}
`
	for name, env := range map[string]command.Environment{
		"a cluster": {Cluster: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(objects)), nil }},
		"a file":    {Stdin: strings.NewReader(objects)},
	} {
		args := []string{"--engine", "guard", "--from", "2026-11-23"}
		if env.Cluster == nil {
			args = append(args, "-")
		}
		var stdout, stderr bytes.Buffer
		env.Stdout, env.Stderr = &stdout, &stderr
		status := command.Run(context.Background(), env, Command, args)
		for _, once := range []string{"DisruptionPolicy/prod: spec.budgets[0]", "DisruptionPolicy/prod is not part of what is said"} {
			if n := strings.Count(stderr.String(), once); n != 1 || status != faulty {
				t.Errorf("%s: status %d, and %q %d times: %s", name, status, once, n, stderr.String())
			}
		}
	}
}
