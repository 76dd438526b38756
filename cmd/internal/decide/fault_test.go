package decide

import (
	"fmt"
	"strings"
	"testing"
)

// guarded is a NodePool with an annotation, and one drifted node in us-west-2a.
func guarded(annotation, text string) string {
	return fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p","annotations":{"disruptkit.dev/%s":%q}},
		"spec":{"disruption":{"consolidateAfter":"0s","budgets":[{"nodes":"5"},{"nodes":"4"}]}}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"karpenter.sh/nodepool":"p","karpenter.sh/registered":"true","karpenter.sh/initialized":"true",
		"topology.kubernetes.io/zone":"us-west-2a"}},"status":{"conditions":[{"type":"Ready","status":"True"}]}}
{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"c","labels":{"karpenter.sh/nodepool":"p"}},"status":{"nodeName":"n","providerID":"n","conditions":[
		{"type":"Initialized","status":"True"},{"type":"Drifted","status":"True","lastTransitionTime":"2026-11-01T00:00:00Z"}]}}
{"apiVersion":"v1","kind":"PodList","items":[]}
{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`, annotation, text)
}

// What is broken and blocks nodes is exit status 1. A remark is not, even if a pause that works blocks nodes.
func TestWhatAnAnnotationBlocksBecauseItIsBrokenIsAFault(t *testing.T) {
	for _, test := range []struct {
		rule, annotation, text string
		faulty, goes           bool
		stderr                 string
	}{
		{"a pause that cannot be read", "pause", "{", true, false, "is neither YAML nor JSON"},
		{"budgets that cannot be read", "disruption", "{", true, false, "is neither YAML nor JSON"},
		{"an invalid budget", "disruption", `{"budgets":[{"nodes":"ten"}]}`, true, false, `nodes "ten"`},
		{"a pace of nothing", "disruption", `{"budgets":[{"nodes":"1","per":"0s"}]}`, true, false, `NodePool/p: disruptkit.dev/disruption budgets[0].per: per "0s"`},
		{"a deadline", "disruption", `{"drift":{"deadline":"x"}}`, true, true, `NodePool/p: disruptkit.dev/disruption drift.deadline: deadline "x"`},
		{"a calendar that is not handed in", "disruption", `{"budgets":[{"nodes":"1"},{"nodes":"0","calendar":"holidays"}]}`, true, false,
			`NodePool/p: disruptkit.dev/disruption budgets[1].calendar: calendar "holidays" is unknown: no calendars were given`},
		{"an unknown annotation", "bogus", "x", true, false,
			"metadata.annotations[disruptkit.dev/bogus]: it is unknown: write one of disruptkit.dev/disruption, disruptkit.dev/most-specific, "},
		{"a pause for an unknown reason pauses every reason", "pause", "{until: 2026-11-23T00:00:00Z, reasons: [Rusty]}", true, false, "every reason is paused"},
		{"a pause that names no domains applies everywhere", "pause", "{until: 2026-11-23T00:00:00Z, key: rack}", true, false, "applies everywhere"},
		{"a pause of an unknown zone", "pause", "{by: alice, until: 2026-11-23T00:00:00Z, zones: [mars-1a]}", false, true, `"mars-1a"`},
		{"a pause without an end", "pause", "true", false, false, "the pause has no end"},
		{"a pause", "pause", "2026-11-23T00:00:00Z", false, false, ""},
		{"a memory that cannot be read", "memory", "{", false, true, "is no memory"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := decided(guarded(test.annotation, test.text), "--engine", "guard", "-f", "-", "--now", "2026-11-20T10:30:00Z", "--reason", "Drifted")
			if got.status != map[bool]int{true: faulty, false: good}[test.faulty] {
				t.Errorf("exit status %d", got.status)
			}
			if says := strings.Contains(got.stdout, "the input is partly invalid"); says != test.faulty {
				t.Errorf("it says that the input is invalid: %t", says)
			}
			if goes := strings.Contains(got.stdout, "Drifted: 1 may be disrupted now"); goes != test.goes {
				t.Errorf("the node is disrupted: %t\n%s", goes, got.stdout)
			}
			if !strings.Contains(got.stderr, test.stderr) {
				t.Errorf("on standard error: %s", got.stderr)
			}
			if says := got.stdout + got.stderr; strings.Contains(says, "budgets[2]") {
				t.Errorf("it names what is not there:\n%s%s", got.stdout, got.stderr)
			}
		})
	}
}
