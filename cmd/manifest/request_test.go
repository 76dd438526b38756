package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// Every engine that reads requests gives a node the reason, and a note says where a request has no effect.
func TestARequestIsAReasonForEveryEngineThatReadsIt(t *testing.T) {
	const (
		asks    = `metadata: {annotations: {disruptkit.dev/replace: "2026-11-20T10:00:00Z INC-1"}}`
		hashed  = `metadata: {annotations: {karpenter.sh/nodepool-hash: "1", karpenter.sh/nodepool-hash-version: v3}}`
		made    = `metadata: {annotations: {karpenter.sh/nodepool-hash: requested-1, karpenter.sh/nodepool-hash-version: v3}}`
		drifted = `status: {conditions: [{type: Drifted, status: "True", reason: NodePoolDrifted, lastTransitionTime: "2026-11-20T10:00:00Z"}]}`
		takes   = `{type: DisruptionReason, status: "True", reason: Drifted, lastTransitionTime: "2026-11-20T10:00:00Z"}`
		wanted  = "Requested 2026-11-20T10:00:00Z"
	)
	for _, c := range []struct {
		rule              string
		as                engine.Engine
		pool, claim, node string
		want, note        string
	}{
		{"an autoscaler that embeds disruptkit", engine.Disruptkit, "", "", asks, wanted, ""},
		{"the guard", engine.Guard, "", "", asks, wanted, ""},
		{"the guard, by a NodeClaim", engine.Guard, "", asks, "", wanted, ""},
		{"the steward", engine.Steward, hashed, hashed, asks, wanted, ""},
		{"the steward, which has made it drift", engine.Steward, hashed, made + "\n" + drifted, asks, wanted, ""},
		{"the steward, when nobody asks any more", engine.Steward, hashed, made + "\n" + drifted, "", "", ""},
		{"the steward, where nothing can be made to drift", engine.Steward, hashed, "", asks, "", "cannot make it drift before Karpenter has written"},
		{"stock Karpenter", engine.Karpenter, "", "", asks, "", "disruptkit.dev/replace has no effect on node-1: Karpenter does not know it"},
		{"the guard, in a static NodePool", engine.Guard, "spec: {replicas: 3}", "", asks, "", "replaces a node of a static NodePool for drift alone"},
		{"a node of no NodePool", engine.Disruptkit, "", `status: {nodeName: another, providerID: another}`, asks, "", "no NodePool has the node"},
		{"a request that is taken back", engine.Guard, "", "", strings.ReplaceAll(asks, "2026-11-20T10:00:00Z INC-1", "false"), "", ""},
		{"a node that is being replaced for it", engine.Steward, hashed,
			made + "\n" + strings.Replace(drifted, "[", "["+takes+", ", 1) + "\nspec: {}", `spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}`, "in flight for Requested", ""},
	} {
		input := documents(different(t, nodePool, c.pool), different(t, nodeClaim, c.claim), different(t, node, c.node))
		cluster, err := manifest.Policy{As: c.as}.Read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		n := cluster.Nodes[len(cluster.Nodes)-1]
		var got []string
		for _, condition := range n.Conditions {
			got = append(got, fmt.Sprintf("%s %s", condition.Reason, condition.Since.Format("2006-01-02T15:04:05Z")))
		}
		if n.InFlight() {
			got = append(got, "in flight for "+string(n.DisruptedFor))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
		if notes := strings.Join(cluster.Notes(), "\n"); !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "replace") {
			t.Errorf("%s: the notes are %s", c.rule, notes)
		}
		request, asked := cluster.Request(n)
		if asked != strings.HasPrefix(c.want, "Requested") || asked && request.Why != "INC-1" {
			t.Errorf("%s: %+v, %t", c.rule, request, asked)
		}
	}
}
