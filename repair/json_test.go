package repair_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/repair"
)

func TestParse(t *testing.T) {
	set, err := repair.Parse([]byte(`[
		{"conditionType": "AcceleratorReady", "conditionStatus": "False", "reasonRegex": "XID(48|63)", "tolerationDuration": "10m",
		 "terminationGracePeriod": "0s", "priority": 50, "action": "RebootNode"},
		{"conditionType": "Ready", "conditionStatus": "Unknown", "reasonRegex": null, "tolerationDuration": "1h30m",
		 "terminationGracePeriod": null, "action": "ReplaceNode"}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []repair.Policy{
		{ConditionType: "AcceleratorReady", ConditionStatus: "False", ReasonRegex: "XID(48|63)", TolerationDuration: 10 * time.Minute,
			TerminationGracePeriod: testkit.Pointer(time.Duration(0)), Priority: 50, Action: repair.Reboot},
		{ConditionType: "Ready", ConditionStatus: "Unknown", TolerationDuration: 90 * time.Minute, Action: repair.Replace},
	}
	if diff := cmp.Diff(want, set.Policies()); diff != "" {
		t.Error(diff)
	}
	if r := repair.Resolve(set, sick("AcceleratorReady=False (XID63)"), noon); r.Action != repair.Reboot {
		t.Errorf("%+v", r)
	}
}

func TestPoliciesThatCannotBeRead(t *testing.T) {
	const good = `{"conditionType": "Ready", "conditionStatus": "False", "tolerationDuration": "30m", "action": "ReplaceNode"}`
	instead := func(old, with string) string { return "[" + strings.Replace(good, old, with, 1) + "]" }
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a good one", "[" + good + "]", nil},
		{"white space", " [ " + good + " ] ", nil},

		{"nothing", "", []string{"policies: not valid JSON: unexpected end of JSON input: write a list of policies"}},
		{"another language", "- conditionType: Ready", []string{"policies: not valid JSON: invalid character ' ' in numeric literal: write a list of policies"}},
		{"a list that is cut off", "[" + good, []string{"policies: not valid JSON: unexpected end of JSON input: write a list of policies"}},
		{"null", "null", []string{`policies: null is not a list: write one such as [{"conditionType": "Ready", …}]`}},
		{"a policy alone", good, []string{`policies: {"conditionType": "Ready", "conditionStatus": "False", "tolerationDuration": "30m", "action": "Repla is not a list: write one such as [{"conditionType": "Ready", …}]`}},
		{"an empty list", "[]", []string{"policies: there are no repair policies: write at least one, with no reasonRegex and with action ReplaceNode"}},
		{"null in a list", "[null, " + good + "]", []string{`policies[0]: null is not an object: write one such as {"conditionType": "Ready", …}`}},
		{"a name in a list", `["Ready"]`, []string{`policies[0]: "Ready" is not an object: write one such as {"conditionType": "Ready", …}`}},
		{"an object of several lines", "{\n\t\"conditionType\": \"Ready\"\n}", []string{`policies: {  "conditionType": "Ready" } is not a list: write one such as [{"conditionType": "Ready", …}]`}},
		{"lists in a list", "[\n\t[\n\t\t\"a\u202eb\"\n\t]\n]", []string{`policies[0]: [   "a\u202eb"  ] is not an object: write one such as {"conditionType": "Ready", …}`}},
		{"a field in another case", instead("conditionType", "ConditionType"), []string{`policies[0]: field "ConditionType" is unknown: write "conditionType"`}},
		{"a field of something else", instead(`"action"`, `"nodes": 1, "action"`),
			[]string{`policies[0]: field "nodes" is unknown: write one of conditionType, conditionStatus, reasonRegex, tolerationDuration, terminationGracePeriod, priority, action`}},
		{"a field that appears twice", instead(`"action"`, `"conditionType": "GPU", "action"`), []string{`policies[0]: field "conditionType" appears twice: write it once`}},
		{"a status without quotes", instead(`"False"`, `false`), []string{`policies[0]: field "conditionStatus": false is not valid: write "False", "Unknown" or "True"`}},
		{"a toleration in seconds", instead(`"30m"`, `1800`), []string{`policies[0]: field "tolerationDuration": 1800 is not valid: write a string, such as "30m"`}},
		{"a toleration in words", instead(`30m`, `30 minutes`), []string{`policies[0]: field "tolerationDuration": "30 minutes" is not a duration: write one such as "30m", "1h30m" or "0s"`}},
		{"an empty toleration", instead(`30m`, ``), []string{`policies[0]: field "tolerationDuration": "" is not a duration: write one such as "30m", "1h30m" or "0s"`}},
		{"no toleration, which would be none", instead(`"tolerationDuration": "30m", `, ``),
			[]string{`policies[0]: field "tolerationDuration" is missing: write for how long the condition is tolerated, such as "30m", or "0s" to repair at once`}},
		{"a toleration of null, which would be none", instead(`"30m"`, `null`),
			[]string{`policies[0]: field "tolerationDuration" is missing: write for how long the condition is tolerated, such as "30m", or "0s" to repair at once`}},
		{"a grace period in days", instead(`"action"`, `"terminationGracePeriod": "1d", "action"`),
			[]string{`policies[0]: field "terminationGracePeriod": "1d" is not a duration: write one such as "30m", "1h30m" or "0s"`}},
		{"half a priority", instead(`"action"`, `"priority": 0.5, "action"`), []string{`policies[0]: field "priority": 0.5 is not valid: write a whole number, such as 10`}},
		{"everything at once, of the text and of the policies", `[{"conditiontype": "Ready", "priority": "high"}, 5, ` + strings.Replace(good, "ReplaceNode", "reboot", 1) + `]`, []string{
			`policies[0]: field "conditiontype" is unknown: write "conditionType"`,
			`policies[0]: field "priority": "high" is not valid: write a whole number, such as 10`,
			`policies[0]: field "tolerationDuration" is missing: write for how long the condition is tolerated, such as "30m", or "0s" to repair at once`,
			`policies[1]: 5 is not an object: write one such as {"conditionType": "Ready", …}`,
			`policies[2].action: action "reboot" is unknown: write RebootNode`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := repair.Parse([]byte(c.text))
			if diff := cmp.Diff(c.want, faults(err)); diff != "" {
				t.Error(diff)
			}
			if len(set.Warnings()) != len(c.want) {
				t.Errorf("warnings: %v", set.Warnings())
			}
			if r := repair.Resolve(set, sick("Ready=False"), noon); (r.Action != "") != (c.want == nil) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestAPolicyDecodesAlone(t *testing.T) {
	p := fallback
	err := json.Unmarshal([]byte(`{"conditionType": "GPU", "status": "False"}`), &p)
	want := []string{
		`policy: field "status" is unknown: write one of conditionType, conditionStatus, reasonRegex, tolerationDuration, terminationGracePeriod, priority, action`,
		`field "tolerationDuration" is missing: write for how long the condition is tolerated, such as "30m", or "0s" to repair at once`,
	}
	if diff := cmp.Diff(want, faults(err)); diff != "" {
		t.Error(diff)
	}
	if p != fallback {
		t.Errorf("half of it was decoded: %+v", p)
	}
}

func TestPoliciesSurviveBeingWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policies, _, _ := drawn(t)
		text, err := json.Marshal(policies)
		if err != nil {
			t.Fatal(err)
		}
		var again []repair.Policy
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(policies, again); diff != "" {
			t.Fatal(diff)
		}
		set, err := repair.Parse(text)
		if diff := cmp.Diff(policies, set.Policies()); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
	})
}
