package decide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// idle has nodes, and none drifted. All are Consolidatable, as nearly all nodes of a quiet cluster are.
func idle(events ...string) string {
	items := []string{`{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"},"spec":{"disruption":{"consolidateAfter":"1m","budgets":[{"nodes":"2"}]}}}`,
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`}
	for i := range 3 {
		items = append(items, fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"claim-%d","labels":{"karpenter.sh/nodepool":"p"}},
			"status":{"nodeName":"node-%[1]d","conditions":[{"type":"Consolidatable","status":"True","lastTransitionTime":"2026-11-20T08:00:00Z"}]}}`, i),
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-%d","labels":{"karpenter.sh/nodepool":"p","karpenter.sh/registered":"true",
			"karpenter.sh/initialized":"true"}},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-01T00:00:00Z"}]}}`, i),
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%d","namespace":"a"},"spec":{"nodeName":"node-%[1]d"},"status":{"phase":"Running"}}`, i))
	}
	return `{"kind":"List","items":[` + strings.Join(append(items, events...), ",") + `]}`
}

func eventOf(kind, name, reason, message, at string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"default"},"involvedObject":{"kind":%q,"name":%q},"reason":%q,"message":%q,"lastTimestamp":%q}`,
		kind, name, reason, message, at)
}

// Karpenter v1.15 sets Consolidatable once consolidateAfter has passed (nodeclaim/disruption/consolidation.go); whether it consolidates,
// computeConsolidation decides.
func TestANodeThatIsConsolidatableIsNotSaidToGo(t *testing.T) {
	for _, engine := range []string{"karpenter", "guard", "disruptkit"} {
		table := decided(idle(), "-v", "-f", "-", "--engine", engine, "--now", "2026-11-20T10:30:00Z").stdout
		for _, want := range []string{"Underutilized: budgets would allow 2 now, 1 blocked", "BUDGETS WOULD ALLOW", "0 to 2",
			"Consolidatable means only that consolidateAfter has passed; Karpenter's prices and scheduling simulation decide."} {
			if !strings.Contains(table, want) {
				t.Errorf("--engine %s: %q is not in\n%s", engine, want, table)
			}
		}
		why := staysWith(idle(), "node-1", "-f", "-", "--engine", engine, "--now", "2026-11-20T10:30:00Z").stdout
		if !strings.Contains(why, "budgets would allow it now.") || !strings.Contains(why, "Consolidatable means only that") {
			t.Errorf("--engine %s: %s", engine, why)
		}
		for _, wrong := range []string{"it may be disrupted now", "ALLOWED, IN ORDER", "2 may be disrupted now"} {
			if strings.Contains(table+why, wrong) {
				t.Errorf("--engine %s: it says %q", engine, wrong)
			}
		}
	}
	if drifted := decided(idle(), "-f", "-", "--reason", "Drifted").stdout; strings.Contains(drifted, "Consolidatable") {
		t.Errorf("what it means is said of drift: %s", drifted)
	}
}

func TestKarpentersEventsSayWhyANodeIsNotConsolidated(t *testing.T) {
	const cheaper, later = "Can't replace with a cheaper node", "2026-11-20T10:10:00Z"
	for _, c := range []struct {
		name   string
		events []string
		want   string // of node-1; "" is nothing
	}{
		{"about the Node", []string{eventOf("Node", "node-1", "Unconsolidatable", cheaper, later)}, "Karpenter does not consolidate it: " + cheaper + " (event Unconsolidatable, Fri 10:10 (20m ago))."},
		{"about the NodeClaim", []string{eventOf("NodeClaim", "claim-1", "Unconsolidatable", cheaper, later)}, "Karpenter does not consolidate it: " + cheaper},
		{"the last counts", []string{eventOf("Node", "node-1", "Unconsolidatable", cheaper, later), eventOf("NodeClaim", "claim-1", "ConsolidationRejected", "too disruptive", "2026-11-20T10:20:00Z"),
			eventOf("Node", "node-1", "DisruptionBlocked", "old", "2026-11-20T09:00:00Z")}, "Karpenter does not consolidate it: too disruptive (event ConsolidationRejected, Fri 10:20 (10m ago))."},
		{"one that says that it might", []string{eventOf("Node", "node-1", "Unconsolidatable", cheaper, later), eventOf("Node", "node-1", "ConsolidationCandidate", "delete, savings $1", "2026-11-20T10:20:00Z")},
			"Karpenter said: delete, savings $1 (event ConsolidationCandidate"},
		{"about another node", []string{eventOf("Node", "node-2", "Unconsolidatable", cheaper, later)}, ""},
		{"about something else", []string{eventOf("Node", "node-1", "NodeNotReady", "x", later)}, ""},
		{"without a time", []string{eventOf("Node", "node-1", "Unconsolidatable", cheaper, "")}, ""},
		{"broken", []string{`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":5,"reason":[],"lastTimestamp":"then"}`}, ""},
	} {
		got := staysWith(idle(c.events...), "node-1", "-f", "-", "--now", "2026-11-20T10:30:00Z")
		text := strings.Join(strings.Fields(got.stdout), " ")
		want := cmp.Or(c.want, "its events say why not, if they are given as well")
		if !strings.Contains(text, want) || got.status != good {
			t.Errorf("%s: status %d: %s%s", c.name, got.status, got.stdout, got.stderr)
		}
		var answer struct {
			Decisions []struct {
				Reason, Caveat string
				Allowed        []struct {
					Node string
					Said *struct{ Reason, Message, At string }
				}
			}
		}
		if err := json.Unmarshal([]byte(decided(idle(c.events...), "-f", "-", "-o", "json", "--now", "2026-11-20T10:30:00Z").stdout), &answer); err != nil {
			t.Fatal(err)
		}
		for _, d := range answer.Decisions {
			if (d.Caveat != "") != (d.Reason == "Underutilized") {
				t.Errorf("%s: caveat %q of %s", c.name, d.Caveat, d.Reason)
			}
			for _, a := range d.Allowed {
				if a.Node == "node-1" && (a.Said != nil) != (c.want != "") {
					t.Errorf("%s: said %v", c.name, a.Said)
				}
			}
		}
	}
}
