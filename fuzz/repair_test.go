package fuzz_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/repair"
)

// FuzzPolicies reads any text as repair policies, and judges a node with any condition by them, and with one that is not Ready. What
// is broken says what to write, and repairs nothing; what is valid survives being written, and repairs a node exactly where one of
// the policies applies and is eligible.
func FuzzPolicies(f *testing.F) {
	for _, text := range []string{
		`null`, `[]`, `{}`, `[null]`, `[{}]`,
		`[{"conditionType": "Ready", "conditionStatus": "False", "tolerationDuration": "30m", "action": "ReplaceNode"}]`,
		`[{"conditionType": "GPU", "conditionStatus": "False", "reasonRegex": "XID(48|63)", "tolerationDuration": "10m", "terminationGracePeriod": "0s", "priority": 100, "action": "RebootNode"},
		  {"conditionType": "Ready", "conditionStatus": "Unknown", "tolerationDuration": "1h", "action": "ReplaceNode"}]`,
		`[{"conditionType": "", "conditionStatus": "false", "reasonRegex": "(", "tolerationDuration": "-1s", "terminationGracePeriod": "-1s", "priority": -1, "action": "reboot"}]`,
	} {
		f.Add(text, "GPU", "False", "NvidiaXID48Error", int64(1_795_172_400), int64(0))
	}
	f.Fuzz(func(t *testing.T, text, conditionType, status, reason string, transition, rebooted int64) {
		set, err := repair.Parse([]byte(text))
		now := time.Unix(1_795_176_000, 0)
		n := repair.Node{Conditions: []repair.Condition{
			{Type: conditionType, Status: status, Reason: reason, LastTransitionTime: time.Unix(transition, 0)},
			{Type: "Ready", Status: "False", LastTransitionTime: now.Add(-time.Hour)},
		}}
		if rebooted != 0 {
			n.RebootEnded = time.Unix(rebooted, 0)
		}
		if !n.Conditions[0].LastTransitionTime.After(time.Time{}) {
			return // unknown: zero is none, and nothing was before it
		}
		r := repair.Resolve(set, n, now)
		checkResult(t, r)
		if err != nil {
			checkFaults(t, set, err, r)
			return
		}
		checkWritten(t, set)
		if want := earliestEligible(set.Policies(), n); r.Action == "" {
			if !want.Equal(r.Since) || !want.IsZero() && !want.After(now) {
				t.Fatalf("nothing before %v (%s), want %v", r.Since, r.Why, want)
			}
		} else if want.IsZero() || want.After(now) {
			t.Fatalf("%s since %v, want %v", r.Action, r.Since, want)
		}
	})
}

func checkResult(t *testing.T, r repair.Result) {
	t.Helper()
	c, ok := r.Condition()
	switch {
	case (r.Action == "") == (r.Why == ""):
		t.Fatalf("%q, because %q", r.Action, r.Why)
	case r.Action != "" && r.Action != repair.Replace && r.Action != repair.Reboot:
		t.Fatalf("%q is not an action", r.Action)
	case ok != !r.Since.IsZero() || r.Action != "" && !ok:
		t.Fatalf("%+v is a candidate: %t", r, ok)
	case ok && (r.Urgency.After(r.Since) || r.Bound != nil && *r.Bound < 0 || (r.Bound != nil) != (r.BoundBy != "")):
		t.Fatalf("%+v", r)
	case ok:
		if parsed, err := candidate.ParseReason(string(c.Reason)); err != nil || parsed != c.Reason || !candidate.Unhealthy.Covers(c.Reason) {
			t.Fatalf("the reason is %q: %v", c.Reason, err)
		}
	}
}

// checkFaults checks what is said of a list with faults.
func checkFaults(t *testing.T, set repair.Set, err error, r repair.Result) {
	t.Helper()
	if len(set.Warnings()) == 0 || r.Action != "" || !r.Since.IsZero() {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, w := range set.Warnings() {
		if w.Code != "invalid-policy" || !strings.HasPrefix(w.Field, "policies") || !strings.Contains(err.Error(), w.Error()) {
			t.Fatalf("%+v", w)
		}
		if says := strings.ToLower(w.Message); !strings.Contains(says, "write") && !strings.Contains(says, "leave") {
			t.Fatalf("%s helps nobody", w)
		}
	}
}

// checkWritten compiles what a set was compiled from, and what that is in JSON.
func checkWritten(t *testing.T, set repair.Set) {
	t.Helper()
	text, err := json.Marshal(set.Policies())
	if err != nil {
		t.Fatal(err)
	}
	again, err := repair.Parse(text)
	if diff := cmp.Diff(set.Policies(), again.Policies(), cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Fatalf("%s: %v %s", text, err, diff)
	}
	if _, err := repair.Compile(set.Policies()); err != nil {
		t.Fatal(err)
	}
}

// earliestEligible returns when the first of a list of policies without a fault is eligible; zero is never.
func earliestEligible(policies []repair.Policy, n repair.Node) (earliest time.Time) {
	for _, c := range n.Conditions {
		var applies []repair.Policy
		state := func(p repair.Policy) bool { return p.ConditionType == c.Type && p.ConditionStatus == c.Status }
		for _, p := range policies {
			if state(p) && p.ReasonRegex != "" && regexp.MustCompile(p.ReasonRegex).MatchString(c.Reason) {
				applies = append(applies, p)
			}
		}
		if slices.ContainsFunc(policies, state) && applies == nil {
			fallback := slices.IndexFunc(policies, func(p repair.Policy) bool { return p.ReasonRegex == "" })
			applies = policies[fallback : fallback+1]
		}
		for _, p := range applies {
			since := slices.MaxFunc([]time.Time{c.LastTransitionTime, n.RebootEnded}, time.Time.Compare).Add(p.TolerationDuration)
			if earliest.IsZero() || since.Before(earliest) {
				earliest = since
			}
		}
	}
	return earliest
}
