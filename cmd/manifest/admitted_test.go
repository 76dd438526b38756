package manifest_test

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// What annotations do is seen with the engine that the NodePool names.
func TestAnAnnotationWithoutEffectNamesTheEngineThatReadsIt(t *testing.T) {
	for annotations, want := range map[string]string{
		`disruptkit.dev/disruption: "{}"`:                                  "write --engine guard",
		`disruptkit.dev/disruption: "{}", disruptkit.dev/steward: "true"`:  "write --engine steward",
		`disruptkit.dev/disruption: "{}", disruptkit.dev/steward: "maybe"`: "write --engine steward",
	} {
		f, err := manifest.Policy{As: engine.Karpenter}.ReadPools("web.yaml", strings.NewReader(
			"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, annotations: {"+annotations+"}}\nspec: {}\n"))
		if err != nil || len(f.Pools) != 1 || len(f.Pools[0].Dropped) == 0 || !strings.Contains(f.Pools[0].Dropped[0].Message, want) {
			t.Errorf("%s: %v, %+v", annotations, err, f.Pools)
		}
	}
}
