package metrics

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// What is printed once can be piped to promtool check metrics, or be a file of the node exporter's textfile collector.
func TestStandardOutputIsAnExpositionFromItsFirstByte(t *testing.T) {
	for _, c := range []struct{ name, stdin, args string }{
		{"the example", "", ""},
		{"a file with warnings", string(bundled.Cluster), "-f -"},
		{"a file for the guard", string(bundled.Cluster), "-f - --engine guard"},
		{"a file that lacks kinds", `{"kind":"NodeList","items":[{"metadata":{"name":"a"}}]}`, "-f -"},
		{"with a plan", string(bundled.Cluster), "-f - --eta"},
	} {
		got := ran(t.Context(), c.stdin, strings.Fields(c.args)...)
		parser := expfmt.NewTextParser(model.UTF8Validation)
		if _, err := parser.TextToMetricFamilies(strings.NewReader(got.stdout)); err != nil || got.status == hopeless {
			t.Errorf("%s: status %d, %v\n%.400s", c.name, got.status, err, got.stdout)
		}
		problems, err := promlint.New(strings.NewReader(got.stdout)).Lint() // what promtool check metrics runs
		problems = slices.DeleteFunc(problems, func(p promlint.Problem) bool {
			return p.Metric == "karpenter_nodepool_disrupted_nodes" && strings.Contains(p.Text, "_total") // the RFC calls it so
		})
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", c.name, problems, err)
		}
		for line := range strings.Lines(got.stdout) {
			name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
			if !strings.HasPrefix(name, "karpenter_") && !strings.HasPrefix(name, "disruptkit_") {
				t.Errorf("%s: not of the exposition: %q", c.name, line)
			}
		}
		if !strings.Contains(got.stderr, "For ") {
			t.Errorf("%s: standard error does not say for which engine it is: %s", c.name, got.stderr)
		}
	}
}

// Karpenter sets its gauges when a method begins, of the cluster as it is then (BuildDisruptionBudgetMapping of v1.15): what another
// method may start has not started. So they are those of a decision by itself, in whatever order reasons are asked.
func TestGaugesUnderKarpentersNamesCountWhatHasStarted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []string
		inFlight := 0
		for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
			conditions := `{"type":"Consolidatable","status":"True","lastTransitionTime":"2026-11-01T00:00:00Z"}`
			if rapid.Bool().Draw(t, "drifted") {
				conditions += `,{"type":"Drifted","status":"True","reason":"AMIDrift","lastTransitionTime":"2026-11-01T00:00:00Z"}`
			}
			taints, ready := "[]", "True"
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				taints = `[{"key":"karpenter.sh/disrupted","effect":"NoSchedule"}]`
				inFlight++
			case 1:
				ready = "False"
				inFlight++
			}
			items = append(items, fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"c%d","labels":{"karpenter.sh/nodepool":"p"}},
				"status":{"nodeName":"n%[1]d","providerID":"x%[1]d","conditions":[%[2]s]}}`, i, conditions),
				fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d","labels":{"karpenter.sh/nodepool":"p","karpenter.sh/registered":"true",
				"karpenter.sh/initialized":"true"}},"spec":{"providerID":"x%[1]d","taints":%s},"status":{"conditions":[{"type":"Ready","status":%q,
				"lastTransitionTime":"2026-11-19T00:00:00Z"}]}}`, i, taints, ready))
			if rapid.Bool().Draw(t, "pod") {
				items = append(items, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"a","ownerReferences":[{"kind":"ReplicaSet",
					"name":"r"}]},"spec":{"nodeName":"n%[1]d"},"status":{"phase":"Running"}}`, i))
			}
		}
		nodes, _ := json.Marshal(rapid.SampledFrom([]string{"1", "10%", "50%", "100%"}).Draw(t, "budget"))
		items = append(items, `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"},"spec":{"disruption":{"consolidateAfter":"1m","budgets":[{"nodes":`+string(nodes)+`}]}}}`)
		list := `{"kind":"List","items":[` + strings.Join(items, ",") + `]}`
		cluster, err := manifest.Policy{As: engine.Karpenter, Whole: true}.Read(strings.NewReader(list))
		if err != nil {
			t.Fatal(err)
		}
		seen := (&watch{as: engine.Karpenter}).look(cluster, bundled.Now)
		for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted, candidate.Underutilized} {
			for _, m := range seen.report.Metrics {
				for _, s := range m.Samples {
					if m.Name == "karpenter_nodepools_nodes_consuming_budgets" && s.Labels[1].Value == strings.ToLower(string(reason)) && s.Value != float64(inFlight) {
						t.Fatalf("%s: %v count, and %d are in flight or not Ready", reason, s.Value, inFlight)
					}
				}
			}
		}
	})
}
