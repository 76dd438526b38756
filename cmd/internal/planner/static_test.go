package planner

import (
	"path/filepath"
	"strings"
	"testing"
)

// At its limit, a static NodePool of twelve nodes is never rolled by stock Karpenter, unless nodes drain first.
func TestStaticNodePoolsAtTheirLimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	static := strings.Replace(fleet(4, `[{nodes: "2"}]`), "spec: {", "spec: {replicas: 12, limits: {nodes: 12}, ", 1)
	if !strings.Contains(static, "replicas: 12") {
		t.Fatal(static)
	}
	write(t, file, static)
	plan := func(args ...string) string {
		got := ran("", append([]string{"-f", file, "--now", "2026-11-20T18:00:00Z", "--try=false"}, args...)...)
		return got.stdout + got.stderr
	}
	if got := plan("--engine", "karpenter"); !strings.Contains(got, "12 never") || !strings.Contains(got, "spec.limits.nodes") {
		t.Errorf("%s", got)
	}
	if got := plan("--engine", "karpenter", "--terminate-first"); !strings.Contains(got, "12 done") {
		t.Errorf("%s", got)
	}
	if got := plan("--engine", "disruptkit"); !strings.Contains(got, "12 done") {
		t.Errorf("an autoscaler that needs no space: %s", got)
	}
	if got := plan("--engine", "disruptkit", "--terminate-first"); !strings.Contains(got, "write --engine karpenter") {
		t.Errorf("%s", got)
	}
}
