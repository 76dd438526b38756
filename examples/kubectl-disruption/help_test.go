package main

import (
	"bytes"
	"strings"
	"testing"
)

// As a command of kubectl, no program shows what is bundled with it: without a file it asks the cluster.
func TestHelpPromisesTheClusterNotWhatIsBundled(t *testing.T) {
	for _, name := range []string{"decide", "why", "forecast", "plan", "lint", "metrics"} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), []string{name, "-h"}, strings.NewReader(""), &stdout, &stderr)
		if status != 0 || !strings.Contains(stdout.String(), "cluster of kubectl's context") {
			t.Errorf("%s: status %d\n%s%s", name, status, &stdout, &stderr)
		}
		for _, wrong := range []string{"a bundled cluster", "for the bundled", "a NodePool of its own"} {
			if strings.Contains(stdout.String(), wrong) {
				t.Errorf("%s promises %q", name, wrong)
			}
		}
	}
}
