package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With --demo no cluster is asked: kubectl, which is not there, is not run.
func TestADemoAsksNoCluster(t *testing.T) {
	fakeKubectl(t, "echo asked >&2; exit 1\n")
	for command, want := range map[string]string{
		"decide":        "\nDrifted, allowed now: ip-10-0-36-243",
		"why -- 44-26.": "ip-10-0-44-26", // it is Consolidatable: of a cluster, its events would be asked for
		"forecast":      "A week at a glance",
		"plan":          "What would help most",
		"status":        "37 of 50 nodes up to date",
	} {
		name, rest, _ := strings.Cut(command, " ")
		got := ran(t, append([]string{name, "--demo"}, strings.Fields(rest)...)...)
		if got.status == 2 || !strings.Contains(got.stdout, want) || strings.Contains(got.stderr, "asked") {
			t.Errorf("%s: exit status %d\n%s%s", command, got.status, got.stdout, got.stderr)
		}
	}
}

// What is bundled and what somebody names are not read together.
func TestADemoIsNotAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte("kind: NodePool\nmetadata: {name: p}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"decide", "--demo", "-f", file}, {"why", "a", "-f", file, "--demo"}, {"forecast", "--demo", file}, {"forecast", "--demo", "-f", file},
		{"plan", "--demo", "-f", file}, {"metrics", "--demo", "-f", file}, {"status", "--demo", "-f", file},
		{"status", "--demo", "--wait", "-f", file}, {"dashboard", "--demo", "-f", file},
	} {
		got := ran(t, args...)
		if want := "kubectl disruption " + args[0] + ": --demo shows an example: leave it out to read a file\n"; got.status != 2 || got.stderr != want || got.stdout != "" {
			t.Errorf("%v: %+v, want %s", args, got, want)
		}
	}
	for _, args := range [][]string{{"lint", "--demo"}, {"explain", "--demo"}} {
		if got := ran(t, args...); got.status != 2 || !strings.Contains(got.stderr, "unknown flag: --demo") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
