package manifest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

func TestWhatANodePoolSaysBesidesItsBudgetsIsKnown(t *testing.T) {
	const month = 720 * time.Hour
	consolidation := []candidate.Reason{candidate.Empty, candidate.Underutilized}
	for name, c := range map[string]struct {
		spec string
		as   engine.Engine
		want lint.Facts
	}{
		"the default of expireAfter":          {`{disruption: {consolidateAfter: 0s}}`, engine.Karpenter, lint.Facts{ExpireAfter: month}},
		"expireAfter":                         {`{template: {spec: {expireAfter: 48h}}}`, engine.Guard, lint.Facts{ExpireAfter: 48 * time.Hour}},
		"Never":                               {`{template: {spec: {expireAfter: Never}}}`, engine.Karpenter, lint.Facts{}},
		"an expireAfter that is none":         {`{template: {spec: {expireAfter: soon}}}`, engine.Karpenter, lint.Facts{}},
		"an embedder may ask budgets":         {`{template: {spec: {expireAfter: 48h}}, limits: {nodes: 5}}`, engine.Disruptkit, lint.Facts{}},
		"a static pool":                       {`{replicas: 5, limits: {nodes: "5"}, template: {spec: {expireAfter: Never}}}`, engine.Karpenter, lint.Facts{Nodes: 5, Replicas: 5, NodeLimit: 5, Never: consolidation}},
		"a limit that is no whole number":     {`{limits: {nodes: 1k}, template: {spec: {expireAfter: Never}}}`, engine.Karpenter, lint.Facts{}},
		"WhenEmpty, where the guard runs":     {`{disruption: {consolidationPolicy: WhenEmpty}, template: {spec: {expireAfter: Never}}}`, engine.Guard, lint.Facts{Never: consolidation[1:]}},
		"consolidateAfter, of Karpenter":      {`{disruption: {consolidateAfter: Never}, template: {spec: {expireAfter: Never}}}`, engine.Karpenter, lint.Facts{Never: consolidation}},
		"probes":                              {`{disruption: {disruptionProbes: [{host: health, port: 80}]}}`, engine.Disruptkit, lint.Facts{Probed: true}},
		"a Spec says so itself of disruptkit": {`{disruption: {consolidationPolicy: WhenEmpty}}`, engine.Disruptkit, lint.Facts{}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Policy{As: c.as}.ReadPools("pool.yaml", strings.NewReader(`{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: `+c.spec+`}`))
			if err != nil || len(f.Pools) != 1 {
				t.Fatal(err, f)
			}
			if diff := cmp.Diff(c.want, f.Pools[0].Known); diff != "" {
				t.Error(diff)
			}
		})
	}
}
