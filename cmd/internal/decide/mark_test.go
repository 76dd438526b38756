package decide

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node of a NodePool that is opted in, at 12:00, with what is written on it.
const marked = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: p
  annotations: {disruptkit.dev/steward: "true", karpenter.sh/nodepool-hash: "1", karpenter.sh/nodepool-hash-version: v3, EXPIRE}
spec: {disruption: {consolidateAfter: Never, budgets: [{nodes: "100%"}]}}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: n-claim
  labels: {karpenter.sh/nodepool: p}
  creationTimestamp: 2026-10-01T12:00:00Z
  annotations: {karpenter.sh/nodepool-hash: HASH, karpenter.sh/nodepool-hash-version: v3}
status: {nodeName: n, providerID: fake://n, conditions: [CONDITION]}
---
apiVersion: v1
kind: Node
metadata:
  name: n
  labels: {karpenter.sh/nodepool: p, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}
  annotations: {WRITTEN}
spec: {providerID: fake://n}
status: {conditions: [{type: Ready, status: "True", lastTransitionTime: 2026-10-01T12:00:00Z}]}
---
{apiVersion: v1, kind: List, items: []}
---
{apiVersion: v1, kind: PodList, items: []}
---
{apiVersion: policy/v1, kind: PodDisruptionBudgetList, items: []}
`

const (
	vetoed  = `karpenter.sh/do-not-disrupt: "true"`
	ours    = vetoed + `, disruptkit.dev/held: "Drifted: topology/waits-for-domain"`
	noFix   = `karpenter.sh/do-not-repair: "true"`
	oursFix = noFix + `, disruptkit.dev/repair-held: "true"`
	drift   = `{type: Drifted, status: "True", reason: NodePoolDrifted, lastTransitionTime: 2026-11-20T11:00:00Z}`
)

// whyOf runs why for a node, with what is written on it, and on its NodePool.
func whyOf(t *testing.T, written, hash, condition, expire string, args ...string) result {
	t.Helper()
	text := strings.NewReplacer("WRITTEN", written, "HASH", `"`+hash+`"`, "CONDITION", condition, "EXPIRE", expire).Replace(marked)
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return stays(append([]string{"n", "-f", file, "--now", "2026-11-20T12:00:00Z"}, args...)...)
}

// What the steward decides, and cannot write, is in the status of the NodePool alone.
func TestWhySaysThatTheStewardCannotWrite(t *testing.T) {
	for cause, want := range map[string]bool{"not-stored": true, "exhausted": false} {
		status := `disruptkit.dev/status: '{"by": "steward", "cause": {"gate": "budget", "code": "` + cause + `", "message": "nodes is forbidden"}}'`
		got := whyOf(t, ours, "1", drift, status, "--engine", "steward")
		const line = "The steward cannot write what it decides, as the status of the NodePool says: nodes is forbidden\n"
		if strings.Contains(strings.ReplaceAll(got.stdout, "\n  ", " "), line) != want {
			t.Errorf("%s:\n%s%s", cause, got.stdout, got.stderr)
		}
	}
}

func TestWhySaysWhoHoldsANode(t *testing.T) {
	const until, past = `, disruptkit.dev/released-until: "2026-11-20T12:01:00Z"`, `, disruptkit.dev/released-until: "2026-11-20T11:58:00Z"`
	const reason = `, disruptkit.dev/released-for: "Drifted since 2026-11-20T11:59:30Z"`
	for _, c := range []struct {
		rule, written, want string // want: what stands between the first lines and the reasons
	}{
		{"the steward", ours + ", " + oursFix,
			"Held by the steward, which wrote: Drifted: topology/waits-for-domain.\n"},
		{"a person", vetoed + ", " + oursFix,
			"Held by somebody: its do-not-disrupt is not the steward's, which leaves it alone.\nIts repair is held by the steward.\n"},
		{"a person holds both", vetoed + ", " + noFix,
			"Held by somebody: its do-not-disrupt is not the steward's, which leaves it alone.\n" +
				"Its repair is held by somebody: its do-not-repair is not the steward's, which leaves it alone.\n"},
		{"the steward, and somebody its repair", ours + ", " + noFix,
			"Held by the steward, which wrote: Drifted: topology/waits-for-domain.\n" +
				"Its repair is held by somebody: its do-not-repair is not the steward's, which leaves it alone.\n"},
		{"nobody, as it is released", oursFix + until + reason,
			"Released by the steward for Drifted since 2026-11-20T11:59:30Z: Karpenter may disrupt it until Fri 12:01 (in 1m).\n"},
		{"nobody, as it is released for repair", ours + until,
			"Held by the steward, which wrote: Drifted: topology/waits-for-domain.\n" +
				"Released by the steward for repair: Karpenter may repair it until Fri 12:01 (in 1m).\n"},
		{"the steward, again", ours + ", " + oursFix + until,
			"Held by the steward, which wrote: Drifted: topology/waits-for-domain.\n" +
				"It was released by the steward, and is held again: until Fri 12:01 (in 1m), Karpenter may still take it where it has not seen that.\n"},
		{"nobody, as its release has ended", oursFix + past,
			"Not held by anybody: the steward, or the node's next heartbeat, is to hold it.\n" +
				"Its last release by the steward ended Fri 11:58 (2m ago).\n"},
		{"nobody yet", "", "Not held by anybody: the steward, or the node's next heartbeat, is to hold it.\n"},
		{"false is no hold", `karpenter.sh/do-not-disrupt: "false"`, "Not held by anybody: the steward, or the node's next heartbeat, is to hold it.\n"},
	} {
		got := whyOf(t, c.written, "1", drift, "a: b", "--engine", "steward")
		text := strings.ReplaceAll(got.stdout, "\n  ", " ")
		_, text, _ = strings.Cut(text, " UTC\n")
		if text, _, _ = strings.Cut(text, "\nDrifted"); text != c.want || got.status == hopeless {
			t.Errorf("%s:\n%s%s\nwant\n%s", c.rule, text, got.stderr, c.want)
		}
	}
	if got := whyOf(t, ours, "1", drift, "a: b", "--engine", "karpenter"); !strings.Contains(got.stdout, "The steward decides about the node: --engine steward says what it may do.") {
		t.Errorf("Karpenter alone:\n%s", got.stdout)
	}
	if got := whyOf(t, ours, "1", drift, "a: b", "--engine", "steward"); strings.Contains(got.stdout, "--engine steward says") {
		t.Errorf("the steward refers to itself:\n%s", got.stdout)
	}
}

func TestWhyOfWhatHasExpired(t *testing.T) {
	const monthly = `disruptkit.dev/expire: "{after: 720h, deadline: 1300h}"`
	for _, c := range []struct {
		rule, hash, condition, expire, want string
	}{
		{"an old node", "1", "", monthly, "Expired, since 2026-10-31 12:00 (20d ago), with a deadline"},
		{"one that was made to drift", "expired-1", drift, monthly, "Expired, since 2026-10-31 12:00 (20d ago), with a deadline"},
		{"one that has drifted", "0", drift, monthly, "Drifted/NodePoolDrifted, since Fri 11:00 (1h00m ago), with a deadline"},
		{"one of a NodePool whose nodes live longer", "1", "", `disruptkit.dev/expire: "{after: 2000h}"`, "It has no reason to be disrupted now"},
	} {
		got := whyOf(t, ours, c.hash, c.condition, c.expire, "--engine", "steward")
		if !strings.Contains(got.stdout, "\n"+c.want) || strings.Count(got.stdout, ", since ") > 1 {
			t.Errorf("%s:\n%s%s", c.rule, got.stdout, got.stderr)
		}
	}
}
