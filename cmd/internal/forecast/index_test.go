package forecast

import (
	"strings"
	"testing"
)

func TestManyPoolsHaveAnIndexTheWorstFirst(t *testing.T) {
	pool := func(name, nodes string) string {
		return `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "` + name + `"}, "spec": {"disruption": {"consolidateAfter": "5m", "budgets": [{"nodes": "` + nodes + `"}]}}}`
	}
	four := pool("a", "10%") + pool("b", "0") + pool("c", "ten") + pool("d", "5")
	got := forecasted(four, "--engine", "disruptkit", "-").stdout
	want := "NODEPOOL  FINDINGS\nc         1 error\nb         1 warning\na         none\nd         none\n"
	if !strings.Contains(got, want) {
		t.Errorf("got %.400s", got)
	}
	if got := forecasted(pool("a", "10%"), "-").stdout; strings.Contains(got, "NODEPOOL  FINDINGS") {
		t.Errorf("one pool has an index: %s", got)
	}
}

const daily = `{"budgets": [{"nodes": "1"}, {"nodes": "0", "schedule": "0 12 * * *", "duration": "6h"}]}`
