package budget_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func TestJSONIsThatOfKarpenter(t *testing.T) {
	for _, c := range []struct {
		name, json string
		want       budget.Budget
		back       string // "" where it is json again
	}{
		{"all fields", `{"reasons":["Drifted"],"nodes":"10%","schedule":"@daily","duration":"8h","timeZone":"Asia/Tokyo","outside":true,"topologyKey":"rack","sequential":true}`,
			budget.Budget{Reasons: []candidate.Reason{"Drifted"}, Nodes: "10%", Schedule: "@daily", Duration: "8h", TimeZone: "Asia/Tokyo", Outside: true, TopologyKey: "rack", Sequential: true}, ""},
		{"nothing", `{}`, budget.Budget{}, ""},
		{"nodes as a number", `{"nodes":10}`, budget.Budget{Nodes: "10"}, `{"nodes":"10"}`},
		{"nodes as a number that is none of nodes is left to Compile", `{"nodes":-1.5e3}`, budget.Budget{Nodes: "-1.5e3"}, `{"nodes":"-1.5e3"}`},
		{"null is absent", `{"nodes":null,"reasons":null,"schedule":null,"duration":null}`, budget.Budget{}, `{}`},
		{"an empty list of reasons stays one", `{"reasons":[]}`, budget.Budget{Reasons: []candidate.Reason{}}, ""},
		{"the by-method RFC's action", `{"action":"Drift","nodes":15}`, budget.Budget{Reasons: []candidate.Reason{"Drift"}, Nodes: "15"}, `{"reasons":["Drift"],"nodes":"15"}`},
		{"its method and reason", `{"method":"Drift","reason":"AMIDrift"}`, budget.Budget{Reasons: []candidate.Reason{"Drift:AMIDrift"}}, `{"reasons":["Drift:AMIDrift"]}`},
		{"its action and reason", `{"reason":"AMIDrift","action":"Drift"}`, budget.Budget{Reasons: []candidate.Reason{"Drift:AMIDrift"}}, `{"reasons":["Drift:AMIDrift"]}`},
		{"its reason alone", `{"reason":"AMIDrift"}`, budget.Budget{Reasons: []candidate.Reason{"AMIDrift"}}, `{"reasons":["AMIDrift"]}`},
		{"its reason in the form method:reason", `{"reason":"Drift:AMIDrift"}`, budget.Budget{Reasons: []candidate.Reason{"Drift:AMIDrift"}}, `{"reasons":["Drift:AMIDrift"]}`},
		{"its action and method, which are the same", `{"action":"Drift","method":"Drift"}`, budget.Budget{Reasons: []candidate.Reason{"Drift"}}, `{"reasons":["Drift"]}`},
		{"its action for all, which is empty", `{"action":"","reason":""}`, budget.Budget{}, `{}`},
		{"null is none of them", `{"action":null,"method":null,"reason":null,"reasons":["Empty"]}`, budget.Budget{Reasons: []candidate.Reason{"Empty"}}, `{"reasons":["Empty"]}`},
		{"topologyKey may be empty, as the AZ-sequential RFC has it", `{"topologyKey":""}`, budget.Budget{}, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got budget.Budget
			if err := json.Unmarshal([]byte(c.json), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			back, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			want := c.back
			if want == "" {
				want = c.json
			}
			if string(back) != want {
				t.Errorf("back: %s", back)
			}
		})
	}
}

func TestJSONThatCannotBeABudget(t *testing.T) {
	for text, want := range map[string]string{
		`{"nodes":true}`:                          `budget: field "nodes": true is neither a string nor a number: write a count such as 5, or a percentage such as "10%"`,
		`{"nodes":[1]}`:                           `budget: field "nodes": [1] is neither a string nor a number`,
		"{\"nodes\":[\n\t1]}":                     `budget: field "nodes": [1] is neither a string nor a number`,
		"[\n\t1]":                                 `budget [1] is not an object`,
		`{"nodes":""}`:                            `budget: field "nodes": "" is empty: leave the field out for its default`,
		`{"schedule":""}`:                         `"" is empty`,
		`{"duration":""}`:                         `"" is empty`,
		`{"duration":8}`:                          `budget: field "duration": 8 is not valid: write a string, such as "8h"`,
		`{"schedule":5}`:                          `field "schedule": 5 is not valid: write a string`,
		`{"sequential":"true"}`:                   `field "sequential": "true" is not valid: write true or false`,
		`{"reasons":"Drifted"}`:                   `field "reasons": "Drifted" is not valid: write a list, such as ["Drifted"]`,
		`{"timeZone":""}`:                         `"" is empty`,
		`[]`:                                      `budget [] is not an object: write one such as {"nodes": "10%"}`,
		`{"nodes":"0","nodes":"100%"}`:            `budget: field "nodes" appears twice: write it once`,
		`{"nodes":"0","Nodes":"100%"}`:            `budget: field "Nodes" is unknown: write "nodes"`,
		`{"node":"0"}`:                            `budget: field "node" is unknown: write "nodes"`,
		`{"action":5}`:                            `budget: field "action": 5 is not valid: write a string, such as "Drift"`,
		`{"method":["Drift"]}`:                    `budget: field "method": ["Drift"] is not valid: write a string, such as "Drift"`,
		`{"reason":{}}`:                           `budget: field "reason": {} is not valid: write a string, such as "AMIDrift"`,
		`{"Action":"Drift"}`:                      `budget: field "Action" is unknown`,
		`{"action":"Drift","action":"Drift"}`:     `budget: field "action" appears twice: write it once`,
		`{"reasons":["Empty"],"action":"Drift"}`:  `budget: reasons and action, method or reason say the same thing: write only reasons`,
		`{"method":"Drift","reasons":["Drift"]}`:  `budget: reasons and action, method or reason say the same thing: write only reasons`,
		`{"reason":"AMIDrift","reasons":[]}`:      `budget: reasons and action, method or reason say the same thing: write only reasons`,
		`{"action":"Drift","method":"Emptiness"}`: `budget: action "Drift" and method "Emptiness" contradict each other: write one of them`,
		`{"Soak":"10m"}`:                          `budget: field "Soak" is unknown: write "soak"`,
		`{"timeZone":1}`:                          `budget: field "timeZone": 1 is not valid: write a string, such as "Europe/Berlin"`,
		`{"topologyKey":true}`:                    `budget: field "topologyKey": true is not valid: write a string, such as "topology.kubernetes.io/zone"`,
		`{"outsde":true}`:                         `budget: field "outsde" is unknown: write "outside"`,
		`{"elsewhere":true}`:                      `budget: field "elsewhere" is unknown: write one of reasons, nodes, per, soak, guaranteed, spread, schedule, duration, from, to, calendar, timeZone, outside, topologyKey, sequential`,
	} {
		before := budget.Budget{Nodes: "7"}
		got := before
		err := json.Unmarshal([]byte(text), &got)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if diff := cmp.Diff(before, got); diff != "" {
			t.Errorf("%s changes the budget all the same: %s", text, diff)
		}
	}
}

func TestAnExplicitlyEmptyListStaysOne(t *testing.T) {
	for _, text := range []string{`{}`, `{"budgets":[]}`, `{"budgets":[{"nodes":"1"}]}`} {
		var d budget.Spec
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		if back, err := json.Marshal(d); err != nil || string(back) != text {
			t.Errorf("%s becomes %s, %v", text, back, err)
		}
		set, err := d.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(set.Budgets()); (n == 0) != strings.Contains(text, "[]") {
			t.Errorf("%s compiles to %d budgets", text, n)
		}
	}
}

func TestNullLeavesABudgetAsItIs(t *testing.T) {
	got := budget.Budget{Nodes: "0"}
	if err := json.Unmarshal([]byte("null"), &got); err != nil || got.Nodes != "0" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{`{`, `{"nodes":"0"`, `{"nodes"`, `{"nodes":`, ``} {
		if err := got.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%q is taken for a budget", text)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := testkit.Arbitrary(generate.Budgets).Draw(t, "budgets")
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got []budget.Budget
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What a list of known fields leaves out, nobody learns of.
func TestEachFieldOfABudgetIsNamedWhereOneIsUnknown(t *testing.T) {
	err := json.Unmarshal([]byte(`{"elsewhere":true}`), new(budget.Budget))
	_, list, _ := strings.Cut(fmt.Sprint(err), "write one of ")
	known := strings.Split(list, ", ")
	fields := reflect.TypeFor[budget.Budget]()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		if !slices.Contains(known, name) {
			t.Errorf("%s is not among %s", name, known)
		}
	}
}

func TestBudgetsDescribeThemselves(t *testing.T) {
	for want, b := range map[string]budget.Budget{
		"10%": {},
		"5":   {Nodes: "5"},
		"0 (Drifted, Empty; 0 9 * * mon-fri for 8h, UTC)":            {Nodes: "0", Reasons: []candidate.Reason{"Drifted", "Empty"}, Schedule: "0 9 * * mon-fri", Duration: "8h"},
		"0 (outside 0 9 * * mon-fri for 8h, Europe/Berlin)":          {Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin", Outside: true},
		"1 per topology.kubernetes.io/zone, one at a time (Drifted)": {Nodes: "1", Reasons: []candidate.Reason{"Drifted"}, TopologyKey: "topology.kubernetes.io/zone", Sequential: true},

		`0 ("0 9 * * mon-fri\n" for 8h, UTC)`:              {Nodes: "0", Schedule: "0 9 * * mon-fri\n", Duration: "8h"},
		`"5\t" ("Drif\x1bted"; @daily for "8h\n", " UTC")`: {Nodes: "5\t", Reasons: []candidate.Reason{"Drif\x1bted"}, Schedule: "@daily", Duration: "8h\n", TimeZone: " UTC"},
		`1 per "zone\n"`: {Nodes: "1", TopologyKey: "zone\n"},

		"0 (from 2026-12-23 on, UTC)":                 {Nodes: "0", From: "2026-12-23"},
		"0 (up to 2026-12-23, Asia/Tokyo)":            {Nodes: "0", To: "2026-12-23", TimeZone: "Asia/Tokyo"},
		"0 (from 2026-12-23T00:00:00Z on)":            {Nodes: "0", From: "2026-12-23T00:00:00Z"},
		"0 (up to 2026-12-23T00:00:00Z)":              {Nodes: "0", To: "2026-12-23T00:00:00Z", TimeZone: "Asia/Tokyo"},
		"0 (2026-12-23 to 2027-01-02, UTC)":           {Nodes: "0", From: "2026-12-23", To: "2027-01-02"},
		"0 (2026-12-23T00:00:00Z to 2027-01-02, UTC)": {Nodes: "0", From: "2026-12-23T00:00:00Z", To: "2027-01-02"},
		"0":                      {Nodes: "0", Outside: true}, // a fault
		"0 (outside calendar x)": {Nodes: "0", Calendar: "x", Outside: true},
		"0 (outside @daily for 8h, UTC and from 2026-12-23 on, UTC)": {Nodes: "0", Schedule: "@daily", Duration: "8h", From: "2026-12-23", Outside: true},
		"2 per 1h (Drifted)":                                {Nodes: "2", Per: "1h", Reasons: []candidate.Reason{"Drifted"}},
		"0 (@daily without a duration, UTC)":                {Nodes: "0", Schedule: "@daily"},
		"0 (outside @daily without a duration, Asia/Tokyo)": {Nodes: "0", Schedule: "@daily", TimeZone: "Asia/Tokyo", Outside: true},
		`0 (no schedule for "8\n", UTC)`:                    {Nodes: "0", Duration: "8\n"},
		"0 (no schedule for 8h, UTC)":                       {Nodes: "0", Duration: "8h"},
	} {
		if got := b.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestJSONThatCannotBeASpec(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:            `spec.disruption [] is not an object: write one such as {}`,
		`{"budget":[]}`: `spec.disruption: field "budget" is unknown: write "budgets"`,
		"[\n\t1]":       `spec.disruption [1] is not an object: write one such as {}`,
		`{"drfit":{}}`:  `spec.disruption: field "drfit" is unknown: write "drift"`,
		`{"snow":{}}`: `spec.disruption: field "snow" is unknown: write one of budgets, consolidationPolicy, consolidateAfter, order, oversized, ` +
			`defaults, consolidation, drift, expiration, emptiness, disruptionProbes`,
		`{"Drift":{}}`:                          `spec.disruption: field "Drift" is unknown: write "drift"`,
		`{"default":{}}`:                        `spec.disruption: field "default" is unknown: write "defaults"`,
		`{"drift":{},"drift":{}}`:               `spec.disruption: field "drift" appears twice: write it once`,
		`{"budgets":{"nodes":"1"}}`:             `spec.disruption: field "budgets": {"nodes":"1"} is not valid: write a list, such as [{"nodes": "10%"}]`,
		`{"budgets":[{},null]}`:                 `spec.disruption: field "budgets": null is not a budget: write one such as {"nodes": "10%"}, or delete it`,
		`{"drift":{"budgets":[null]}}`:          `spec.disruption: field "drift": control: field "budgets": null is not a budget: write one such as {"nodes": "10%"}, or delete it`,
		`{"budgets":[{"node":1}]}`:              `spec.disruption: field "budgets": budget: field "node" is unknown: write "nodes"`,
		`{"consolidationPolicy":true}`:          `spec.disruption: field "consolidationPolicy": true is not valid: write a string, such as "WhenEmpty"`,
		`{"order":""}`:                          `spec.disruption: field "order": "" is empty: leave the field out for its default`,
		`{"oversized":true}`:                    `spec.disruption: field "oversized": true is not valid: write the string "alone"`,
		`{"order":1}`:                           `spec.disruption: field "order": 1 is not valid: write a string, such as "newest"`,
		`{"consolidateAfter":30}`:               `spec.disruption: field "consolidateAfter": 30 is not valid: write a string, such as "30m" or "Never"`,
		`{"defaults":"1h"}`:                     `spec.disruption: field "defaults": control "1h" is not an object: write one such as {}`,
		`{"consolidation":[]}`:                  `spec.disruption: field "consolidation": control [] is not an object: write one such as {}`,
		`{"drift":{"disruptAfter":60}}`:         `spec.disruption: field "drift": control: field "disruptAfter": 60 is not valid: write a string, such as "30m" or "Never"`,
		`{"drift":{"budget":[]}}`:               `spec.disruption: field "drift": control: field "budget" is unknown: write "budgets"`,
		`{"drift":{"nodes":5}}`:                 `spec.disruption: field "drift": control: field "nodes" is unknown: write one of disruptAfter, deadline, minAge, rollout, consolidationPolicy, budgets`,
		`{"expiration":{"budgets":{}}}`:         `spec.disruption: field "expiration": control: field "budgets": {} is not valid: write a list, such as [{"nodes": "10%"}]`,
		`{"expiration":{"budgets":[5]}}`:        `spec.disruption: field "expiration": control: field "budgets": budget 5 is not an object: write one such as {"nodes": "10%"}`,
		`{"emptiness":{"expireAfter":"Never"}}`: `spec.disruption: field "emptiness": control: field "expireAfter" is unknown`,
		`{"emptiness":{"disruptAfter":"1h","disruptAfter":"Never"}}`: `spec.disruption: field "emptiness": control: field "disruptAfter" appears twice: write it once`,
		`{"consolidation":{"consolidationPolicy":["WhenEmpty"]}}`: `spec.disruption: field "consolidation": control: field "consolidationPolicy": ["WhenEmpty"] is not valid: ` +
			`write a string, such as "WhenEmpty"`,
		`{"drift":{"budgets":[{"action":"Drift","method":"Empty"}]}}`: `spec.disruption: field "drift": control: field "budgets": budget: action "Drift" and method "Empty" contradict each other: write one of them`,
	} {
		before := budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}, MostSpecific: true, Methods: []candidate.Reason{"Moved"}}
		got := before
		err := json.Unmarshal([]byte(text), &got)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if diff := cmp.Diff(before, got); diff != "" {
			t.Errorf("%s changes the Spec all the same: %s", text, diff)
		}
	}
}

func TestJSONOfASpec(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": `{}`,
		"all that there is": `{"budgets":[{"nodes":"1"}],"consolidationPolicy":"WhenEmpty","consolidateAfter":"30s","order":"newest","oversized":"alone","defaults":{"disruptAfter":"1m"},` +
			`"consolidation":{"consolidationPolicy":"Balanced"},"drift":{"disruptAfter":"1h","budgets":[{"reasons":["AMIDrift"],"nodes":"5"}]},` +
			`"expiration":{"disruptAfter":"Never"},"emptiness":{"budgets":[{"nodes":"2"}]}}`,
		"lists that are explicitly empty": `{"budgets":[],"defaults":{"budgets":[]},"drift":{"budgets":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var spec budget.Spec
			if err := json.Unmarshal([]byte(text), &spec); err != nil {
				t.Fatal(err)
			}
			if back, err := json.Marshal(spec); err != nil || string(back) != text {
				t.Errorf("back: %s, %v", back, err)
			}
		})
	}
	spec := budget.Spec{MostSpecific: true, Methods: []candidate.Reason{"Moved"}, Budgets: []budget.Budget{{}}, ConsolidateAfter: "Never"}
	if err := json.Unmarshal([]byte(`{"expireAfter":"Never","drift":null}`), &spec); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(budget.Spec{MostSpecific: true, Methods: []candidate.Reason{"Moved"}}, spec); diff != "" {
		t.Errorf("what the JSON cannot say stays, and nothing else: %s", diff)
	}
	if err := spec.UnmarshalJSON([]byte("null")); err != nil || !spec.MostSpecific {
		t.Errorf("null: %+v, %v", spec, err)
	}
	control := budget.Control{DisruptAfter: "1h"}
	if err := control.UnmarshalJSON([]byte(" null\n")); err != nil || control.DisruptAfter != "1h" {
		t.Errorf("null: %+v, %v", control, err)
	}
}

func TestJSONIsQuotedUpToAHundredCharacters(t *testing.T) {
	long := `"` + strings.Repeat("x", 99) + `"` // one more
	for text, want := range map[string]string{
		long:                          `spec.disruption ` + long[:100] + ` is not`,
		`{"drift": ` + long + `}`:     `control ` + long[:100] + ` is not`,
		`{"budgets": [` + long + `]}`: `budget ` + long[:100] + ` is not`,
		`{"budgets": [{"nodes": {"a": ` + long + `}}]}`: `field "nodes": {"a":` + long[:95] + ` is neither`,
	} {
		var spec budget.Spec
		if err := json.Unmarshal([]byte(text), &spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
