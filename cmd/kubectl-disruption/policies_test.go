package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A policy that may not be listed is not one that is not there, and a cluster without the CustomResourceDefinition is not broken.
func TestDisruptionPoliciesAreAskedForWhereTheClusterHasThem(t *testing.T) {
	fakeKubectl(t, answering)
	objects(t, "../internal/bundled/cluster.json")
	const kinds = "nodepools, nodeclaims, nodes, pods, poddisruptionbudgets"
	if got := ran(t, "decide"); !strings.Contains(got.stderr, kinds+"\n") || got.status == 2 {
		t.Errorf("without the kind: %d, %s", got.status, got.stderr)
	}
	t.Setenv("POLICIES", `echo '{"kind":"APIResourceList"}'`)
	if got := ran(t, "decide"); !strings.Contains(got.stderr, kinds+", disruptionpolicies.disruptkit.dev\n") || got.status == 2 {
		t.Errorf("with the kind: %d, %s", got.status, got.stderr)
	}
	t.Setenv("POLICIES", `echo 'Error from server (Forbidden): forbidden: User "bob" cannot get path' >&2; exit 1`)
	if got := ran(t, "decide"); got.status != 2 || got.stdout != "" || !strings.Contains(got.stderr, "Forbidden") {
		t.Errorf("where it is not known: %d, %s, %s", got.status, got.stdout, got.stderr)
	}
}

func TestDisruptionPoliciesThatMayNotBeListedAreAnError(t *testing.T) {
	fakeKubectl(t, `case "$*" in
"config current-context") echo prod-eu ;;
*) echo 'Error from server (Forbidden): disruptionpolicies.disruptkit.dev is forbidden: User "bob" cannot list resource "disruptionpolicies"' >&2; exit 1 ;;
esac
`)
	t.Setenv("POLICIES", "true")
	if got := ran(t, "decide"); got.status != 2 || !strings.Contains(got.stderr, "so disruptionpolicies.disruptkit.dev may be missing") {
		t.Errorf("%d, %s", got.status, got.stderr)
	}
}

func TestEveryProgramObeysOrNamesADisruptionPolicy(t *testing.T) {
	cluster, err := os.ReadFile("../internal/bundled/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	const policy = `{"apiVersion": "disruptkit.dev/v1alpha1", "kind": "DisruptionPolicy", "metadata": {"name": "turns"}, "spec": {"all": true, "budgets": [{"nodes": 0}, {"nodes": "5"}]}}`
	file := filepath.Join(t.TempDir(), "cluster.json")
	if err := os.WriteFile(file, append(cluster, policy...), 0o600); err != nil {
		t.Fatal(err)
	}
	const now = "2026-11-20T10:30:00Z"
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"decide", "-v", "--engine", "disruptkit", "--now", now, "-f", file}, "group turns: 0 of"},
		{[]string{"decide", "--engine", "disruptkit", "--now", now, "-f", file, "-o", "json"}, `"disruptionPolicies": [`},
		{[]string{"why", "ip-10-0-36-243", "--engine", "disruptkit", "--now", now, "-f", file}, "group turns: 0 of"},
		{[]string{"plan", "--engine", "disruptkit", "--now", now, "-f", file}, "group turns: 0 of"},
		{[]string{"forecast", "--engine", "disruptkit", file}, "DisruptionPolicy/turns is not part of"},
		{[]string{"decide", "--now", now, "-f", file}, "stock Karpenter reads no DisruptionPolicy"},
		{[]string{"decide", "-v", "--engine", "guard", "--now", now, "-f", file}, "group turns: 0 of"},
		{[]string{"decide", "-v", "--engine", "steward", "--now", now, "-f", file}, "group turns: 0 of"},
		{[]string{"lint", "--engine", "steward", file}, "DisruptionPolicy/turns is not part of"},
		{[]string{"lint", file}, "stock Karpenter reads no DisruptionPolicy"},
	} {
		if got := ran(t, test.args...); !strings.Contains(strings.Join(strings.Fields(got.stdout+got.stderr), " "), test.want) {
			t.Errorf("%q does not say %q: %s%s", test.args, test.want, got.stdout, got.stderr)
		}
	}
}

func TestLintReadsDisruptionPolicies(t *testing.T) {
	const pools = "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: web, labels: {team: a}}, spec: {disruption: {budgets: [{nodes: 10%}]}}}\n---\n" +
		"{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: gpu}, spec: {disruption: {budgets: [{nodes: 10%}]}}}\n---\n"
	policy := func(name, spec string) string {
		return "{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: " + name + "}, spec: " + spec + "}\n---\n"
	}
	for _, test := range []struct{ text, want string }{
		{policy("a", "{nodePoolSelector: {matchLabels: {team: x}}, budgets: [{nodes: 1}]}"), "warning selects-nothing"},
		{policy("a", "{all: true, budgets: [{nodes: ten}]}"), `error unreadable`},
		{policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: 5}]}") + policy("cap", "{all: true, budgets: [{nodes: 3}]}"), "warning overruled"},
		{policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: 2}]}") + policy("cap", "{all: true, budgets: [{nodes: 3}]}"), ""},
	} {
		file := filepath.Join(t.TempDir(), "pools.yaml")
		if err := os.WriteFile(file, []byte(pools+test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ran(t, "lint", "--engine", "disruptkit", file)
		all := got.stdout + got.stderr
		if !strings.Contains(all, test.want) || test.want == "" && (strings.Contains(all, "overruled") || strings.Contains(all, "selects-nothing")) {
			t.Errorf("%s: want %q: %s", test.text, test.want, all)
		}
	}
}
