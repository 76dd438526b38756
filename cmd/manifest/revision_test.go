package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func TestTheRevisionOfANodePoolAndTheNodesThatAreOfAnother(t *testing.T) {
	hashes := func(hash, version string) string {
		return fmt.Sprintf("annotations: {karpenter.sh/nodepool-hash: %q, karpenter.sh/nodepool-hash-version: %q}", hash, version)
	}
	for rule, test := range map[string]struct {
		pool, claim, status string // metadata of each, and the status of the pool
		drifted             string
		want                manifest.Revision
	}{
		"none is known":                            {"", "", "{}", "False", manifest.Revision{}},
		"the hash and the generation are its":      {"generation: 7, " + hashes("1", "v3"), "", "{}", "False", manifest.Revision{Hash: "1", Generation: 7}},
		"a node of the same hash is of it":         {hashes("1", "v3"), hashes("1", "v3"), "{}", "False", manifest.Revision{Hash: "1"}},
		"a node of another hash is not":            {hashes("1", "v3"), hashes("2", "v3"), "{}", "False", manifest.Revision{Hash: "1", Unmarked: []string{"n"}}},
		"nor is it without a condition":            {hashes("1", "v3"), hashes("2", "v3"), "{}", "", manifest.Revision{Hash: "1", Unmarked: []string{"n"}}},
		"one that has drifted is marked":           {hashes("1", "v3"), hashes("2", "v3"), "{}", "True", manifest.Revision{Hash: "1"}},
		"one that is being deleted need not be":    {hashes("1", "v3"), `deletionTimestamp: "2026-11-20T10:00:00Z", ` + hashes("2", "v3"), "{}", "False", manifest.Revision{Hash: "1"}},
		"a hash of another version says nothing":   {hashes("1", "v3"), hashes("2", "v2"), "{}", "False", manifest.Revision{Hash: "1"}},
		"one that the steward has made is not one": {hashes("1", "v3"), hashes("expired-1", "v3"), "{}", "False", manifest.Revision{Hash: "1"}},
		"Ready of an earlier generation":           {"generation: 7", "", `{conditions: [{type: Ready, status: "True", observedGeneration: 6}]}`, "False", manifest.Revision{Generation: 7, Unseen: true}},
		"Ready of this generation":                 {"generation: 7", "", `{conditions: [{type: Ready, status: "True", observedGeneration: 7}]}`, "False", manifest.Revision{Generation: 7}},
		"Ready of no generation says nothing":      {"generation: 7", "", `{conditions: [{type: Ready, status: "True"}]}`, "False", manifest.Revision{Generation: 7}},
		"others may be of an earlier one":          {"generation: 7", "", `{conditions: [{type: NodeRegistrationHealthy, status: "True", observedGeneration: 6}]}`, "False", manifest.Revision{Generation: 7}},
	} {
		conditions := ""
		if test.drifted != "" {
			conditions = fmt.Sprintf("{type: Drifted, status: %q, reason: Drifted}", test.drifted)
		}
		cluster, err := manifest.Policy{}.Read(strings.NewReader(fmt.Sprintf(`apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web, %s}
status: %s
---
{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: changed}}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: n, labels: {karpenter.sh/nodepool: web}, %s}
status: {nodeName: n, conditions: [%s]}
`, test.pool, test.status, test.claim, conditions)))
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		if got := cluster.Revision("web"); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: %+v, want %+v", rule, got, test.want)
		}
		other, err := cluster.Set([]string{"changed.budgets[0].nodes=1"})
		if err != nil || fmt.Sprint(other.Revision("web"), cluster.Revision("web")) != fmt.Sprint(test.want, test.want) {
			t.Errorf("%s: a change of another NodePool changes it: %v", rule, err)
		}
		if got := cluster.Revision("other"); fmt.Sprint(got) != fmt.Sprint(manifest.Revision{}) {
			t.Errorf("another NodePool is of %+v", got)
		}
	}
}
