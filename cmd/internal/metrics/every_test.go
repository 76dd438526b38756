package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/golden"
)

// every is a cluster of which every metric has something to say: deadlines, an invalid budget, and a pool that has a time by which it is done.
var every = drifted("web", "a", `{drift: {deadline: 720h, budgets: [{nodes: "0", schedule: "0 8 * * *", duration: 12h}, {nodes: "many"}]}}`) +
	drifted("batch", "b", `{drift: {deadline: 720h}}`) + strings.Replace(onePod, "nodeName: a", "nodeName: b", 1) + noPDBs

// drifted is a NodePool with one node that has drifted.
func drifted(pool, node, disruption string) string {
	return strings.NewReplacer("POOL", pool, "NODE", node, "DISRUPTION", disruption).Replace(`
---
kind: NodePool
metadata: {name: POOL, annotations: {disruptkit.dev/disruption: 'DISRUPTION'}}
spec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: "1"}]}}
---
kind: NodeClaim
metadata: {name: claim-NODE, labels: {karpenter.sh/nodepool: POOL}}
status:
  nodeName: NODE
  providerID: NODE
  conditions:
  - {type: Initialized, status: "True", lastTransitionTime: 2026-11-01T00:00:00Z}
  - {type: Drifted, status: "True", reason: AMIDrift, lastTransitionTime: 2026-11-01T00:00:00Z}
---
kind: Node
metadata: {name: NODE, labels: {karpenter.sh/nodepool: POOL, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}}
spec: {providerID: NODE}
status: {conditions: [{type: Ready, status: "True"}]}
`)
}

// The file that this test keeps is what the queries of the dashboard and of the alerts in the directory cmd/observability are checked with. Each
// metric that there is has a sample in it.
func TestEveryMetricIsExposed(t *testing.T) {
	w := &watch{as: engine.Guard, eta: true}
	var last picture
	for _, taints := range []string{"[]", "[{key: karpenter.sh/disrupted, effect: NoSchedule}]"} { // what starts is counted from the second look on
		text := strings.Replace(every, "spec: {providerID: b}", "spec: {providerID: b, taints: "+taints+"}", 1)
		last = w.look(clusterOf(t, text, engine.Guard), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC))
	}
	for _, m := range last.report.Metrics {
		if len(m.Samples) == 0 {
			t.Errorf("%s has no sample", m.Name)
		}
	}
	var text strings.Builder
	if err := printMetrics(&text, last.report); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../../observability/testdata/metrics.txt", text.String())
}
