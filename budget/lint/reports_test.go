package lint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// What people reported: kubernetes-sigs/karpenter #…, and aws/karpenter-provider-aws aws#….
func TestReportsThatLintWouldHaveSpared(t *testing.T) {
	const night, workdays = `"schedule": "0 22 * * *", "duration": "8h"`, `"schedule": "0 12 * * mon-fri", "duration": "8h30m"`
	for name, c := range map[string]struct {
		spec           string
		pool           lint.Facts
		dialect        dialect.Dialect
		code           string // "" is none of the rules below
		severity       lint.Severity
		message, after string // parts of the message, and of the advice
	}{
		"nodes expire in peak hours (aws#7797, #1750, #3020)": {spec: `{"consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "10%"}, {"nodes": "0", ` + workdays + `}]}`,
			pool: lint.Facts{ExpireAfter: 720 * time.Hour}, dialect: dialect.Karpenter, code: "expires-frozen", severity: lint.SeverityInfo,
			message: "nodes expire after 720h (expireAfter) in a freeze as well, such as from Mon 2026-11-23 12:00 UTC to Mon 2026-11-23 20:30 UTC", after: "write expireAfter: Never: that is for new nodes"},
		"not if expireAfter is unknown": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", ` + workdays + `}]}`, dialect: dialect.Karpenter},
		"not if it is Never": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", ` + workdays + `}]}`, dialect: dialect.Karpenter,
			pool: lint.Facts{ExpireAfter: candidate.Forever}},
		"not if only drift is frozen": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "reasons": ["Drifted"], ` + workdays + `}]}`,
			pool: lint.Facts{ExpireAfter: 720 * time.Hour}},
		"a pool that is closed for good": {spec: `{"budgets": [{"nodes": "0"}]}`, pool: lint.Facts{ExpireAfter: 720 * time.Hour},
			code: "expires-frozen", severity: lint.SeverityWarning, message: "although budgets always block"},
		"a freeze that is longer than a life": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 * * fri", "duration": "72h"}]}`, pool: lint.Facts{ExpireAfter: 24 * time.Hour},
			code: "expires-frozen", severity: lint.SeverityWarning, message: "every node expires in the freeze of 72h"},
		"not of a pool that is broken": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 * * sat-sun", "duration": "24h"}]}`, dialect: dialect.Karpenter,
			pool: lint.Facts{ExpireAfter: 720 * time.Hour}},

		"a budget for what WhenEmpty keeps out (aws#8290)": {spec: `{"consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Underutilized"]}]}`,
			code: "never-occurs", severity: lint.SeverityInfo, message: "Underutilized never occurs in this pool (consolidationPolicy is WhenEmpty)", after: "delete budgets[1]"},
		"which the guard gets from Karpenter": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Underutilized"]}]}`, pool: lint.Facts{Never: []candidate.Reason{"Underutilized"}},
			code: "never-occurs", severity: lint.SeverityInfo, message: "never occurs in this pool"},
		"a static pool is not consolidated (#2202)": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Empty", "Underutilized"]}]}`, pool: lint.Facts{Replicas: 5},
			code: "never-occurs", severity: lint.SeverityInfo, message: "Empty and Underutilized never occur in this pool (it has replicas)"},
		"nor is one of a single node": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Empty", "Underutilized"]}]}`, pool: lint.Facts{Replicas: 1},
			code: "never-occurs", severity: lint.SeverityInfo, message: "Empty and Underutilized never occur in this pool (it has replicas)"},
		"but its nodes drift":              {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted"]}]}`, pool: lint.Facts{Replicas: 5}},
		"not if one of the reasons occurs": {spec: `{"consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Empty", "Underutilized"]}]}`},

		"one in the last 15 minutes of an hour (aws#6911)": {spec: `{"budgets": [{"nodes": "1"}, {"nodes": "0", "schedule": "0 * * * *", "duration": "45m"}]}`, dialect: dialect.Karpenter,
			code: "one-at-a-time", severity: lint.SeverityInfo, message: "that is one node at a time, not one in each window of 15m", after: "disruptkit.dev/disruption"},
		"one an hour (#2218)": {spec: `{"consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "10%", "reasons": ["Empty"]}, {"nodes": "1", "reasons": ["Drifted"], "schedule": "@hourly", "duration": "1h"}]}`,
			code: "one-at-a-time", severity: lint.SeverityInfo, message: "that is one node at a time, not one in each window of 1h", after: "first fix budgets[1]"},
		"not if there is a pace": {spec: `{"budgets": [{"nodes": "1"}, {"nodes": "1", "per": "1h"}, {"nodes": "0", "schedule": "0 * * * *", "duration": "45m"}]}`},
		"not in a long window":   {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + workdays + `}]}`},

		"a freeze of days beside a budget for repair (#3192, #3311)": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Unhealthy"]}, {"nodes": "0", ` + night + `}]}`,
			code: "freeze-stops-repair", severity: lint.SeverityWarning, message: "broken nodes are not repaired from Sun 2026-11-22 22:00 UTC to Mon 2026-11-23 06:00 UTC",
			after: `write "reasons": ["Drifted", "Empty", "Underutilized"] in budgets[2]`},
		"a freeze of weeks also stops repair": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 20 12 *", "duration": "336h"}]}`,
			code: "freeze-stops-repair", severity: lint.SeverityInfo, message: "for 336h"},
		"not if the freeze names its reasons": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Unhealthy"]}, {"nodes": "0", "reasons": ["Drifted"], ` + night + `}]}`},
		"a night is no word worth":            {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", ` + night + `}]}`},

		"replicas at their limit (aws#8873)": {spec: `{"budgets": [{"nodes": "10%"}]}`, pool: lint.Facts{Replicas: 5, NodeLimit: 5}, dialect: dialect.Karpenter,
			code: "static-limit", severity: lint.SeverityWarning, message: "replicas is 5 and limits.nodes is 5", after: "write limits.nodes: 6 or more"},
		"not with one more node":    {spec: `{"budgets": [{"nodes": "10%"}]}`, pool: lint.Facts{Replicas: 5, NodeLimit: 6}},
		"not of a pool that scales": {spec: `{"budgets": [{"nodes": "10%"}]}`, pool: lint.Facts{NodeLimit: 5}},

		"all in ten minutes (#1350)": {spec: `{"budgets": [{"nodes": "100%"}, {"nodes": "0", "schedule": "10 3 * * *", "duration": "23h50m"}]}`, pool: lint.Facts{Nodes: 38},
			code: "short-rotation", severity: lint.SeverityInfo, message: "hardly all of them fit in the 10m that an opening lasts", after: "kubectl disruption plan"},
		"not in a night":       {spec: `{"budgets": [{"nodes": "100%"}, {"nodes": "0", "schedule": "0 6 * * *", "duration": "16h"}]}`, pool: lint.Facts{Nodes: 38}},
		"not of a part of all": {spec: `{"budgets": [{"nodes": "20%"}, {"nodes": "0", "schedule": "30 3 * * *", "duration": "23h15m"}]}`, pool: lint.Facts{Nodes: 38}},

		"a third of three": {spec: `{"budgets": [{"nodes": "34%"}]}`, pool: lint.Facts{NodeLimit: 3},
			code: "rounds-up", severity: lint.SeverityInfo, message: "34% of 3 nodes (limits.nodes) is 2", after: `write "1"`},
		"nearly a half of five": {spec: `{"budgets": [{"nodes": "45%"}]}`, pool: lint.Facts{Nodes: 5, NodeLimit: 9},
			code: "rounds-up", severity: lint.SeverityInfo, message: "45% of 5 nodes is 3", after: `write "nodes": "2" in budgets[0]`},

		"one underutilized node": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "1", "reasons": ["Underutilized"]}]}`,
			code: "nothing-to-combine", severity: lint.SeverityInfo, message: "that needs two at once", after: `write "nodes": "2" in budgets[1]`},
		"not if it is one by day":        {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "1", "reasons": ["Underutilized"], ` + workdays + `}]}`},
		"not if one is for every reason": {spec: `{"budgets": [{"nodes": "1"}]}`},

		"an hour between two freezes": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "0", "schedule": "0 18 * * mon-fri", "duration": "15h"}]}`,
			code: lint.CodeGap, severity: lint.SeverityInfo, message: "open for only 1h from Mon 2026-11-23 17:00 UTC to Mon 2026-11-23 18:00 UTC", after: `"schedule": "0 9 * * mon-fri", "duration": "9h"`},
		"not if it is the only opening": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}, {"nodes": "0", "schedule": "0 18 * * *", "duration": "15h"}]}`},
		"not if it is a window": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "schedule": "0 17 * * mon-fri", "duration": "1h"},
			{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "0", "schedule": "0 18 * * mon-fri", "duration": "15h"}]}`},
		"not between the windows of one budget": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 8,13 * * mon-fri", "duration": "4h"}]}`},

		"more by night than the rest allows": {spec: `{"budgets": [{"nodes": "5"}, {"nodes": "20%", ` + night + `}]}`, pool: lint.Facts{Nodes: 100},
			code: "only-tightens", severity: lint.SeverityInfo, message: "of 100 nodes, budgets[0] is 5 is tighter", after: `write "schedule": "0 6 * * *", "duration": "16h" in budgets[0]`},
		"not where it decides":           {spec: `{"budgets": [{"nodes": "5"}, {"nodes": "20%", ` + night + `}]}`, pool: lint.Facts{Nodes: 20}},
		"not if the number is not known": {spec: `{"budgets": [{"nodes": "5"}, {"nodes": "20%", ` + night + `}]}`},
		"20 % by night, else 10 %": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "20%", ` + night + `}]}`,
			code: "never-binds", severity: lint.SeverityWarning, after: `write "schedule": "0 6 * * *", "duration": "16h" in budgets[0], so that budgets[1] decides in its window, which raises Drifted`},

		"the other budget covers more than the window": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "20%", "reasons": ["Drifted"], ` + night + `}]}`,
			code: "never-binds", severity: lint.SeverityWarning, after: `write "reasons": ["Empty", "Underutilized", "Unhealthy"] in budgets[0] and add {"nodes": "10%", "reasons": ["Drifted"], "schedule": "0 6 * * *", "duration": "16h"}`},
		"a letter too many in a label": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "1", "topologyKey": "topology.kubernetes.io/zones"}]}`,
			code: "unknown-key", severity: lint.SeverityWarning, message: "nodes have no label topology.kubernetes.io/zones", after: `write "topologyKey": "topology.kubernetes.io/zone" in budgets[1]`},
		"a label of former days": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "1", "topologyKey": "failure-domain.beta.kubernetes.io/zone"}]}`,
			code: "unknown-key", severity: lint.SeverityWarning, after: "topology.kubernetes.io/zone"},
		"a label of one's own": {spec: `{"budgets": [{"nodes": "10%"}, {"nodes": "1", "topologyKey": "example.com/rack"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			spec := decodeSpec(t, c.spec)
			spec.Dialect = c.dialect
			set, _ := spec.Compile()
			findings := lint.Run(set, lintNow, c.pool)
			rules := []string{"expires-frozen", "never-occurs", "one-at-a-time", "freeze-stops-repair", "static-limit",
				"short-rotation", "nothing-to-combine", lint.CodeGap, "only-tightens", "unknown-key"}
			if slices.Contains([]string{"never-binds", "short-rotation", "rounds-up"}, c.code) {
				rules = []string{c.code}
			}
			findings = slices.DeleteFunc(findings, func(f lint.Finding) bool { return !slices.Contains(rules, f.Code) })
			if c.code == "" {
				if len(findings) > 0 {
					t.Error(findings)
				}
				return
			}
			if len(findings) != 1 || findings[0].Code != c.code || findings[0].Severity != c.severity ||
				!strings.Contains(findings[0].Message, c.message) || !strings.Contains(findings[0].Advice, c.after) {
				t.Errorf("%v\nwant %s %s: %s → %s", findings, c.severity, c.code, c.message, c.after)
			}
		})
	}
}

// Lists that say what they mean: the new rules are silent, whatever lint knows of the pool.
func TestSensibleListsAreNotNagged(t *testing.T) {
	for _, budgets := range []string{
		`{"nodes": "10%"}`, `{"nodes": "5"}`, `{"nodes": "20%"}, {"nodes": "5"}`,
		`{"nodes": "10%"}, {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h"}`,
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
				if f.Code != "never-binds" { // 100 % for Empty
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
		`"Empty"`:                  "empty nodes are never deleted:",
		`"Empty", "Underutilized"`: "empty nodes are never deleted, and pods are never packed onto fewer or cheaper nodes",
	} {
		set, err := decodeSpec(t, `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "reasons": [`+reasons+`]}]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
		if len(findings) != 1 || findings[0].Code != "never-disruptable" || !strings.HasPrefix(findings[0].Advice, "nodes are never replaced for that, "+want) &&
			!strings.HasPrefix(findings[0].Advice, want) {
			t.Errorf("%s: %v", reasons, findings)
		}
	}
}
