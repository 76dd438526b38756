package lint

import (
	"strings"
	"testing"
)

// codesOf returns the severities and codes of what is found in a NodePool.
func codesOf(text string, args ...string) string {
	var codes []string
	for line := range strings.Lines(linted(text, append(args, "-")...).stdout) {
		if f := strings.Fields(line); strings.HasPrefix(line, "standard input:") {
			codes = append(codes, f[2]+" "+strings.TrimSuffix(f[3], ":"))
		}
	}
	return strings.Join(codes, ", ")
}

// Lists that were written and judged before anybody ran lint on them: mistake says whether they have one.
func TestWhatIsFoundOfListsThatWereJudgedBlind(t *testing.T) {
	for name, c := range map[string]struct {
		budgets, template, changes, args string // changes: of the NodePool, from|to
		mistake                          bool
		want                             string
	}{
		"office hours":                           {"{nodes: \"0\", schedule: \"0 6 * * 1-5\", duration: 14h}\n{nodes: 10%}", "expireAfter: 720h", "", "", false, "info expires-frozen"},
		"a limit only at night":                  {"{nodes: 10%, schedule: \"0 22 * * *\", duration: 8h}", "expireAfter: 720h", "", "", true, "warning unlimited-span"},
		"a 0 beside the window that should open": {"{nodes: \"0\"}\n{nodes: 10%, schedule: \"0 2 * * *\", duration: 4h}", "expireAfter: 720h", "", "", true, "warning never-binds, warning never-disruptable, warning expires-frozen"},
		"a weekday 7":                            {"{nodes: \"0\", schedule: \"0 0 * * 6-7\", duration: 24h}\n{nodes: \"2\"}", "expireAfter: 720h", "", "", true, "error invalid"},
		"Black Friday":                           {"{nodes: \"0\", schedule: \"0 0 23 11 *\", duration: 192h}\n{nodes: 15%}", "expireAfter: 720h", "", "", false, "info freeze-stops-repair, info expires-frozen"},
		"a freeze of 17 days, a life of 14":      {"{nodes: \"0\", schedule: \"0 0 18 12 *\", duration: 408h}\n{nodes: 15%}", "expireAfter: 336h\n      terminationGracePeriod: 1h", "", "", true, "warning expires-frozen, info freeze-stops-repair"},
		"Drift":                                  {"{nodes: \"1\", reasons: [Drift]}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "error rejected"},
		"reasons left out":                       {"{nodes: \"0\", reasons: [Drifted], schedule: \"0 9 * * mon-fri\", duration: 8h}\n{nodes: 10%, reasons: [Underutilized]}", "expireAfter: 720h", "", "", true, "warning unlimited-span, warning unlimited-span"},
		"all reasons covered":                    {"{nodes: 100%, reasons: [Empty]}\n{nodes: 5%, reasons: [Drifted]}\n{nodes: 10%, reasons: [Underutilized]}\n{nodes: \"0\", schedule: \"0 7 * * 1-5\", duration: 12h, reasons: [Drifted, Underutilized]}", "expireAfter: 720h", "", "", false, ""},
		"never underutilized":                    {"{nodes: 0%, reasons: [Underutilized]}\n{nodes: 10%}", "expireAfter: 720h", "", "", false, "info never-disruptable"},
		"15 of 10 nodes":                         {"{nodes: \"15\"}\n{nodes: \"0\", schedule: \"0 8 * * 1-5\", duration: 10h}", "expireAfter: 720h", "spec:\n  template:|spec:\n  replicas: 10\n  template:", "", true, "info limits-nothing, info expires-frozen, info expire-together"},
		"a schedule alone":                       {"{nodes: \"0\", schedule: \"0 8 * * *\"}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "error rejected"},
		"days":                                   {"{nodes: \"0\", schedule: \"0 0 * * sat\", duration: 2d}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "error rejected"},
		"the fourth Friday":                      {"{nodes: \"0\", schedule: \"0 12 * * 5#4\", duration: 60h}\n{nodes: \"3\"}", "expireAfter: 720h", "", "", true, "error invalid"},
		"the first Monday":                       {"{nodes: \"0\", schedule: \"0 0 1-7 * 1\", duration: 24h}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "warning either-day, info freeze-stops-repair, info expires-frozen"},
		"a zone in the schedule":                 {"{nodes: \"0\", schedule: \"CRON_TZ=Europe/Berlin 0 8 * * 1-5\", duration: 10h}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "error invalid"},
		"nights and weekends":                    {"{nodes: \"0\", schedule: \"0 18 * * 1-5\", duration: 14h}\n{nodes: \"0\", schedule: \"0 0 * * 6\", duration: 56h}\n{nodes: \"2\"}", "expireAfter: 720h", "", "", false, "info expires-frozen"},
		"nights and weekends that do not adjoin": {"{nodes: \"0\", schedule: \"0 22 * * 1-5\", duration: 10h}\n{nodes: \"0\", schedule: \"0 0 * * 6\", duration: 48h}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "warning gap, info expires-frozen"},
		"ten minutes":                            {"{nodes: \"0\", schedule: \"0 0 * * *\", duration: 11h50m}\n{nodes: \"0\", schedule: \"0 12 * * *\", duration: 11h50m}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "warning gap, info expires-frozen"},
		"every minute of an hour":                {"{nodes: \"0\", schedule: \"* 9 * * 1-5\", duration: 8h}\n{nodes: 20%}", "expireAfter: 720h", "", "", true, "warning overlapping-windows, info expires-frozen"},
		"each hour for an hour":                  {"{nodes: \"1\", schedule: \"0 8-18 * * 1-5\", duration: 1h}\n{nodes: 10%}", "expireAfter: 720h", "", "", false, "info one-at-a-time"},
		"each hour for eight":                    {"{nodes: \"0\", schedule: \"0 9-17 * * 1-5\", duration: 8h}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "warning overlapping-windows, info expires-frozen"},
		"never drift, and never expire":          {"{nodes: \"0\", reasons: [Drifted]}\n{nodes: 10%}", "expireAfter: Never", "", "", true, "warning never-disruptable"},
		"never underutilized anyway":             {"{nodes: \"0\", schedule: \"0 9 * * 1-5\", duration: 8h, reasons: [Underutilized]}\n{nodes: 30%}", "expireAfter: 720h", "WhenEmptyOrUnderutilized|WhenEmpty", "", true, "info never-occurs"},
		"hours of Berlin":                        {"{nodes: \"0\", schedule: \"0 7 * * 1-5\", duration: 10h}\n{nodes: 10%}", "expireAfter: 720h", "", "--zone Europe/Berlin", true, "info utc-schedule, info expires-frozen"},
		"a week of each November, in Berlin":     {"{nodes: \"0\", schedule: \"0 23 21 11 *\", duration: 168h}\n{nodes: 10%}", "expireAfter: Never", "", "--zone Europe/Berlin", false, "info freeze-stops-repair"},
		"half a percent":                         {"{nodes: 12.5%}\n{nodes: \"0\", schedule: \"@daily\", duration: 6h}", "expireAfter: 720h", "", "", true, "error rejected, info expires-frozen"},
		"drains of a day":                        {"{nodes: \"0\", schedule: \"0 22 * * 2\", duration: 163h}\n{nodes: \"5\"}", "expireAfter: 720h\n      terminationGracePeriod: 24h", "", "", true, "info drains-past-window, info expires-frozen"},
		"the end of a quarter":                   {"{nodes: \"0\", schedule: \"0 0 31 3,6,9,12 *\", duration: 24h}\n{nodes: 10%}", "expireAfter: 720h", "", "", true, "warning short-months, info expires-frozen"},
		"Karpenter's example":                    {"{nodes: 20%, reasons: [Empty, Drifted]}\n{nodes: \"5\"}\n{nodes: \"0\", schedule: \"@daily\", duration: 10m, reasons: [Underutilized]}", "expireAfter: 720h", "", "", false, ""},
		"Christmas and nights":                   {"{nodes: \"0\", schedule: \"0 0 20 12 *\", duration: 336h}\n{nodes: \"0\", schedule: \"0 6 * * *\", duration: 16h}\n{nodes: 10%}\n{nodes: \"1\", schedule: \"0 22 * * fri,sat\", duration: 8h}", "expireAfter: 1440h\n      terminationGracePeriod: 2h", "", "", false, "info freeze-stops-repair, info expires-frozen"},

		// Other lists, by another judge. One is a mistake to the judge above: that nodes never are replaced nor expire.
		"empty at any time, the rest on Mondays":   {"{nodes: 35%, schedule: \"0 1 * * mon\", duration: 4h}\n{nodes: 35%, reasons: [Empty]}", "expireAfter: Never", "", "", true, "warning unlimited-span"},
		"consolidation in working hours, no drift": {"{nodes: 10%, reasons: [Empty, Underutilized], schedule: \"0 8 * * mon-fri\", duration: 8h}\n{nodes: \"0\", reasons: [Drifted]}", "expireAfter: 720h", "", "", true, "warning unlimited-span, info never-disruptable"},
		"drift at noon, meant for midnight":        {"{nodes: 10%, reasons: [Underutilized, Empty]}\n{nodes: 90%, reasons: [Drifted], schedule: \"0 12 * * *\", duration: 3h}", "expireAfter: Never", "WhenEmptyOrUnderutilized|WhenEmpty", "", true, "warning unlimited-span"},
		"seven hours from each of seven":           {"{nodes: 20%, reasons: [Drifted], schedule: \"0 7-13 * * *\", duration: 7h}", "expireAfter: Never", "", "", true, "warning overlapping-windows, warning unlimited-span, warning unlimited-span"},
		"weekdays 1-7":                             {"{nodes: \"0\", schedule: \"30 10 * * 1-7\", duration: 22h}\n{nodes: 10%, schedule: \"30 8 * * 1-7\", duration: 2h}", "expireAfter: 720h", "", "", true, "error invalid, error invalid"},
		"a weekend sat-sun":                        {"{nodes: 10%}\n{nodes: \"0\", schedule: \"0 0 * * sat-sun\", duration: 24h}", "expireAfter: 720h", "", "", true, "error invalid"},
		"Drift, and Expired":                       {"{nodes: 10%, reasons: [Drift]}\n{nodes: \"0\", reasons: [Expired], schedule: \"0 12 * * mon-fri\", duration: 8h30m0s}\n{nodes: 100%, reasons: [Empty]}", "expireAfter: 336h", "WhenEmptyOrUnderutilized|WhenEmpty", "", true, "error rejected, error rejected"},
		"no duration, days, and a bare number":     {"{nodes: 20%}\n{nodes: \"0\", schedule: \"0 9 * * mon-fri\"}\n{nodes: \"0\", schedule: \"0 0 * * 6\", duration: 2d}\n{nodes: 5, reasons: [Drifted]}", "expireAfter: 168h", "", "", true, "error rejected, error rejected, error rejected"},
		"three freezes that leave nothing":         {"{nodes: 10%}\n{nodes: \"0\", schedule: \"0 7 * * mon-fri\", duration: 12h}\n{nodes: \"0\", schedule: \"0 19 * * *\", duration: 12h}\n{nodes: \"0\", schedule: \"0 6 * * sat,sun\", duration: 14h}", "expireAfter: 720h", "", "", true, "warning never-binds, warning never-disruptable, warning expires-frozen"},
		"half an hour a day for drains of six":     {"{nodes: \"1\"}\n{nodes: \"0\", schedule: \"30 3 * * *\", duration: 23h30m}", "expireAfter: Never\n      terminationGracePeriod: 6h", "WhenEmptyOrUnderutilized|WhenEmpty", "", true, "info drains-past-window, info not-ready-blocks, info one-at-a-time"},
		"no budgets, meant as none allowed":        {"", "expireAfter: Never", "budgets:\n    - |budgets: []", "", true, "warning no-budgets"},
		"a third of three":                         {"{nodes: 34%}", "expireAfter: Never", "WhenEmptyOrUnderutilized|WhenEmpty|spec:\n  template:|spec:\n  limits: {nodes: 3}\n  template:", "", true, "info rounds-up"},
		"more at night":                            {"{nodes: 10%}\n{nodes: 25%, schedule: \"0 22 * * *\", duration: 8h}", "expireAfter: 720h", "", "", true, "warning never-binds"},
		"TZ in the schedule":                       {"{nodes: \"2\"}\n{nodes: \"0\", schedule: \"TZ=Europe/Berlin 0 8 * * mon-fri\", duration: 11h}", "expireAfter: 720h", "", "", true, "error invalid"},
		"a field timeZone":                         {"{nodes: 10%}\n{nodes: \"0\", schedule: \"0 8 * * mon-fri\", duration: 10h, timeZone: America/New_York}", "expireAfter: 336h", "", "", true, "error dropped-field"},
		"expiry in two days, and two windows":      {"{nodes: \"1\", schedule: \"0 10 * * mon-thu\", duration: 8h}\n{nodes: \"0\", schedule: \"0 8 * * fri\", duration: 74h}", "expireAfter: 48h", "", "", true, "warning unlimited-span, warning expires-frozen"},
		"the first Sunday":                         {"{nodes: 15%}\n{nodes: \"0\", schedule: \"0 0 1-7 * sun\", duration: 24h}", "expireAfter: 720h", "", "", true, "warning either-day, info freeze-stops-repair, info expires-frozen"},
		"every minute of working hours":            {"{nodes: \"3\"}\n{nodes: \"0\", schedule: \"* 9-17 * * 1-5\", duration: 8h}", "expireAfter: 720h", "", "", true, "warning overlapping-windows, info expires-frozen"},
		"drift on Sundays only":                    {"{nodes: 5%}\n{nodes: \"10\", reasons: [Empty, Underutilized]}\n{nodes: \"0\", reasons: [Drifted]}\n{nodes: 20%, reasons: [Drifted], schedule: \"0 2 * * sun\", duration: 4h}", "expireAfter: Never", "", "", true, "warning never-binds, warning never-disruptable"},
		"hours of Sydney":                          {"{nodes: 10%}\n{nodes: \"0\", schedule: \"0 0 * * mon-fri\", duration: 24h}", "expireAfter: Never", "", "--zone Australia/Sydney", true, "info utc-schedule"},
		"the example of the docs":                  {"{nodes: 20%, reasons: [Empty, Drifted]}\n{nodes: \"5\"}\n{nodes: \"0\", reasons: [Underutilized], schedule: \"@daily\", duration: 10m}", "expireAfter: 720h", "", "", false, ""},
		"drift on Monday evenings":                 {"{nodes: 20%, reasons: [Empty]}\n{nodes: 10%, reasons: [Drifted]}\n{nodes: \"0\", reasons: [Drifted], schedule: \"0 0 * * sun,tue-sat\", duration: 24h}\n{nodes: \"0\", reasons: [Drifted], schedule: \"0 0 * * mon\", duration: 18h}\n{nodes: \"0\", reasons: [Drifted], schedule: \"0 22 * * mon\", duration: 2h}", "expireAfter: 480h\n      terminationGracePeriod: 2h", "WhenEmptyOrUnderutilized|WhenEmpty", "", false, ""},
		"the first ten minutes of an hour":         {"{nodes: \"1\", schedule: \"0 * * * *\", duration: 10m0s}\n{nodes: \"0\", schedule: \"10 * * * *\", duration: 50m0s}", "expireAfter: 168h\n      terminationGracePeriod: 10m", "", "", false, "info not-ready-blocks, info one-at-a-time, info expires-frozen"},
		"all on Sundays":                           {"{nodes: 100%, schedule: \"0 0 * * 0\", duration: 24h}\n{nodes: \"0\", schedule: \"0 0 * * 1\", duration: 144h}", "expireAfter: Never", "WhenEmptyOrUnderutilized|WhenEmpty", "", false, "info limits-nothing"},
		"no drift, and empty nodes":                {"{nodes: 100%, reasons: [Empty]}\n{nodes: \"0\", reasons: [Drifted, Underutilized]}", "expireAfter: Never", "WhenEmptyOrUnderutilized|WhenEmpty", "", true, "warning never-disruptable"},
		"no consolidation in office hours":         {"{nodes: 10%}\n{nodes: \"0\", reasons: [Drifted, Underutilized], schedule: \"0 9 * * mon-fri\", duration: 8h}", "expireAfter: 720h\n      terminationGracePeriod: 1h", "", "", false, ""},
		"no budgets written":                       {"", "expireAfter: 720h", "    budgets:\n    - \n|", "", false, ""},
		"two yearly freezes":                       {"{nodes: 10%}\n{nodes: \"0\", schedule: \"0 0 20 11 *\", duration: 288h}\n{nodes: \"0\", schedule: \"0 0 18 12 *\", duration: 360h}", "expireAfter: Never", "", "", false, "info freeze-stops-repair"},
		"two hours a night":                        {"{nodes: \"1\"}\n{nodes: \"0\", reasons: [Drifted], schedule: \"0 4 * * *\", duration: 22h}", "expireAfter: Never\n      terminationGracePeriod: 30m", "WhenEmptyOrUnderutilized|WhenEmpty|1m|Never", "", false, "info not-ready-blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			changes := append([]string{"expireAfter: Never", c.template}, strings.Split(c.changes, "|")...)
			if c.changes == "" {
				changes = changes[:2]
			}
			text, args := nodePool(c.budgets, changes...), strings.Fields("--now 2026-11-29T07:00:00Z "+c.args)
			got := codesOf(text, args...)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			other := strings.Replace(text, "name: web", "name: other", 1)
			if both, want := codesOf(text+"---\n"+other, args...), strings.Trim(got+", "+got, ", "); both != want {
				t.Errorf("of two pools with the same budgets: %s, want what each has alone: %s", both, want)
			}
			if severe := strings.Contains(got, "error") || strings.Contains(got, "warning"); severe && !c.mistake || c.mistake && got == "" {
				t.Errorf("a mistake: %t, but found: %s", c.mistake, got)
			}
		})
	}
}
