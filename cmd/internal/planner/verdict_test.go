package planner

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/plan"
)

// oneList is a cluster with a NodePool and its nodes, which a function makes from their numbers: a NodeClaim's conditions, and whether
// the node is Ready.
func oneList(budgets string, nodes int, node func(i int) (conditions string, ready bool)) string {
	items := []string{`{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"payments-production"},"spec":{"disruption":{"consolidateAfter":"1m","budgets":` + budgets + `}}}`,
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`}
	for i := range nodes {
		conditions, ready := node(i)
		status := map[bool]string{true: "True", false: "False"}[ready]
		items = append(items, fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"claim-%d","labels":{"karpenter.sh/nodepool":"payments-production"}},
			"status":{"nodeName":"node-%[1]d","conditions":[%[2]s]}}`, i, conditions),
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-%d","creationTimestamp":"2026-11-01T00:00:00Z","labels":{"karpenter.sh/nodepool":"payments-production",
			"karpenter.sh/registered":"true","karpenter.sh/initialized":"true","topology.kubernetes.io/zone":"us-gov-west-1-local-zone-b"}},
			"status":{"conditions":[{"type":"Ready","status":%q,"lastTransitionTime":"2026-11-19T00:00:00Z"}]}}`, i, status),
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%d","namespace":"a"},"spec":{"nodeName":"node-%[1]d"},"status":{"phase":"Running"}}`, i))
	}
	return `{"kind":"List","items":[` + strings.Join(items, ",") + `]}`
}

const (
	drifted        = `{"type":"Drifted","status":"True","reason":"AMIDrift","lastTransitionTime":"2026-11-19T00:00:00Z"}`
	consolidatable = `{"type":"Consolidatable","status":"True","lastTransitionTime":"2026-11-19T00:00:00Z"}`
)

func planOf(t *testing.T, list string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(list), Stdout: &stdout, Stderr: &stderr}, Command,
		append([]string{"-v", "-f", "-", "--now", "2026-11-20T10:30:00Z"}, args...))
	if status == hopeless {
		t.Fatalf("%v: %s", args, &stderr)
	}
	return stdout.String()
}

func TestConsolidatableNodesAreNotPlannedUnlessSomebodyAsks(t *testing.T) {
	idle := oneList(`[{"nodes":"10%"}]`, 6, func(int) (string, bool) { return consolidatable, true })
	for _, engine := range []string{"karpenter", "guard", "disruptkit"} {
		got := planOf(t, idle, "--engine", engine)
		if !strings.Contains(got, "No node has to go; 6 are Consolidatable.\nConsolidatable means only that consolidateAfter has passed") || strings.Contains(got, "done by") {
			t.Errorf("--engine %s: %s", engine, got)
		}
	}
	for _, args := range [][]string{{"--reason", "Underutilized"}, {"--reason", "Drifted,Underutilized"}} {
		got := planOf(t, idle, args...)
		if !strings.Contains(got, "6 nodes to go") || !strings.Contains(got, "all nodes that are Consolidatable are disrupted, which is the most that can happen") {
			t.Errorf("%v: %s", args, got)
		}
	}
	both := planOf(t, oneList(`[{"nodes":"10%"}]`, 6, func(i int) (string, bool) {
		if i < 2 {
			return drifted + "," + consolidatable, true
		}
		return consolidatable, true
	}))
	both = strings.Join(strings.Fields(both), " ")
	if !strings.Contains(both, "2 nodes to go") || !strings.Contains(both, "Main risk: 4 Consolidatable nodes may use up the same budgets.") ||
		!strings.Contains(both, "4 nodes are Consolidatable, and none is planned to be disrupted for that") {
		t.Errorf("%s", both)
	}
}

// In Karpenter v1.15 the feature gate NodeRepair is off by default (options.go), and a node that is not Ready counts against every budget.
func TestANodeThatIsNotReadyAndUsesUpTheBudgetIsNamed(t *testing.T) {
	sick := oneList(`[{"nodes":"1"}]`, 4, func(i int) (string, bool) { return drifted, i < 3 })
	for args, want := range map[string]string{
		"":                    "node-3 is not Ready and uses up budgets of payments-production",
		"--engine guard":      "node-3 is not Ready and uses up budgets of payments-production",
		"--engine disruptkit": "drains that take longer than assumed",
		"--repair usual":      "drains that take longer than assumed",
		"--reason Drifted":    "node-3 is not Ready and uses up budgets of payments-production",
		"--reason Unhealthy":  "drains that take longer than assumed",
	} {
		got := planOf(t, sick, strings.Fields(args)...)
		if !strings.Contains(strings.Join(strings.Fields(got), " "), "Main risk: "+want+".") {
			t.Errorf("%q: %s", args, got)
		}
	}
	if got := planOf(t, sick); !strings.Contains(got, "4 never.") || !strings.Contains(got, "node-3 of pool payments-production is Ready: 4 more nodes done") {
		t.Errorf("%s", got)
	}
	golden.Visible(t, planOf(t, strings.ReplaceAll(sick, "payments-", `pay\u202e`)))
}

func TestNodesThatUseUpTheLimitAfterAWindowAreTheCause(t *testing.T) {
	const window, used = `{"nodes":"0","schedule":"0 9 * * *","duration":"8h"}`, "(0 9 * * * for 8h, UTC); the limit after that is used up by node-3 (not Ready since Thu 00:00)"
	for limit, want := range map[string]bool{"1": true, "2": false} {
		got := planOf(t, oneList(`[`+window+`,{"nodes":"`+limit+`"}]`, 4, func(i int) (string, bool) { return drifted, i < 3 }))
		if strings.Contains(strings.Join(strings.Fields(got), " "), used) != want {
			t.Errorf("%s nodes: %s", limit, got)
		}
	}
}

func TestANodeAloneSaysOfHowManyThePlanIs(t *testing.T) {
	list := oneList(`[{"nodes":"1"}]`, 4, func(int) (string, bool) { return drifted, true })
	for args, want := range map[string]string{
		"--pool payments-production": "Only NodePool payments-production is shown (--pool); the plan is of all 4 nodes.",
	} {
		for _, format := range []string{"text", "svg"} {
			if got := planOf(t, list, append(strings.Fields(args), "-o", format)...); !strings.Contains(got, want) {
				t.Errorf("%s -o %s does not say so: %.600s", args, format, got)
			}
		}
	}
}

func TestLabelsOfLanesAreNotCut(t *testing.T) {
	list := oneList(`[{"nodes":"1"}]`, 4, func(int) (string, bool) { return drifted, true })
	got := planOf(t, list, "-o", "svg")
	for _, want := range []string{">us-gov-west-1-local-zone-b<", ">payments-production: 4 of 4<"} {
		if !strings.Contains(got, want) {
			t.Error("there is no label", want)
		}
	}
	long := strings.ReplaceAll(list, "payments-production", strings.Repeat("payments-", 20)+"x")
	if got := planOf(t, long, "-o", "svg"); !strings.Contains(got, "payments-…<") && !strings.Contains(got, "…</text>") {
		t.Error("a name that takes half of the picture is not cut")
	}
}

// One that allows more nodes may end later, and one that ends earlier may allow no more: neither hides the other.
func TestWhatHelpsWithTimeAndWithNodesIsListedSeparately(t *testing.T) {
	at := func(hours int) time.Time { return time.Date(2026, 11, 20, hours, 0, 0, 0, time.UTC) }
	trial := func(name string, after, done, late int) plan.Trial {
		return plan.Trial{Change: name, Comparison: plan.Comparison{Compared: plan.Compared{Before: at(12), After: at(after), Done: done}, Late: late}}
	}
	all := []plan.Trial{
		trial("three nodes", 12, 3, 0), trial("two nodes", 12, 2, 0), trial("a node, later", 13, 1, 0), trial("a node", 12, 1, 0),
		trial("an hour, a node", 11, 1, 0), trial("three hours", 9, 0, 0), trial("two hours", 10, 0, -1), trial("fewer nodes, early", 1, -1, 0),
	}
	var got []string
	for _, h := range best(all) {
		got = append(got, h.title)
		for _, t := range h.trials {
			got = append(got, t.Change)
		}
	}
	want := "to be done earlier|three hours|two hours|an hour, a node|so that more nodes are disrupted|three nodes|two nodes|a node, later|so that fewer nodes miss their deadlines|two hours"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

// Others may wait for a drain that never ends, so it is the cause where as many nodes are blocked by something else.
func TestOfCausesThatBlockAsManyNodesADrainIsFirst(t *testing.T) {
	node := func(name string, inFlight bool, message string) plan.Node {
		return plan.Node{Name: name, Pool: "web", Outcome: plan.Never, InFlight: inFlight, Blockers: []candidate.Blocker{{Gate: candidate.GatePod, Message: message}}}
	}
	p := plan.Plan{Nodes: []plan.Node{node("a", false, "the first cause"), node("b", true, "pod shop/api is held")}}
	for range 2 {
		if got := stays(p); !strings.HasPrefix(got, "b is blocked: its drain never ends") {
			t.Error(got)
		}
		slices.Reverse(p.Nodes)
	}
	p.Nodes = append(p.Nodes, node("c", false, "the first cause"))
	if got := stays(p); got != "2 nodes are blocked: the first cause" {
		t.Error(got)
	}
}

func TestThatReplacementsAreLaunchedTogetherIsARisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	for args, want := range map[string]bool{"1 karpenter": false, "2 karpenter": true, "2 guard": true, "2 disruptkit": false} {
		nodes, as, _ := strings.Cut(args, " ")
		write(t, file, fleet(2, fmt.Sprintf("[{nodes: %q}]", nodes)))
		got := ran("", "-f", file, "--now", "2026-11-20T18:00:00Z", "--engine", as)
		for _, text := range []string{"Main risk: nodes that are not full", "no node waits for the replacement of another one"} {
			if strings.Contains(got.stdout, text) != want {
				t.Errorf("%s: %s: %v, want %v: %s", args, text, !want, want, got.stdout)
			}
		}
	}
}
