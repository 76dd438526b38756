package decide

import (
	"strings"
	"testing"
)

// sickly returns a pool of six nodes, some of them unhealthy.
func sickly(annotated string) string {
	var s strings.Builder
	s.WriteString(`{"kind":"NodePool","metadata":{"name":"gpu"},"spec":{"disruption":{"budgets":[{"nodes":"1","reasons":["Unhealthy"]},{"nodes":"50%"}]}}}
{"kind":"PodList","items":[]}
`)
	conditions := map[string]string{
		"a": `{"type":"Ready","status":"True"},{"type":"AcceleratedHardwareReady","status":"False","reason":"NvidiaXID63Error","lastTransitionTime":"2026-11-20T10:00:00Z"}`,
		"b": `{"type":"Ready","status":"False","reason":"KubeletDown","lastTransitionTime":"2026-11-20T09:30:00Z"}`,
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		own, annotations := conditions[name], `{}`
		if own == "" {
			own = `{"type":"Ready","status":"True"}`
		}
		if name == annotated {
			annotations = `{"karpenter.sh/do-not-repair":"true"}`
		}
		s.WriteString(`{"kind":"NodeClaim","metadata":{"name":"gpu-` + name + `"},"status":{"nodeName":"` + name + `"}}
{"kind":"Node","metadata":{"name":"` + name + `","creationTimestamp":"2026-11-01T00:00:00Z","annotations":` + annotations +
			`,"labels":{"karpenter.sh/nodepool":"gpu","karpenter.sh/registered":"true","karpenter.sh/initialized":"true"}},"status":{"conditions":[` + own + `]}}
`)
	}
	return s.String()
}

// "Who is repaired next, and why another is not": the GPU has been due for less time, but its policy has priority.
func TestWhoIsRepairedNext(t *testing.T) {
	for _, test := range []struct{ rule, annotated, policies, want string }{
		{"the most urgent", "", "repair-policies.yaml", `
ALLOWED, IN ORDER  POOL  REASON                                             SINCE
a                  gpu   AcceleratedHardwareReady=False (NvidiaXID63Error)  Fri 10:10 (20m ago)
    RebootNode, drained for 5m at the most

BLOCKED  POOL  REASON                     SINCE
b        gpu   Ready=False (KubeletDown)  Fri 10:00 (30m ago)
    budget: 1 of 6 nodes may be disrupted at once, 1 already allowed: budgets[0] is 1 (Unhealthy)
`},
		{"unless somebody has a veto", "a", "repair-policies.yaml", `
ALLOWED, IN ORDER  POOL  REASON                     SINCE
b                  gpu   Ready=False (KubeletDown)  Fri 10:00 (30m ago)
    ReplaceNode without a drain

BLOCKED  POOL  REASON                                             SINCE
a        gpu   AcceleratedHardwareReady=False (NvidiaXID63Error)  Fri 10:10 (20m ago)
    node: the node is annotated karpenter.sh/do-not-repair: "true"
`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := decided(sickly(test.annotated), "-f", "-", "--now", "2026-11-20T10:30:00Z", "--repair", test.policies, "-v")
			if !strings.Contains(got.stdout, test.want) || got.status != good {
				t.Errorf("exit status %d\n%s%s", got.status, got.stdout, got.stderr)
			}
		})
	}
}

func TestRepairIsDecidedWhereANodeIsUnhealthy(t *testing.T) {
	for _, test := range []struct {
		args string
		want bool
	}{
		{"", true}, {"--repair none", false}, {"--repair none --reason Unhealthy", true}, {"--reason Empty", false},
	} {
		got := decided("", append(strings.Fields(test.args), "-v")...)
		if strings.Contains(got.stdout, "\nUnhealthy: ") != test.want || got.status != decided("").status {
			t.Errorf("%q: exit status %d\n%s", test.args, got.status, got.stdout)
		}
		if first := strings.Index(got.stdout, "\nEmpty: "); test.args == "" && first < strings.Index(got.stdout, "\nUnhealthy: ") {
			t.Error("Karpenter asks for repair first")
		}
	}
}
