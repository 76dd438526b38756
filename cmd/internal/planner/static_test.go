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

// No launch begins in the outage, so that the whole roll waits for its end.
func TestNoCapacity(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(4, `[{nodes: "100%"}]`))
	plan := func(args ...string) string {
		got := ran("", append([]string{"-f", file, "--now", "2026-11-20T18:00:00Z", "--engine", "karpenter", "--try=false"}, args...)...)
		return got.stdout + got.stderr
	}
	none := "2026-11-20T17:00:00Z/2026-11-20T19:00:00Z"
	if got := plan("--no-capacity", none); !strings.Contains(got, "12 done by Fri 20 Nov 19:05") || !strings.Contains(got, "without capacity") {
		t.Errorf("%s", got)
	}
	if got := plan("--no-capacity", "nowhere: "+none); !strings.Contains(got, `--no-capacity: the cluster has no NodePool "nowhere"`) {
		t.Errorf("%s", got)
	}
	if got := plan("--no-capacity", "8h"); !strings.Contains(got, `--no-capacity "8h": a schedule and a duration are missing`) {
		t.Errorf("%s", got)
	}
}
