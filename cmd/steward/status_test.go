package steward

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestStatusShowsWhatIsHeldAndWhatIsReleased(t *testing.T) {
	node := func(name, annotations, more string) string {
		return `{apiVersion: v1, kind: Node, metadata: {name: ` + name + `, labels: {karpenter.sh/nodepool: p}, annotations: {` + annotations + `}}` + more + `}`
	}
	const held = `karpenter.sh/do-not-disrupt: "true"`
	a := newAPI(t,
		`{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p, annotations: {disruptkit.dev/steward: "true", disruptkit.dev/steward-enforced: "true"}}}`,
		`{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other}}`,
		node("a", held+`, disruptkit.dev/held: "Drifted: probe/paused"`, ""),
		node("b", `disruptkit.dev/released-for: Drifted, disruptkit.dev/released-until: "2026-11-20T12:05:00Z"`, ""),
		node("c", held, ""),
		node("d", held, `, spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]}`),
		node("e", "", ""),
		`{apiVersion: v1, kind: Node, metadata: {name: f, labels: {karpenter.sh/nodepool: other}}}`,
	)
	var out bytes.Buffer
	err := status(t.Context(), a.cluster(), &out, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	want := []string{
		"other     -           -       1      0     0         0          0",
		"p         yes         yes     5      1     1         1          1",
		"",
		"NODE  NODEPOOL  STATE           WHY",
		"a     p         held            Drifted: probe/paused",
		"b     p         released        Drifted until 2026-11-20T12:05:00Z",
		"c     p         held by others  do-not-disrupt that is not the steward's",
		"d     p         in flight       Karpenter disrupts it",
		"e     p         not held        the steward has not seen it yet",
	}
	for _, line := range want {
		if err != nil || !strings.Contains(out.String(), line+"\n") {
			t.Errorf("it does not say %q (%v):\n%s", line, err, out.String())
		}
	}
}
