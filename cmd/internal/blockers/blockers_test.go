package blockers

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

func blocked(args ...string) (stdout, stderr string, status int) {
	return blockedIn("", args...)
}

func blockedIn(stdin string, args ...string) (stdout, stderr string, status int) {
	var out, failed bytes.Buffer
	status = command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &failed}, Command, args)
	return out.String(), failed.String(), status
}

func TestBlockersOfTheExample(t *testing.T) {
	text, _, _ := blocked()
	golden.Check(t, "demo.txt", text)
	json, _, _ := blocked("-o", "json", "--by", "owner")
	golden.Check(t, "owners.json", json)
	if _, stderr, status := blocked("--by", "team"); status != command.Hopeless || !strings.Contains(stderr, `--by "team" is unknown: write blocker, owner, namespace, or label=KEY`) {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// With a terminationGracePeriod, pods keep a node from no drift, but from consolidation; an annotation of the node from both.
func TestPodsHoldUpDrainsThatHaveAnEnd(t *testing.T) {
	cluster := `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"},"spec":{"disruption":{"consolidateAfter":"0s"}}}
{"apiVersion":"policy/v1","kind":"PodDisruptionBudgetList","items":[]}`
	for _, node := range []struct{ name, reason, grace, annotation string }{
		{"with", "Drifted", "1h", "false"},
		{"longer", "Drifted", "3h", "false"},
		{"without", "Drifted", "", "false"},
		{"underused", "Consolidatable", "1h", "false"},
		{"annotated", "Drifted", "1h", "true"},
	} {
		grace := ""
		if node.grace != "" {
			grace = fmt.Sprintf(`"terminationGracePeriod":%q`, node.grace)
		}
		cluster += strings.NewReplacer("NAME", node.name, "REASON", node.reason, "GRACE", grace, "ANNOTATION", node.annotation).Replace(`
{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"c-NAME","labels":{"karpenter.sh/nodepool":"p"}},"spec":{GRACE},
 "status":{"nodeName":"NAME","conditions":[{"type":"Initialized","status":"True"},
  {"type":"REASON","status":"True","lastTransitionTime":"2026-11-20T06:00:00Z"}]}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"NAME","labels":{"karpenter.sh/nodepool":"p","karpenter.sh/registered":"true",
  "karpenter.sh/initialized":"true"},"annotations":{"karpenter.sh/do-not-disrupt":"ANNOTATION"}},
 "status":{"conditions":[{"type":"Ready","status":"True"}]}}
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME","namespace":"a","annotations":{"karpenter.sh/do-not-disrupt":"true"}},
 "spec":{"nodeName":"NAME"},"status":{"phase":"Running"}}`)
	}
	text, stderr, _ := blockedIn(cluster, "-f", "-", "--now", "2026-11-20T10:00:00Z", "--engine", "karpenter", "--by", "namespace")
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"3 of 5 nodes with a reason to be disrupted, or in flight, are held by", "2 more are held for consolidation at most",
		"5 5 Fri 06:00 up to 3h, then killed (3 of 5) a", "1 0 Fri 06:00 - nodes themselves",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not %q:\n%s%s", want, text, stderr)
		}
	}
}
