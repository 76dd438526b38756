package karpenter

import "testing"

// The guard's own budgets no longer block nodes that are overdue. Karpenter's do: it starts no more than they let, whatever the
// guard says.
func TestOverdueNodesGoAsFarAsKarpentersBudgetsLetThem(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `drift: {deadline: 6m, budgets: [{nodes: "0"}]}`))
	g.node("default", "a1", 5)
	g.node("default", "a2", 9)
	g.node("default", "a3", 7)
	guard := Guard(drift(), g.Cluster)
	for _, c := range []struct {
		budget int // what Karpenter's own budgets leave
		want   string
	}{{0, ""}, {9, "a2"}} {
		if got := g.mustCompute(guard, c.budget); got != c.want {
			t.Errorf("started %q while Karpenter allows %d, want %q", got, c.budget, c.want)
		}
	}
	g.inFlight("a2")
	if got := g.mustCompute(guard, 9); got != "" {
		t.Errorf("started %q beside another overdue node", got)
	}
}
