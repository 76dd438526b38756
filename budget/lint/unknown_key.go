package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleUnknownKey = Rule{
	Code: CodeUnknownKey,
	Means: "No node has a label of this name, but nodes have one with a similar name. Without the label, no " +
		"node has a zone.",
	Example: "topologyKey: topology.kubernetes.io/zones.",
	Do:      "Write the label in the advice, such as topology.kubernetes.io/zone.",
}

// topologyKeys are the labels of nodes that people name in topologyKey. (Kubernetes: "Well-Known Labels, Annotations
// and Taints"; Karpenter: pkg/apis/v1/labels.go.)
var topologyKeys = []string{
	"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname",
	"node.kubernetes.io/instance-type",
	"karpenter.sh/capacity-type", "karpenter.sh/nodepool", "topology.k8s.aws/zone-id",
}

// formerKeys are what these were called, or are called by mistake.
var formerKeys = map[string]string{
	"failure-domain.beta.kubernetes.io/zone":   "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
	"failure-domain.kubernetes.io/zone":        "topology.kubernetes.io/zone",
	"topology.k8s.io/zone":                     "topology.kubernetes.io/zone",
	"kubernetes.io/zone":                       "topology.kubernetes.io/zone",
	"beta.kubernetes.io/instance-type":         "node.kubernetes.io/instance-type",
}

// unknownKey finds budgets whose topologyKey is almost the label of a zone: nodes do not have it.
func (l *linter) unknownKey() {
	for _, b := range l.limits.scoped {
		key := l.list[b.Index].TopologyKey
		meant := formerKeys[key]
		for _, known := range topologyKeys {
			switch {
			case key == known:
				meant = known
			case meant == "" && wording.Near(key, known):
				meant = known
			}
		}
		if meant == "" || meant == key {
			continue
		}
		l.addFix(Finding{Code: CodeUnknownKey, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s: nodes have no label %s", l.name(b.Index), key)}, func() remedy {
			w := way{does: fmt.Sprintf(`write "topologyKey": %q in %s`, meant, l.set.Place(b.Index)), obvious: true,
				raises: true, edits: l.edit(b.Index, func(b *budget.Budget) { b.TopologyKey = meant })}
			return remedy{ways: []way{w}, otherwise: "the label is " + meant}
		})
	}
}
