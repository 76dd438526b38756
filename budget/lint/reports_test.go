package lint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/dialect"
)

// Lists that say what they mean: the new rules are silent, whatever lint knows of the pool.
func TestSensibleListsAreNotNagged(t *testing.T) {
	for _, budgets := range []string{
		`{"nodes": "10%"}`, `{"nodes": "5"}`, `{"nodes": "20%"}, {"nodes": "5"}`,
		`{"nodes": "10%"}, {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h"}`,
		`{"nodes": "5"}, {"nodes": "100%", "reasons": ["Empty"]}`,
		`{"nodes": "10%"}, {"nodes": "2", "schedule": "0 9 * * *", "duration": "8h"}`,
		`{"nodes": "2", "reasons": ["Drifted"]}, {"nodes": "10%", "reasons": ["Empty", "Underutilized"]}`,
		`{"nodes": "10%"}, {"nodes": "2", "reasons": ["Unhealthy"]}`,
	} {
		for _, of := range []dialect.Dialect{dialect.Disruptkit, dialect.Karpenter} {
			spec := decodeSpec(t, `{"budgets": [`+budgets+`]}`)
			spec.Dialect = of
			set, err := spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 60, ExpireAfter: 720 * time.Hour, NodeLimit: 100}) {
				if f.Code != lint.CodeNeverBinds { // 100 % for Empty
					t.Errorf("%s, %s: %s", budgets, of, f)
				}
			}
		}
	}
}

// A freeze for security fixes is one of drift.
func TestWhatComesOfAFreezeForGoodDependsOnItsReasons(t *testing.T) {
	for reasons, want := range map[string]string{
		`"Drifted"`:                "not even for a security fix",
		`"Drifted", "Empty"`:       "not even for a security fix",
		`"Underutilized"`:          "pods are never packed onto fewer or cheaper nodes",
		`"Empty"`:                  "empty nodes stay:",
		`"Empty", "Underutilized"`: "empty nodes stay, and pods are never packed onto fewer or cheaper nodes",
	} {
		set, err := decodeSpec(t, `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "reasons": [`+reasons+`]}]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
		if len(findings) != 1 || findings[0].Code != lint.CodeNeverDisruptable || !strings.HasPrefix(findings[0].Advice, "nodes are never replaced for that, "+want) &&
			!strings.HasPrefix(findings[0].Advice, want) {
			t.Errorf("%s: %v", reasons, findings)
		}
	}
}
