package decide

import (
	"strings"
	"testing"
)

func TestOnePoolOrOneNodeIsShown(t *testing.T) {
	for _, test := range []struct {
		name        string
		args        []string
		with, never string
	}{
		{"a pool", []string{"--pool", "batch"}, "ip-10-0-36-243", "general"},
		{"the other", []string{"--pool", "general"}, "ip-10-0-108-90", "batch"},
		{"a node", []string{"--node", "ip-10-0-108-90"}, "ip-10-0-108-90", "ip-10-0-45-14"},
		{"a node as JSON", []string{"--node", "ip-10-0-108-90", "-o", "json"}, "ip-10-0-108-90", "ip-10-0-45-14"},
		{"a pool as JSON", []string{"--pool", "batch", "-o", "json"}, "ip-10-0-36-243", `"general"`},
		{"reasons in any case", []string{"--reason", "empty,DRIFTED/AMIDrift"}, "Drifted/AMIDrift: ", "Underutilized: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := decided("", test.args...)
			if got.status == hopeless || !strings.Contains(got.stdout, test.with) || strings.Contains(got.stdout, test.never) {
				t.Errorf("status %d, %s\n%s", got.status, got.stderr, got.stdout)
			}
		})
	}
}
