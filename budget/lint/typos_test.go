package lint_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/dialect"
)

// Each invalid budget blocks all that the other one would allow.
func TestTheFixesOfARunMendAllTypos(t *testing.T) {
	for name, list := range map[string]string{
		"two":            `{"nodes": "10 %"}, {"nodes": "0", "schedule": "@Daily", "duration": "8h"}`,
		"of one reason":  `{"nodes": "20%"}, {"nodes": "5.0", "reasons": ["Drifted"]}, {"nodes": "2", "reasons": ["drifted"]}`,
		"three":          `{"nodes": "10 %"}, {"nodes": "0", "schedule": "@Daily", "duration": "8h"}, {"nodes": "0", "schedule": "0 9 * * sat-sun", "duration": "2d"}`,
		"the same twice": `{"nodes": "20%"}, {"nodes": "2", "reasons": ["Underutilised"]}, {"nodes": "0", "reasons": ["Underutilised"], "schedule": "@daily", "duration": "8h"}`,
	} {
		for _, of := range []dialect.Dialect{dialect.Disruptkit, dialect.Karpenter} {
			t.Run(of.String()+", "+name, func(t *testing.T) {
				spec := decodeSpec(t, `{"budgets": [`+list+`]}`)
				spec.Dialect = of
				fixed(t, spec, lint.Facts{Nodes: 100})
				set, _ := spec.Compile()
				var fixes []lint.Fix
				for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
					if len(f.Fixes) > 0 {
						fixes = append(fixes, f.Fixes[0])
					}
				}
				better := spec
				better.Budgets = lint.Apply(set.Budgets(), fixes...)
				if after, err := better.Compile(); err != nil {
					t.Errorf("%v is left: %v\n%+v", after.Budgets(), err, fixes)
				}
			})
		}
	}
}

// A day of a zone may last 25 hours: an hour a year is not what a fix leaves.
func TestAFixLeavesMoreThanAnHourAYear(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Sydney"} {
		spec := decodeSpec(t, `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 * * *", "duration": "23h46m", "timeZone": "`+zone+`"}]}`)
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			for _, fix := range f.Fixes {
				after, _ := budget.Compile(lint.Apply(spec.Budgets, fix))
				segments, err := after.Forecast(lintNow, lintNow.AddDate(1, 0, 0), 100, "Drifted")
				if err != nil {
					t.Fatal(err)
				}
				var open time.Duration
				for _, s := range segments {
					if s.Nodes > 0 {
						open += s.End.Sub(s.Start)
					}
				}
				if open < 39*time.Hour {
					t.Errorf("%s\n%s leaves %s open", f, fix.Text, open)
				}
			}
		}
	}
}
