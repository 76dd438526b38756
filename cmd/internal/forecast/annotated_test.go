package forecast

import (
	"strings"
	"testing"
)

// What is broken in an annotation is named there, and not in the spec.disruption of its NodePool.
func TestTheGuardsForecastNamesWhatIsBrokenInTheAnnotation(t *testing.T) {
	for text, want := range map[string]string{
		`{drift: {disruptAfter: x}}`:             "Drifted: never, since disruptkit.dev/disruption drift.disruptAfter is invalid",
		`{budgets: [{nodes: "1", per: "0s"}]}`:   "standard input:3: disruptkit.dev/disruption budgets[0] is invalid",
		`{budgets: [{nodes: "0", calendar: h}]}`: "standard input:3: disruptkit.dev/disruption budgets[0] is invalid",
	} {
		pool := "kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: p, annotations: {disruptkit.dev/disruption: '" + text + "'}}\n" +
			"spec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: '5'}, {nodes: '4'}]}}\n"
		got := forecasted(pool, "--engine", "guard", "--now", "2026-11-20T10:30:00Z", "-")
		if out := strings.Join(strings.Fields(got.stdout), " "); !strings.Contains(out, want) || strings.Contains(out, "budgets[2]") {
			t.Errorf("%s: %s%s", text, got.stdout, got.stderr)
		}
	}
}
