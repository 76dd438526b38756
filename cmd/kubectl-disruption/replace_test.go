package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const requestable = `
apiVersion: v1
kind: List
items:
- {kind: NodePool, metadata: {name: held, annotations: {disruptkit.dev/steward: "true", disruptkit.dev/expire: "{after: 24h}", karpenter.sh/nodepool-hash: "1"}}}
- {kind: NodePool, metadata: {name: guarded, annotations: {disruptkit.dev/memory: "{}"}}}
- {kind: NodePool, metadata: {name: static, annotations: {disruptkit.dev/memory: "{}"}}, spec: {replicas: 3}}
- {kind: NodePool, metadata: {name: stock}}
- {kind: NodeClaim, metadata: {name: held-1, labels: {karpenter.sh/nodepool: held}, annotations: {karpenter.sh/nodepool-hash: "1"}, creationTimestamp: "2020-01-01T00:00:00Z"}, status: {nodeName: n1}}
- {kind: NodeClaim, metadata: {name: held-2, labels: {karpenter.sh/nodepool: held}, deletionTimestamp: "2026-11-20T10:00:00Z"}, status: {nodeName: n2}}
- {kind: NodeClaim, metadata: {name: held-3, labels: {karpenter.sh/nodepool: held}, annotations: {karpenter.sh/nodepool-hash: "1", karpenter.sh/nodepool-hash-version: v3}}, status: {nodeName: n7}}
- {kind: NodeClaim, metadata: {name: stock-2, labels: {karpenter.sh/nodepool: stock}, annotations: {karpenter.sh/nodepool-hash: "1"}}, status: {nodeName: n8}}
- {kind: NodeClaim, metadata: {name: guarded-1, labels: {karpenter.sh/nodepool: guarded}, annotations: {disruptkit.dev/replace: "2026-11-20T10:00:00Z INC-1"}}, status: {providerID: id-3}}
- {kind: NodeClaim, metadata: {name: guarded-2, labels: {karpenter.sh/nodepool: guarded}}}
- {kind: NodeClaim, metadata: {name: static-1, labels: {karpenter.sh/nodepool: static}}, status: {nodeName: n6}}
- {kind: NodeClaim, metadata: {name: stock-1, labels: {karpenter.sh/nodepool: stock}}, status: {nodeName: n4}}
- {kind: Node, metadata: {name: n1}}
- {kind: Node, metadata: {name: n2}}
- {kind: Node, metadata: {name: n3}, spec: {providerID: id-3}}
- {kind: Node, metadata: {name: n4}}
- {kind: Node, metadata: {name: n5}}
- {kind: Node, metadata: {name: n6}}
- {kind: Node, metadata: {name: n7}}
- {kind: Node, metadata: {name: n8}, spec: {taints: [{key: karpenter.sh/disrupted}]}}
`

// Replace writes only what it has shown, once the user agrees, and nothing where nobody reads it.
func TestReplaceAsksBeforeItWrites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte(requestable), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args, answer string
		status       int
		wrote        string // which objects
		says         string
	}{
		{"replace n1", "y\n", 0, "node/n1", "node/n1: written"},
		{"replace n1", "n\n", 2, "", "nothing is written: answer y, or write --yes"},
		{"replace n1 --why INC-7 --dry-run", "", 0, "", "kubectl annotate --overwrite node/n1 disruptkit.dev/replace='"},
		{"replace n1 --yes", "", 0, "node/n1", "is to be replaced when budgets allow it"},
		{"replace held-1 node/n1 --yes", "", 0, "node/n1", "steward runs it"},
		{"replace nodeclaim/guarded-2 --yes", "", 0, "nodeclaim/guarded-2", "guard runs it"},
		{"replace n2 --yes", "", 0, "", "it is being disrupted already, so nothing is written"},
		{"replace n3 --yes", "", 0, "", `somebody asks for its replacement already: "2026-11-20T10:00:00Z INC-1"`},
		{"replace n3 --yes --why INC-2", "", 0, "node/n3", "annotation disruptkit.dev/replace: 2026-11-20T10:00:00Z INC-2"},
		{"replace --pool nodepool/guarded --yes --why INC-1", "", 0, "nodeclaim/guarded-2", "already"},
		{"replace --pool guarded --undo --yes", "", 0, "nodeclaim/guarded-1", "nodeclaim/guarded-2: nobody asks for its replacement"},
		{"replace n5 --undo --yes", "", 0, "", "nobody asks for its replacement"},
		{"replace n4 n1 --yes", "", 2, "", "kubectl delete nodeclaim stock-1 replaces it at once, and asks no budget"},
		{"replace n4 --yes --engine guard", "", 0, "node/n4", "guard runs it"},
		{"replace n5 --yes", "", 2, "", "node/n5: no NodePool has it, so nothing replaces it"},
		{"replace n6 --yes", "", 2, "", "the guard replaces a node of a static NodePool for drift alone"},
		{"replace n6 --yes --engine steward", "", 2, "", `does not have the annotation disruptkit.dev/steward: "true"`},
		{"replace n4 --yes --engine steward", "", 2, "", `does not have the annotation disruptkit.dev/steward: "true"`},
		{"replace n7 --yes", "", 2, "", "the steward cannot make it drift before Karpenter has written karpenter.sh/nodepool-hash"},
		{"replace n7 --yes --engine disruptkit", "", 0, "node/n7", "disruptkit runs it"},
		{"replace n8 --yes", "", 0, "", "it is being disrupted already, so nothing is written"},
		{"replace guarded --yes", "", 2, "", `there is no node or NodeClaim "guarded": write the whole name, such as`},
		{"replace x1 --yes", "", 2, "", `there is no node or NodeClaim "x1"`},
		{"replace --pool x --yes", "", 2, "", `--pool: there is no NodePool "x"`},
		{"replace --yes", "", 2, "", "name nodes, or their NodePool with --pool"},
		{"replace n1 --pool held", "", 2, "", "not both"},
		{"replace n1 --undo --why x", "", 2, "", "leave out --why"},
		{"replace n1 --why False --yes", "", 2, "", "--why False asks for nothing"},
	} {
		calls := recording(t)
		t.Setenv("OBJECTS", file)
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), strings.Fields(row.args), strings.NewReader(row.answer), &stdout, &stderr)
		var wrote []string
		for _, call := range calls() {
			if _, patch, is := strings.Cut(call, " patch "); is {
				object, _, _ := strings.Cut(patch, " ")
				wrote = append(wrote, object)
			}
		}
		text := strings.Join(strings.Fields(stdout.String()+stderr.String()), " ")
		if status == 2 && strings.Contains(text, "is to be replaced") != strings.Contains(text, "Write this") {
			t.Errorf("%s: it promises what it does not write: %s", row.args, text)
		}
		if status != row.status || strings.Join(wrote, " ") != row.wrote || !strings.Contains(text, row.says) {
			t.Errorf("%s: status %d, %q written, %s", row.args, status, wrote, text)
		}
	}
}
