package decide

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// 2,000 nodes with ten pods each, every second one drifted, every third one consolidatable, every fortieth in flight. In
// flight are 50 of the 350 nodes of pool-0 in zone a, so that 20 more may go there, and none elsewhere.
func TestALargeCluster(t *testing.T) {
	const nodes, podsEach = 2_000, 10
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","items":[`)
	for p := range 2 {
		fmt.Fprintf(&b, `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"pool-%d"},`+
			`"spec":{"disruption":{"consolidateAfter":"0s","budgets":[{"nodes":"10%%"},{"nodes":"20%%","topologyKey":"topology.kubernetes.io/zone","sequential":true}]}}},`, p)
	}
	for i := range nodes {
		writeMachine(&b, i)
		for p := range podsEach {
			fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d-%d","namespace":"shop","labels":{"app":"web"}},`+
				`"spec":{"containers":[{"name":"web","image":"web:1"}],"nodeName":"node-%04d"},"status":{"phase":"Running"}},`, i, p, i)
		}
	}
	b.WriteString(`{"apiVersion":"v1","kind":"Secret"}],"kind":"List"}`)

	got := decided(b.String(), "-f", "-", "-o", "json", "--now", "2026-11-20T10:30:00Z")
	if got.status != good {
		t.Fatalf("exit status %d: %.1000s", got.status, got.stderr)
	}
	var a jsonAnswer
	if err := json.Unmarshal([]byte(got.stdout), &a); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Empty 0 0", "Drifted 20 980", "Underutilized 150 517"} {
		d := a.Decisions[i]
		if have := fmt.Sprint(d.Reason, " ", len(d.Allowed), " ", len(d.Blocked)); have != want {
			t.Errorf("got %s, want %s", have, want)
		}
		for _, p := range d.Pools {
			if p.Nodes != nodes/2 {
				t.Errorf("%s counts %d nodes", p.Name, p.Nodes)
			}
		}
	}
	if table := decided(b.String(), "-f", "-", "-v").stdout; !strings.Contains(table, "node-1998") {
		t.Error("the table ends early")
	}
	if lines := strings.Count(decided(b.String(), "-f", "-").stdout, "\n"); lines > 155 {
		t.Errorf("without -v there are %d lines", lines)
	}
}

// The same machines in a hundred groups. Those of a group run pods of the same ten workloads, of which each has a PDB that
// allows 0, 1 or 2 disruptions, less those in flight; no budget binds. Every seventh group has a pod whose disruption
// schedule is closed.
func TestALargeClusterWithPDBs(t *testing.T) {
	const nodes, podsEach, groups = 2_000, 10, 100
	allows := func(group int) int { return group % 3 }
	closed := func(group int) bool { return group%7 == 3 }
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","items":[`)
	for p := range 2 {
		fmt.Fprintf(&b, `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"pool-%d"},`+
			`"spec":{"disruption":{"consolidateAfter":"0s","budgets":[{"nodes":"100%%"}]}}},`, p)
	}
	for i := range nodes {
		writeMachine(&b, i)
		for p := range podsEach {
			annotations := ""
			if closed(i%groups) && p == 0 {
				annotations = `,"annotations":{"karpenter.sh/disruption-schedule":"0 2 * * sat"}`
			}
			fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"app-%d-%d","namespace":"shop","labels":{"app":"app-%d-%[2]d"}%[4]s},`+
				`"spec":{"nodeName":"node-%04[1]d"},"status":{"phase":"Running"}},`, i, p, i%groups, annotations)
		}
	}
	for g := range groups {
		for p := range podsEach {
			fmt.Fprintf(&b, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"app-%d-%d","namespace":"shop"},`+
				`"spec":{"selector":{"matchLabels":{"app":"app-%[1]d-%[2]d"}}},"status":{"disruptionsAllowed":%d}},`, g, p, allows(g))
		}
	}
	b.WriteString(`{"apiVersion":"v1","kind":"Secret"}],"kind":"List"}`)

	// What may go of each group is what its PDBs allow, less what is in flight.
	want := func(every int) (allowed, blocked int) {
		for g := range groups {
			candidates, left := 0, allows(g)
			for i := g; i < nodes; i += groups {
				if i%40 == 0 {
					left--
				}
				if i%every == 0 {
					candidates++
				}
			}
			if closed(g) || left < 0 {
				left = 0
			}
			allowed += min(left, candidates)
			blocked += candidates - min(left, candidates)
		}
		return allowed, blocked
	}
	got := decided(b.String(), "-f", "-", "-o", "json", "--now", "2026-11-20T10:30:00Z")
	if got.status != good {
		t.Fatalf("exit status %d: %.1000s", got.status, got.stderr)
	}
	var a jsonAnswer
	if err := json.Unmarshal([]byte(got.stdout), &a); err != nil {
		t.Fatal(err)
	}
	for i, every := range map[int]int{1: 2, 2: 3} { // Drifted and Underutilized: no node is Empty
		d := a.Decisions[i]
		if allowed, blocked := want(every); allowed == 0 || len(d.Allowed) != allowed || len(d.Blocked) != blocked {
			t.Errorf("%s: %d may go, %d are blocked; want %d and %d", d.Reason, len(d.Allowed), len(d.Blocked), allowed, blocked)
		}
	}
}

func writeMachine(b *strings.Builder, i int) {
	status := func(holds bool) string {
		if holds {
			return "True"
		}
		return "False"
	}
	deleting := ""
	if i%40 == 0 {
		deleting = `"deletionTimestamp":"2026-11-20T10:00:00Z",`
	}
	fmt.Fprintf(b, `{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{%s"name":"claim-%04d","labels":{"karpenter.sh/nodepool":"pool-%d"}},`+
		`"status":{"nodeName":"node-%04d","conditions":[`+
		`{"type":"Drifted","status":%q,"reason":"AMIDrift","lastTransitionTime":"2026-11-18T06:%02d:00Z"},`+
		`{"type":"Consolidatable","status":%q,"lastTransitionTime":"2026-11-20T06:%02d:00Z"}]}},`,
		deleting, i, i%2, i, status(i%2 == 0), i%60, status(i%3 == 0), i%60)
	fmt.Fprintf(b, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-%04d","labels":`+
		`{"karpenter.sh/nodepool":"pool-%d","karpenter.sh/registered":"true","karpenter.sh/initialized":"true","topology.kubernetes.io/zone":%q}},`+
		`"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-01T00:00:00Z"}]}},`, i, i%2, "abc"[i%40/14:][:1])
}
