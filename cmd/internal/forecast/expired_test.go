package forecast

import (
	"strings"
	"testing"
)

// The guard and the steward ask budgets before nodes of an age go, where a NodePool says at which. Karpenter's own are asked as well: with the
// guard those without reasons, and with the steward those for drift.
func TestBudgetsForExpiredHoldWhereTheNodePoolSaysAtWhichAge(t *testing.T) {
	const nodePool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, annotations: {disruptkit.dev/steward: 'true'%}}\n" +
		"spec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: '9'}, {nodes: '2', reasons: [Drifted]}]}}\n"
	const expire, three = `disruptkit.dev/expire: '{after: 720h, deadline: 1080h}'`, `disruptkit.dev/disruption: '{budgets: [{nodes: "3", reasons: [Expired]}]}'`
	const nights = `disruptkit.dev/disruption: '{budgets: [{nodes: "0", reasons: [Expired], schedule: "0 8 * * *", duration: 12h}]}'`
	for _, c := range []struct{ rule, annotations, reason, guard, steward string }{
		{"an age, and no budget for it", expire, "Expired", "Expired: 9 at all times", "Expired: 2 at all times"},
		{"an age, and a budget for it", expire + ", " + three, "Expired", "Expired: 3 at all times", "Expired: 2 at all times"},
		{"a budget, and no age", three, "Expired", "Expired: unlimited at all times", "Expired: unlimited at all times"},
		{"an age without a deadline", "disruptkit.dev/expire: '{after: 720h}'", "Expired", "Expired: 9 at all times", "Expired: 2 at all times"},
		{"a freeze by day, until the deadline", expire + ", " + nights, "Expired",
			"overdue at the age of 45d: from then on nothing waits for these times", "overdue at the age of 45d: from then on nothing waits for these times"},
		{"a control's deadline, and an age", "disruptkit.dev/expire: '{after: 720h}', disruptkit.dev/disruption: '{expiration: {deadline: 48h}}'", "Expired",
			"overdue after 2d: from then on", "overdue after 2d: from then on"},
		{"a pause, and an age", "disruptkit.dev/expire: '{after: 720h}', disruptkit.dev/pause: 'true'", "Expired", "Expired: no node may be disrupted at any time", "Expired: no node may be disrupted at any time"},
		{"a pause, and no age", "disruptkit.dev/pause: 'true'", "Expired", "Expired: unlimited at all times", "Expired: unlimited at all times"},
		{"drift is as ever", expire + ", " + three, "Drifted", "Drifted: 2 at all times", "Drifted: 2 at all times"},
	} {
		pool := strings.Replace(nodePool, "%", ", "+c.annotations, 1)
		for engine, want := range map[string]string{"guard": c.guard, "steward": c.steward} {
			got := forecasted(pool, "--engine", engine, "--from", "2026-11-23", "--nodes", "100", "--reason", c.reason, "-")
			if !strings.Contains(unwrapped(got.stdout), want) {
				t.Errorf("%s, %s: %s%s, want %s", c.rule, engine, got.stdout, got.stderr, want)
			}
		}
	}
	if got := forecasted(strings.Replace(nodePool, "%", ", "+expire, 1), "--engine", "guard", "--from", "2026-11-23", "-"); !strings.Contains(got.stdout, "Expired") {
		t.Errorf("it is not among the reasons of such a NodePool: %s", got.stdout)
	}
}
