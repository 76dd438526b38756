package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// karpenter/README.md, Expiration: "With --engine guard, decide and why say which nodes may be disrupted for Expired". "A node that has drifted goes for
// Drifted. Nodes of static NodePools do not expire in this way."
func TestTheGuardReplacesNodesOfTheAgeThatTheirNodePoolSays(t *testing.T) {
	const (
		since   = "2026-10-31T10:00:00Z"
		expire  = `metadata: {annotations: {disruptkit.dev/expire: "{after: 720h, deadline: 1080h}"}}`
		born    = `metadata: {creationTimestamp: "2026-10-01T10:00:00Z"}`
		drifted = born + "\n" + `status: {conditions: [{type: Drifted, status: "True", lastTransitionTime: "2026-11-20T10:00:00Z"}]}`
	)
	for _, c := range []struct {
		name, pool, claim string
		as                engine.Engine
		want              string // its reasons, with since when and the deadline
	}{
		{"of that age", expire, born, engine.Guard, "Expired " + since + " 2026-11-15T10:00:00Z"},
		{"of that age, by an annotation without a deadline", strings.Replace(expire, ", deadline: 1080h", "", 1), born, engine.Guard, "Expired " + since + " never"},
		{"younger", expire, `metadata: {creationTimestamp: "2026-11-01T10:00:00Z"}`, engine.Guard, ""},
		{"that has drifted", expire, drifted, engine.Guard, "Drifted 2026-11-20T10:00:00Z 2026-11-15T10:00:00Z"},
		{"of a static NodePool", expire + "\nspec: {replicas: 3}", born, engine.Guard, ""},
		{"of a static NodePool, that has drifted", expire + "\nspec: {replicas: 3}", drifted, engine.Guard, "Drifted 2026-11-20T10:00:00Z 2026-11-15T10:00:00Z"},
		{"of stock Karpenter", expire, born, engine.Karpenter, ""},
	} {
		input := documents(different(t, nodePool, c.pool), different(t, nodeClaim, c.claim), node)
		cluster, err := manifest.Policy{As: c.as}.Read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, condition := range cluster.Input(now).Nodes[0].Conditions {
			deadline := "never"
			if !condition.Deadline.IsZero() {
				deadline = condition.Deadline.Format("2006-01-02T15:04:05Z")
			}
			got = append(got, fmt.Sprintf("%s %s %s", condition.Reason, condition.Since.Format("2006-01-02T15:04:05Z"), deadline))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("a node %s: %q, want %q", c.name, got, c.want)
		}
	}
}
