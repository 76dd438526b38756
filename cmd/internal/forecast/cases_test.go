package forecast

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

const noLimit = math.MaxInt

// allowedAt returns what a pool allows at a time, and which budgets say so.
func allowedAt(t *testing.T, p jsonPool, reason candidate.Reason, at time.Time) (nodes int, binding []int) {
	t.Helper()
	for _, s := range p.Segments {
		if !at.Before(s.From) && at.Before(s.To) {
			n, there := s.Allowed[reason]
			if !there || s.Binding[reason] == nil {
				t.Fatalf("%s is not in %+v", reason, s)
			}
			if n == nil {
				return noLimit, s.Binding[reason]
			}
			return *n, s.Binding[reason]
		}
	}
	t.Fatalf("%s is in no segment", at)
	return 0, nil
}

// k2374: "right, together with the consolidationPolicy: WhenEmpty of that answer".
func TestWhatAPolicyKeepsOutIsNeverAllowed(t *testing.T) {
	const budgets = `budgets: [{nodes: 100%, reasons: [Empty]}], consolidationPolicy: `
	for _, test := range []struct {
		rule, disruption, why string
		allowed               int
	}{
		{"WhenEmpty", `{` + budgets + `WhenEmpty}`, "consolidationPolicy is WhenEmpty", 0},
		{"the policy of the RFC's control", `{consolidation: {consolidationPolicy: WhenEmpty}}`, "consolidationPolicy is WhenEmpty", 0},
		{"WhenEmptyOrUnderutilized", `{` + budgets + `WhenEmptyOrUnderutilized}`, "", noLimit},
		{"consolidateAfter", `{consolidateAfter: Never}`, "consolidateAfter is Never", 0},
		{"disruptAfter", `{defaults: {disruptAfter: Never}}`, "disruptAfter is Never", 0},
		{"a disruptAfter that is none", `{consolidation: {disruptAfter: x}}`, "consolidation.disruptAfter is invalid", 0},
		{"a disruptAfter of the defaults that is none", `{defaults: {disruptAfter: x}, drift: {disruptAfter: 1h}}`, "defaults.disruptAfter is invalid", 0},
		{"a consolidationPolicy in another control", `{drift: {consolidationPolicy: WhenEmpty}}`, "drift.consolidationPolicy is invalid", 0},
		{"disruptAfter, beside a budget that is invalid", `{budgets: [{nodes: 110%}], consolidation: {disruptAfter: Never}}`, "disruptAfter is Never", 0},
		{"disruptAfter, beside another that is invalid", `{drift: {disruptAfter: x}, consolidation: {disruptAfter: Never}}`, "disruptAfter is Never", 0},
		{"replicas", `{}, replicas: 3`, "the pool has replicas, a fixed number of nodes", 0},
		{"something broken", `{x: 1}`, "something in the pool is invalid", 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			pool := `{kind: NodePool, metadata: {name: a}, spec: {disruption: ` + test.disruption + `}}`
			p := answerOf(t, forecasted(pool, "-o", "json", "-")).Pools[0]
			got, _ := allowedAt(t, p, candidate.Underutilized, p.Segments[0].From)
			if got != test.allowed || p.Never[candidate.Underutilized] != test.why {
				t.Errorf("%d, %q, want %d, %q", got, p.Never[candidate.Underutilized], test.allowed, test.why)
			}
		})
	}
}

// Approach B of the disruption-controls-by-method RFC, as it stands there.
func TestTheControlsOfTheRFCAsTheyStandThereNameTheTab(t *testing.T) {
	got := forecasted("", "testdata/controls-verbatim.yaml")
	const want = "testdata/controls-verbatim.yaml:10: document 1: not valid YAML: line 10 is indented with a tab: write spaces there\n"
	if !strings.HasPrefix(got.stderr, want) || got.status != hopeless || got.stdout != "" {
		t.Errorf("got %+v", got)
	}
}
