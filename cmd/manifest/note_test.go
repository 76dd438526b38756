package manifest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNotes(t *testing.T) {
	all := []string{nodePool, nodeClaim, node, pod, pdb}
	for _, test := range []struct {
		rule    string
		objects []string
		want    []string
	}{
		{"there is nothing to say of what is complete", all, nil},
		{
			"unknown kinds are skipped, and so are known ones of other groups and versionless ones of no group",
			append([]string{
				`{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}`, `{apiVersion: v1, kind: ConfigMap, metadata: {name: y}}`,
				`{apiVersion: example.com/v1, kind: Node, metadata: {name: x}}`, `{apiVersion: v1, kind: NodePool, metadata: {name: x}}`,
				`{kind: Secret}`, `{apiVersion: example.com/v1, kind: PodDisruptionSchedule, metadata: {name: x}}`,
			}, all...),
			[]string{"skipped, since decisions do not depend on them: 2 ConfigMap (v1), 1 Node (example.com/v1), 1 NodePool (v1), 1 PodDisruptionSchedule (example.com/v1), 1 Secret (no apiVersion)"},
		},
		{"other versions of a group are read", []string{different(t, nodePool, `apiVersion: karpenter.sh/v1beta1`), nodeClaim, node, pod, pdb}, nil},
		{
			"what decisions depend on is missed",
			[]string{node, nodeClaim},
			[]string{"the input has no NodePool, no Pod, no PodDisruptionBudget, which decisions depend on; to print everything, write: " +
				"kubectl get nodepools,nodeclaims,nodes,pods,poddisruptionbudgets -A -o json"},
		},
		{
			"a pool without budgets has no limit, which may not be what was meant",
			[]string{different(t, nodePool, `spec: {disruption: {budgets: null}}`), nodeClaim, node, pod, pdb},
			[]string{"NodePool/general has no budgets, so nothing limits it; if it was applied now without " +
				"spec.disruption.budgets, the API server would fill in 10%"},
		},
		{"PodDisruptionSchedules are read, and no cluster needs any", append([]string{podSchedule}, all...), nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(test.objects...))
			if diff := cmp.Diff(test.want, c.Notes()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if w := c.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
			if len(c.Nodes) != 1 {
				t.Errorf("nodes: %+v", c.Nodes)
			}
		})
	}
}
