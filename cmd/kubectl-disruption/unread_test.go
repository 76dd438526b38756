package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// programs are the commands that read a cluster, and the kinds that each asks for.
var programs = []struct {
	name  string
	args  []string
	kinds []string
}{
	{"decide", nil, decisionKinds},
	{"decide as JSON", []string{"-o", "json"}, decisionKinds},
	{"why", []string{"ip-10-0-36-243"}, decisionKinds},
	{"plan", nil, decisionKinds},
	{"status", []string{"--runs", "1"}, decisionKinds},
	{"status as JSON", []string{"-o", "json", "--runs", "1"}, decisionKinds},
	{"plan as JSON", []string{"-o", "json"}, decisionKinds},
	{"metrics", nil, decisionKinds},
	{"forecast", nil, []string{"nodepools"}},
	{"lint", nil, []string{"nodepools"}},
}

var (
	decisionKinds = []string{"nodepools", "nodeclaims", "nodes", "pods", "poddisruptionbudgets"}
	kindOf        = map[string]string{
		"nodepools": "NodePool", "nodeclaims": "NodeClaim", "nodes": "Node", "pods": "Pod", "poddisruptionbudgets": "PodDisruptionBudget",
	}
	groupOf = map[string]string{"nodepools": "karpenter.sh", "nodeclaims": "karpenter.sh", "poddisruptionbudgets": "policy"}
)

// bundledList returns the bundled cluster, with a function applied to its fields and its items.
func bundledList(t *testing.T, change func(list map[string]any, items []any) []any) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../internal/bundled/cluster.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list map[string]any
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	list["items"] = change(list, list["items"].([]any))
	text, err = json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lacking returns the bundled cluster without the objects of a resource.
func lacking(t *testing.T, resource string) string {
	return bundledList(t, func(_ map[string]any, items []any) []any {
		return slices.DeleteFunc(items, func(item any) bool { return item.(map[string]any)["kind"] == kindOf[resource] })
	})
}

// kubectlPrints lets kubectl print a text, and then say something and fail, if there is anything to say.
func kubectlPrints(t *testing.T, text, said string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `[ "$1" = config ] && { echo prod-eu; exit; }` + "\ncat " + file + "\n"
	if said != "" {
		script += "echo '" + said + "' >&2; exit 1\n"
	}
	fakeKubectl(t, script)
}

// kubectl prints the kinds that it may list, says which it may not, and fails.
func TestAKindThatKubectlMayNotListIsAnErrorInEachProgram(t *testing.T) {
	for _, p := range programs {
		for _, resource := range p.kinds {
			name := resource
			if group := groupOf[resource]; group != "" {
				name += "." + group
			}
			said := fmt.Sprintf(`Error from server (Forbidden): %s is forbidden: User "nodes" cannot list resource "%s" in API group "%s" at the cluster scope`,
				name, resource, groupOf[resource])
			kubectlPrints(t, lacking(t, resource), said)
			command, _, _ := strings.Cut(p.name, " ")
			got := ran(t, append([]string{command}, p.args...)...)
			want := "kubectl get: exit status 1, and so " + resource + " may be missing: "
			if got.status != 2 || got.stdout != "" || !strings.Contains(got.stderr, want) {
				t.Errorf("%s without %s: status %d\n%.300s\n%s", p.name, resource, got.status, got.stdout, got.stderr)
			}
		}
	}
}

// A file cannot show why a kind is not in it. Without a kind that could block nodes nothing may be disrupted, and without
// PodDisruptionBudgets, which many clusters do not have, the answer says so.
func TestAKindThatAFileLacksBlocksNodesOrIsNamed(t *testing.T) {
	for _, p := range programs {
		for _, resource := range p.kinds {
			file := filepath.Join(t.TempDir(), "objects.json")
			if err := os.WriteFile(file, []byte(lacking(t, resource)), 0o600); err != nil {
				t.Fatal(err)
			}
			command, _, _ := strings.Cut(p.name, " ")
			got := ran(t, append([]string{command, "-f", file, "--now", "2026-11-20T10:30:00Z"}, p.args...)...)
			no := "no " + kindOf[resource]
			switch {
			case command == "forecast" || command == "lint" || command == "why" && resource == "nodes" ||
				command == "status" && resource != "poddisruptionbudgets":
				if got.status != 2 || command == "status" && !strings.Contains(got.stderr, no+"s were given") {
					t.Errorf("%s without %s: status %d\n%s", p.name, resource, got.status, got.stderr)
				}
			case !strings.Contains(strings.ToLower(got.stdout), strings.ToLower(no)+"s were given") && command != "metrics" && p.name != "plan as JSON" && p.name != "status as JSON":
				t.Errorf("%s without %s does not say so: %.300s", p.name, resource, got.stdout)
			case !strings.Contains(got.stderr, no):
				t.Errorf("%s without %s has no note: %s", p.name, resource, got.stderr)
			}
			if resource == "poddisruptionbudgets" {
				continue
			}
			for _, wrong := range []string{"it may be disrupted now", "could be disrupted at once", "No node has to go"} {
				if strings.Contains(got.stdout, wrong) {
					t.Errorf("%s without %s says %q\n%s", p.name, resource, wrong, got.stdout)
				}
			}
			if starts := startsOf(t, p.name, got.stdout); len(starts) > 0 {
				t.Errorf("%s without %s: %v", p.name, resource, starts)
			}
		}
	}
}

// startsOf returns the nodes that may be disrupted, or start, as an answer in JSON says.
func startsOf(t *testing.T, program, text string) (nodes []string) {
	t.Helper()
	if !strings.HasSuffix(program, "JSON") || text == "" {
		return nil
	}
	var answer struct {
		Decisions []struct{ Allowed []struct{ Node string } }
		Plan      struct {
			Nodes []struct {
				Name  string
				Start *string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	for _, d := range answer.Decisions {
		for _, a := range d.Allowed {
			nodes = append(nodes, a.Node)
		}
	}
	for _, n := range answer.Plan.Nodes {
		if n.Start != nil {
			nodes = append(nodes, n.Name)
		}
	}
	return nodes
}

// Where kubectl has listed everything, a kind without objects is not missing.
func TestAClusterWithoutPodDisruptionBudgetsHasNone(t *testing.T) {
	kubectlPrints(t, lacking(t, "poddisruptionbudgets"), "")
	for _, p := range programs[:8] {
		command, _, _ := strings.Cut(p.name, " ")
		got := ran(t, append([]string{command}, p.args...)...)
		if got.status == 2 || strings.Contains(got.stdout+got.stderr, "were given") {
			t.Errorf("%s: status %d\n%.400s\n%s", p.name, got.status, got.stdout, got.stderr)
		}
	}
}
