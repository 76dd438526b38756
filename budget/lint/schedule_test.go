package lint_test

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
)

var quoted = regexp.MustCompile(`"([^"]+ [^"]+ [^"]+ [^"]+ [^"]+)"`)

func TestSchedulesThatDoNotHitWhenTheySeemTo(t *testing.T) {
	for name, c := range map[string]struct {
		expr, outside string
		code, says    string
		advice        string
		severity      lint.Severity // "" is a warning
	}{
		"the first Saturday": {expr: "0 2 1-7 * sat", code: "either-day",
			says:   "it hits on 124 days in the year from December 2026 on, while both match on 12 days",
			advice: `or a budget for each date, such as "0 2 5 12 *" for Sat 2026-12-05`},
		"Patch Tuesday": {expr: "0 20 8-14 * tue", code: "either-day",
			says: "on 125 days in the year from December 2026 on, while both match on 12 days"},
		"Friday the 13th": {expr: "0 0 13 * fri", code: "either-day",
			says: "while both match on 1 day"},
		"Thanksgiving": {expr: "0 0 22-28 11 thu", code: "either-day",
			says: "on 10 days in the year from December 2026 on, while both match on 1 day"},
		"a day that is in no year": {expr: "0 0 30 2 mon", code: "either-day", says: "while both match on 0 days",
			advice: `cron cannot ask for both: write "schedule": "0 0 * 2 mon" in budgets[1]`},
		"all days of the month, and one of the week": {expr: "0 0 1-31 * sat", code: "either-day", says: "on 365 days in the year"},
		"steps restrict days":                        {expr: "0 0 */2 * sat", code: "either-day", says: "it hits on 212 days"},
		"the first Saturday, and nothing else": {expr: "0 2 1-7 * sat", outside: `, "outside": true`, code: "either-day", says: "on 124 days",
			advice: `for the times in both, write it twice, with "0 2 1-7 * *" and "0 2 * * sat"`},
		"one of the two days is any": {expr: "0 2 1-7 * *"},
		"so is ?":                    {expr: "0 2 ? * sat"},
		"and all of the week":        {expr: "0 2 1-7 * 0-6", code: "either-day", says: "on 365 days in the year"},

		"the 31st": {expr: "0 0 31 * *", code: "short-months", says: "does not hit in February, April, June, September and November, which have no such day",
			advice: `{"nodes": "5%", "schedule": "0 0 28,29 2 *", "duration": "10m"} instead of budgets[1], for the end of each month`},
		"outside of the 31st, three budgets would leave nothing": {expr: "0 0 31 * *", outside: `, "outside": true`, code: "short-months", says: "does not hit in February",
			advice: "write a day that each of its months has, such as 28"},
		"the 30th":                     {expr: "0 0 30 * ?", code: "short-months", says: "February, which has no such day"},
		"some ends of months":          {expr: "0 0 31 1-6 *", code: "short-months", says: "February, April and June", advice: "write the last day of each of these months in a budget of its own"},
		"the last days, from the 28th": {expr: "0 0 28-31 * *"},
		"the end of long months":       {expr: "0 0 31 1,3,5 *"},
		"the end of December":          {expr: "0 0 31 12 *"},

		"90 minutes":                {expr: "*/90 * * * *", code: "uneven-steps", says: "start again with each hour, so that it hits only once in each, at 0"},
		"45 minutes":                {expr: "*/45 * * * *", code: "uneven-steps", says: "only 15 of the 45 minutes apart"},
		"45 minutes from 5 past":    {expr: "5/45 * * * *", code: "uneven-steps", says: "only 15 of the 45 minutes apart"},
		"36 hours":                  {expr: "0 */36 * * *", code: "uneven-steps", says: "with each day, so that it hits only once in each, at 0"},
		"5 hours":                   {expr: "0 */5 * * *", code: "uneven-steps", severity: lint.SeverityInfo, says: "only 4 of the 5 hours apart"},
		"a fortnight":               {expr: "0 0 */14 * *", code: "uneven-steps", says: "with each month, so that the last hit and the next may be only 1 of the 14 days apart"},
		"a fortnight from the 1st":  {expr: "0 0 1/14 * *", code: "uneven-steps", says: "only 1 of the 14 days apart"},
		"a fortnight of all days":   {expr: "0 0 1-31/14 * *", code: "uneven-steps", says: "only 1 of the 14 days apart"},
		"5 hours of all hours":      {expr: "0 0-23/5 * * *", code: "uneven-steps", severity: lint.SeverityInfo, says: "only 4 of the 5 hours apart"},
		"every other day":           {expr: "0 0 */2 * *", code: "uneven-steps", severity: lint.SeverityInfo, says: "only 1 of the 2 days apart"},
		"every other weekday":       {expr: "0 0 * * */2", code: "uneven-steps", severity: lint.SeverityInfo, says: "with each week, so that the last hit and the next may be only 1 of the 2 days apart"},
		"five months":               {expr: "0 0 1 */5 *", code: "uneven-steps", says: "only 2 of the 5 months apart"},
		"a step beyond its range":   {expr: "0 9-17/12 * * *", code: "uneven-steps", says: "only once in each, at 9"},
		"half an hour":              {expr: "*/30 * * * *"},
		"once an hour":              {expr: "*/60 * * * *"},
		"eight hours from 2 on":     {expr: "0 2/8 * * *"},
		"every third hour of a day": {expr: "0 9-18/3 * * *"},
		"once a month":              {expr: "0 0 */31 * *"},
		"hours of a range":          {expr: "0 0-22/5 * * *"},
		"quarters":                  {expr: "0 0 1 */3 *"},
		"twice a month":             {expr: "0 0 1,15 * *"},
		"a descriptor":              {expr: "@monthly"},
	} {
		t.Run(name, func(t *testing.T) {
			ofSchedule := func(expr string) (found []lint.Finding) {
				set, err := decodeSpec(t, `{"budgets": [{"nodes": "10%"}, {"nodes": "5%", "schedule": "`+expr+`", "duration": "10m"`+c.outside+`}]}`).Compile()
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
					if f.Code == "either-day" || f.Code == "short-months" || f.Code == "uneven-steps" {
						if f.Budgets != 1<<1 {
							t.Errorf("%s is about %s", f, f.Budgets)
						}
						found = append(found, f)
					}
				}
				return found
			}
			found := ofSchedule(c.expr)
			if c.code == "" {
				if len(found) > 0 {
					t.Error(found)
				}
				return
			}
			if len(found) == 0 || found[0].Code != c.code || !strings.Contains(found[0].Message, c.says) || !strings.Contains(found[0].Advice, c.advice) ||
				found[0].Severity != cmp.Or(c.severity, lint.SeverityWarning) {
				t.Fatalf("%v\nwant %s: %s", found, c.code, c.says)
			}
			for _, m := range quoted.FindAllStringSubmatch(found[0].Advice, -1) {
				for _, again := range ofSchedule(m[1]) {
					if again.Code == c.code {
						t.Errorf("%s\nwritten so: %s", found[0], again)
					}
				}
			}
		})
	}
}

func TestNumbersAndZonesThatAreNotWhatTheySeem(t *testing.T) {
	const nightly = `"schedule": "0 1 * * *", "duration": "4h"`
	for name, c := range map[string]lintCase{
		"all nodes":                                 {budgets: `{"nodes": "100%"}`, want: []string{"info limits-nothing [0]"}},
		"as many as there are":                      {budgets: `{"nodes": "100"}`, want: []string{"info limits-nothing [0]"}},
		"all but one":                               {budgets: `{"nodes": "99"}`},
		"almost all":                                {budgets: `{"nodes": "99%"}`},
		"empty nodes may all be disrupted":          {budgets: `{"nodes": "100%", "reasons": ["Empty"]}, {"nodes": "5", "reasons": ["Drifted", "Underutilized"]}`},
		"others as well, at a time":                 {budgets: `{"nodes": "0", ` + nightly + `}, {"nodes": "100%", ` + nightly + `, "outside": true}`, want: []string{"info limits-nothing [1]"}},
		"what another one limits":                   {budgets: `{"nodes": "100%"}, {"nodes": "5"}`, want: []string{"info limits-nothing [0,1]"}, advice: "delete budgets[0]"},
		"empty nodes, where another one limits all": {budgets: `{"nodes": "5"}, {"nodes": "100%", "reasons": ["Empty"]}`, want: []string{"info limits-nothing [0,1]"}, advice: "delete budgets[1]"},
		"all nodes of each zone":                    {budgets: `{"nodes": "5"}, {"nodes": "100%", ` + zoneKey + `}`, want: []string{"info limits-nothing [1]"}},
		"all nodes of a zone, one zone at a time":   {budgets: `{"nodes": "5"}, {"nodes": "100%", ` + zoneKey + `, "sequential": true}`},
		"New York, without its summer":              {budgets: `{"nodes": "5"}, {"nodes": "0", "timeZone": "EST", ` + nightly + `}`, want: []string{"info fixed-offset [1]"}, advice: `write the zone of a city, such as America/New_York`},
		"Denver":                                    {budgets: `{"nodes": "5"}, {"nodes": "0", "timeZone": "MST", ` + nightly + `}`, want: []string{"info fixed-offset [1]"}, advice: `write the zone of a city, such as America/Denver`},
		"Etc/GMT+5 is west of Greenwich":            {budgets: `{"nodes": "5"}, {"nodes": "0", "timeZone": "Etc/GMT+5", ` + nightly + `}`, want: []string{"info fixed-offset [1]"}},
		"a zone that has summer time":               {budgets: `{"nodes": "5"}, {"nodes": "0", "timeZone": "EST5EDT", ` + nightly + `}`},
		"one that never had any, and nobody waits":  {budgets: `{"nodes": "5"}, {"nodes": "0", "timeZone": "Etc/UTC", ` + nightly + `}, {"nodes": "4", "timeZone": "Etc/GMT", ` + nightly + `}`, want: []string{"warning never-binds [0,1,2]"}},
	} {
		t.Run(name, c.run)
	}
}

// Where the number of nodes is not known, a count has to be one that no pool reaches.
func TestACountThatNoPoolReaches(t *testing.T) {
	for nodes, want := range map[string]int{"101": 0, "4999": 0, "5000": 1, "100%": 1} {
		set, err := budget.Compile([]budget.Budget{{Nodes: nodes}})
		if err != nil {
			t.Fatal(err)
		}
		if findings := lint.Run(set, lintNow, lint.Facts{Nodes: 0}); ofCode(findings, "limits-nothing") != want {
			t.Errorf("%s: %v", nodes, findings)
		}
	}
}
