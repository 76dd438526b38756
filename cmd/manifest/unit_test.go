package manifest_test

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// The annotation of a NodePool gives its nodes their units, for every engine but stock Karpenter, which is said to ignore it.
func TestANodePoolNamesTheLabelOfItsUnits(t *testing.T) {
	const (
		labelled = `metadata: {labels: {example.com/rack: a}}`
		pooled   = `metadata: {annotations: {disruptkit.dev/unit-label: example.com/rack}}`
	)
	for _, c := range []struct {
		as         engine.Engine
		pool, node string
		unit       string
		blocker    string
		warning    string
	}{
		{engine.Disruptkit, pooled, labelled, "a", "", ""},
		{engine.Guard, pooled, labelled, "a", "", ""},
		{engine.Steward, pooled, labelled, "a", "", ""},
		{engine.Karpenter, pooled, labelled, "", "", "no effect in Karpenter"},
		{engine.Disruptkit, "", labelled, "", "", ""},
		{engine.Guard, pooled, "", "", "no-unit", "no node of the NodePool has this label"},
		{engine.Guard, strings.Replace(pooled, "example.com/rack", "a b", 1), labelled, "", "invalid-annotation", "not a label name"},
		{engine.Disruptkit, strings.Replace(pooled, "example.com/rack", "a b", 1), labelled, "", "unreadable", "not a label name"},
	} {
		input := documents(different(t, nodePool, c.pool), nodeClaim, different(t, node, c.node))
		cluster, err := manifest.Policy{As: c.as}.Read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		n := cluster.Nodes[0]
		blockers := append(n.Blockers, cluster.Pools[0].Blockers...)
		if n.Unit != c.unit || c.blocker != "" && (len(blockers) != 1 || string(blockers[0].Code) != c.blocker) || c.blocker == "" && len(blockers) > 0 {
			t.Errorf("%s, %q: the unit %q, %v", c.as, c.pool, n.Unit, blockers)
		}
		warnings := strings.Join(texts(cluster.Warnings()), "\n")
		if !strings.Contains(warnings, c.warning) || c.warning == "" && strings.Contains(warnings, "unit-label") {
			t.Errorf("%s, %q: %s", c.as, c.pool, warnings)
		}
	}
}
