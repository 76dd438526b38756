package forecast

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const nodesOfTwoPools = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web}
spec: {disruption: {budgets: [{nodes: "10%"}]}}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: empty}
spec: {disruption: {budgets: [{nodes: "10%"}]}}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: web-1, creationTimestamp: "2026-11-27T06:00:00Z", labels: {karpenter.sh/nodepool: web}}
spec: {expireAfter: 48h}
status: {nodeName: node-1, providerID: "p://1", conditions: [{type: Initialized, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {karpenter.sh/nodepool: web, karpenter.sh/initialized: "true", karpenter.sh/registered: "true"}}
spec: {providerID: "p://1"}
status: {conditions: [{type: Ready, status: "True"}]}
`

// Where the input has the nodes of a pool, nobody need say how many there are, and those that expire are named.
func TestNodesOfTheInputAreCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(file, []byte(nodesOfTwoPools), 0o600); err != nil {
		t.Fatal(err)
	}
	const expires = "node-1 Sun 29 Nov 06:00"
	for _, test := range []struct {
		name         string
		args         []string
		says, silent []string
	}{
		{"as many as there are", nil, []string{"It has 100 nodes, as is assumed (--nodes says how many).", "It has 1 node.", expires,
			"Drifted, Empty, Underutilized: 1 at all times", "Drifted, Empty, Underutilized: 10 at all times"}, nil},
		{"or as a flag says", []string{"--nodes", "40"}, []string{"It has 40 nodes.", expires, "4 at all times"}, []string{"It has 1 node"}},
		{"of one pool", []string{"--pool", "web"}, []string{"It has 1 node."}, []string{"assumed"}},
		{"of a pool without any, it is assumed", []string{"--pool", "empty"}, []string{"It has 100 nodes, as is assumed"}, []string{expires}},
		{"an expiry that is over, while the node is still there", []string{"--now", "2026-12-02T12:00:00Z"}, []string{"1 node has expired, whatever budgets say: " + expires}, nil},
		{"up to the end", []string{"--to", "2026-11-29T05:00:00Z"}, []string{"It has 1 node."}, []string{expires}},
		{"an autoscaler that embeds disruptkit asks budgets", []string{"--engine", "disruptkit"}, []string{"It has 1 node."}, []string{expires}},
		{"of several pools, on the first screen", []string{"--first"}, []string{"web: 1 node expires, whatever budgets say: " + expires}, []string{"It has"}},
		{"as JSON", []string{"-o", "json"}, []string{`"node": "node-1"`, `"at": "2026-11-29T06:00:00Z"`, `"nodes": 1,`}, nil},
		{"as a picture", []string{"-o", "svg"}, []string{expires}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"--engine", "karpenter", "-f", file, "--now", "2026-11-28T06:00:00Z"}, test.args...)
			got := forecasted("", args...).stdout
			for _, want := range test.says {
				if !strings.Contains(got, want) {
					t.Errorf("it does not say %q:\n%s", want, got)
				}
			}
			for _, other := range test.silent {
				if strings.Contains(got, other) {
					t.Errorf("it says %q:\n%s", other, got)
				}
			}
		})
	}
}
