package admission_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/dialect"
)

func TestAdmitFillsInDefaults(t *testing.T) {
	const rest = `"consolidationPolicy":"WhenEmptyOrUnderutilized","consolidateAfter":"0s"`
	for disruption, want := range map[string]string{
		`null`: `{"budgets":[{"nodes":"10%"}],` + rest + `}`, `{}`: `{"budgets":[{"nodes":"10%"}],` + rest + `}`,
		`{"budgets": null}`:                 `{"budgets":[{"nodes":"10%"}],` + rest + `}`,
		`{"budgets": []}`:                   `{"budgets":[],` + rest + `}`,
		`{"budgets": [{"nodes": null}]}`:    `{"budgets":[{"nodes":"10%"}],` + rest + `}`,
		`{"budgets": [{"reasons": []}]}`:    `{"budgets":[{"reasons":[],"nodes":"10%"}],` + rest + `}`,
		`{"budgets": [], "drift": {"x":1}}`: `{"budgets":[],` + rest + `}`,
		`{"consolidateAfter": "Never", "consolidationPolicy": "WhenEmpty", "budgets": []}`: `{"budgets":[],"consolidationPolicy":"WhenEmpty","consolidateAfter":"Never"}`,
	} {
		spec, _, err := admission.Admit([]byte(disruption))
		if got, _ := json.Marshal(spec); err != nil || string(got) != want {
			t.Errorf("%s is stored as %s (%v), want %s", disruption, got, err, want)
		}
	}
}

// The advice is true of what the budget says besides.
func TestADroppedFieldHasAWarningWithWhatToWriteInstead(t *testing.T) {
	const (
		guard     = "; the annotation disruptkit.dev/disruption supports it, where Karpenter runs with disruptkit's guard or steward"
		always    = "the budget is active at all times"
		onAnyDate = "the budget is active at the times of its schedule, on any date"
		scheduled = `"schedule": "@daily", "duration": "8h", `
	)
	for fields, want := range map[string]string{
		`"per": "1h"`:                          "the budget limits how many go at once" + guard,
		`"soak": "10m"`:                        "the budget limits how many go at once" + guard,
		`"from": "2026-12-23"`:                 always + guard,
		`"to": "2026-12-23"`:                   always + guard,
		scheduled + `"to": "2026-12-23"`:       onAnyDate + guard,
		`"calendar": "x"`:                      always + guard,
		scheduled + `"calendar": "x"`:          onAnyDate + guard,
		`"outside": true`:                      always + guard,
		scheduled + `"outside": true`:          "the budget is active inside the windows of its schedule, not outside" + guard,
		scheduled + `"timeZone": "Asia/Tokyo"`: "the schedule is in UTC: write its hours in UTC" + guard,
		scheduled + `"timezone": "Asia/Tokyo"`: "the schedule is in UTC: write its hours in UTC" + strings.Replace(guard, "it,", "timeZone,", 1),
		`"timeZone": "Asia/Tokyo"`:             "the budget has no schedule for which a time zone would matter: write a schedule, with its hours in UTC, or no time zone",
		`"guaranteed": true`:                   "the budget limits its reasons, and guarantees them nothing" + guard,
		`"node": "0"`:                          "write nodes, which is there as well: keep the one that is meant",
		`"scheduel": "@daily"`:                 "write schedule",
		`"disruption": {"budgets": []}`:        "write disruption under spec",
		`"a field that does not exist": 0`:     "write duration, nodes, reasons or schedule",
	} {
		_, dropped, err := admission.Admit([]byte(`{"budgets": [{"nodes": "1", ` + fields + `}]}`))
		if err != nil || len(dropped) != 1 || !strings.HasSuffix(dropped[0].Message, "at best with a warning: "+want) {
			t.Errorf("%s: %v, %v", fields, dropped, err)
		}
		var spec budget.Spec
		if json.Unmarshal([]byte(`{"budgets": [{"nodes": "1", `+fields+`}]}`), &spec) == nil { // one that a program made
			spec.Dialect = dialect.Karpenter
			set, _ := spec.Compile()
			if all := admission.Warnings(set); len(all) != 1 || all[0].Message != dropped[0].Message {
				t.Errorf("%s: compiled: %v", fields, all)
			}
		}
	}
}

// A row for everything that the schema rejects, and for what it just does not.
func TestEveryRejectionIsNamedAndSaysWhatToWrite(t *testing.T) {
	const elsewhere = "the annotation disruptkit.dev/disruption supports it, where Karpenter runs with disruptkit's guard or steward"
	list := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	long := `"` + strings.Repeat("a", 150) + `"`
	for _, c := range []struct{ name, disruption, want string }{
		{"a list is no object", `[]`, `[] is rejected: write an object, such as {}`},
		{"an object is no list", `{"budgets": {}}`, `budgets: {} is rejected: write a list, such as [{"nodes": "10%"}]`},
		{"what is no budget", `{"budgets": [null, 1]}`, `budgets[0]: null is rejected: write an object, such as {"nodes": "10%"}
budgets[1]: 1 is rejected: write an object, such as {"nodes": "10%"}`},
		{"what is long is cut", `{"budgets": [` + long + `]}`, `budgets[0]: ` + long[:100] + ` is rejected: write an object, such as {"nodes": "10%"}`},
		{"what is no string", `{"consolidateAfter": 30, "consolidationPolicy": true}`, `consolidateAfter: 30 is rejected: write a string, such as "30m" or "Never"
consolidationPolicy: true is rejected: write a string, such as "WhenEmpty"`},
		{"an empty string", `{"budgets": [{"nodes": ""}]}`, `budgets[0].nodes: "" is rejected: write a quoted string, such as "5" or "10%"`},
		{"a day", `{"consolidateAfter": "1d"}`,
			`consolidateAfter: consolidateAfter "1d" is rejected: write 24h`},
		{"a time that no Go program can read", `{"consolidateAfter": "9999999h"}`,
			`consolidateAfter: consolidateAfter "9999999h" is rejected: write hours, minutes and seconds such as 30s or 1h30m, or Never`},
		{"hours, minutes and seconds are none", `{"consolidateAfter": "1h30m5s", "consolidationPolicy": "Balanced"}`, ``},
		{"a duration of another type, beside its schedule", `{"budgets": [{"schedule": "@daily", "duration": 8}]}`, `budgets[0].duration: 8 is rejected: write a string, such as "8h"`},
		{"a schedule of another type, beside its duration", `{"budgets": [{"schedule": ["@daily"], "duration": "8h"}]}`, `budgets[0].schedule: ["@daily"] is rejected: write a string, such as "0 9 * * mon-fri"`},
		{"what is invalid beside what is rejected", `{"budgets": [{"nodes": "5 %", "schedule": "0 0 * * sat-sun", "duration": "8h"}]}`,
			"budgets[0].nodes: nodes \"5 %\" is rejected: write \"5%\"\n" + `budgets[0].schedule: cron expression "0 0 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"`},
		{"a policy of v1beta1", `{"consolidationPolicy": "WhenUnderutilized"}`,
			`consolidationPolicy: consolidationPolicy "WhenUnderutilized" is rejected: write WhenEmptyOrUnderutilized`},
		{"more than everything", `{"budgets": [{"nodes": "101%"}]}`,
			`budgets[0].nodes: nodes "101%" is rejected: write a count such as 5, or a percentage from 0% to 100%`},
		{"everything is none", `{"budgets": [{"nodes": "100%"}]}`, ``},
		{"what is neither a string nor a list", `{"budgets": [{"schedule": 1, "duration": 8, "reasons": "Drifted"}]}`,
			`budgets[0].duration: 8 is rejected: write a string, such as "8h"
budgets[0].reasons: "Drifted" is rejected: write a list of strings, such as ["Drifted"]
budgets[0].schedule: 1 is rejected: write a string, such as "0 9 * * mon-fri"`},
		{"a reason that is null", `{"budgets": [{"reasons": [null]}]}`, `budgets[0].reasons: [null] is rejected: write a list of strings, such as ["Drifted"]`},
		{"a reason for which nobody asks budgets", `{"budgets": [{"reasons": ["Expired"]}]}`,
			`budgets[0].reasons[0]: reason "Expired" is rejected: write a longer expireAfter, or Never, under spec.template.spec instead of this budget: expiration asks no budget; ` +
				strings.Replace(elsewhere, "supports it", "supports budgets for it", 1)},
		{"a reason that Karpenter does not have", `{"budgets": [{"reasons": ["Requested"]}]}`,
			`budgets[0].reasons[0]: reason "Requested" is rejected: write Underutilized, Empty, Drifted or Unhealthy; ` + elsewhere},
		{"what is no reason at all", `{"budgets": [{"reasons": ["Rust"]}]}`,
			`budgets[0].reasons[0]: reason "Rust" is rejected: write Underutilized, Empty, Drifted or Unhealthy`},
		{"a reason twice, once for each time too many", `{"budgets": [{"reasons": ["Drifted", "Empty", "Drifted", "Drifted"]}]}`,
			`budgets[0].reasons[2]: reason "Drifted" is rejected, since it appears twice: write it once
budgets[0].reasons[3]: reason "Drifted" is rejected, since it appears twice: write it once`},
		{"a schedule alone", `{"budgets": [{"schedule": "@daily"}]}`,
			`budgets[0].duration: a schedule without a duration is rejected: write how long the budget stays active after each hit, such as 8h`},
		{"a duration alone", `{"budgets": [{"duration": "8h"}]}`,
			`budgets[0].schedule: a duration without a schedule is rejected: write both, or neither for always`},
		{"a word", `{"budgets": [{"schedule": "daily", "duration": "8h"}]}`,
			`budgets[0].schedule: schedule "daily" is rejected: write five fields such as "0 9 * * mon-fri", or @daily`},
		{"seconds", `{"budgets": [{"schedule": "@daily", "duration": "30s"}]}`,
			`budgets[0].duration: duration "30s" is rejected: write whole hours and minutes, such as 8h, 90m or 1h30m`},
		{"fifty budgets are none", `{"budgets": [` + list(50, `{}`) + `]}`, ``},
		{"more budgets", `{"budgets": [` + list(51, `{}`) + `]}`, `budgets: 51 budgets are rejected: write at most 50`},
		{"fifty reasons are none, but they cannot all be different", `{"budgets": [{"reasons": [` + list(50, `"Drifted"`) + `]}]}`,
			`budgets[0].reasons[1]: reason "Drifted" is rejected, since it appears twice: write it once`},
		{"more reasons", `{"budgets": [{"reasons": [` + list(51, `"Drifted"`) + `]}]}`, `budgets[0].reasons: 51 reasons are rejected: write at most 50`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := admission.Admit([]byte(c.disruption))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if strings.Count(got, "\n") > 10 {
				got, _, _ = strings.Cut(got, "\n")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
