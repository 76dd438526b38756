package main

import (
	"strings"
	"testing"
)

func TestNamesAreCompletedFromTheClusterAndFromAFile(t *testing.T) {
	calls := recording(t)
	const file = "-f ../internal/bundled/cluster.json"
	for _, c := range []struct{ args, want, call string }{
		{"why ", "ip-1 ip-2", "get nodes --output name"},
		{"--context prod-us why ", "ip-1 ip-2", "--context=prod-us get nodes --output name"},
		{"decide --pool ", "ip-1 ip-2", "get nodepools --output name"},
		{"decide --context ", "prod-eu prod-us", "config get-contexts --output name"},
		{"decide " + file + " --pool ", "batch general", ""},
		{"lint " + file + " --pool g", "general", ""},
		{"plan --pool b " + file + " --pool b", "batch", ""},
		{"status ", "ip-1 ip-2", "get nodepools --output name"},
		{"status " + file + " b", "batch", ""},
		{"why " + file + " ip-10-0-36-2", "ip-10-0-36-243.us-west-2.compute.internal", ""},
		{"decide --demo --pool ", "batch general", ""},
		{"why --demo ip-10-0-36-2", "ip-10-0-36-243.us-west-2.compute.internal", ""},
		{"decide --demo --context ", "prod-eu prod-us", "config get-contexts --output name"},
		{"decide --engine ", "karpenter guard steward disruptkit", ""},
		{"decide --reason U", "Underutilized Unhealthy", ""},
		{"decide --no", "--now", ""},
		{"explain never-b", "never-binds", ""},
	} {
		got := ran(t, append([]string{"__completeNoDesc"}, strings.Split(c.args, " ")...)...)
		list, directive, _ := strings.Cut(got.stdout, ":")
		if strings.Join(strings.Fields(list), " ") != c.want || directive != "4\n" {
			t.Errorf("%s: got %q, want %q", c.args, got.stdout, c.want)
		}
		if made := calls(); made[0] != c.call {
			t.Errorf("%s: kubectl was called with %q", c.args, made)
		}
	}
	if got := ran(t, "__complete", "lint", ""); !strings.HasPrefix(got.stdout, ":0") {
		t.Errorf("files: %+v", got)
	}
	fakeKubectl(t, "echo no >&2; exit 1\n")
	if got := ran(t, "__complete", "why", ""); got.status != 0 || !strings.HasPrefix(got.stdout, ":4") {
		t.Errorf("without a cluster: %+v", got)
	}
}
