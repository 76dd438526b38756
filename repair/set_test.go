package repair_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/repair"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fallback replaces nodes that were not Ready for 30 minutes, and whatever else no expression matches.
var fallback = repair.Policy{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 30 * time.Minute, Action: repair.Replace}

// with returns the fallback as changed.
func with(change func(p *repair.Policy)) repair.Policy {
	p := fallback
	change(&p)
	return p
}

// specific is a policy with an expression.
func specific(expression string, change func(p *repair.Policy)) repair.Policy {
	return with(func(p *repair.Policy) {
		p.ReasonRegex = expression
		if change != nil {
			change(p)
		}
	})
}

// faults returns what an error says, a line each.
func faults(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// TestPoliciesThatAreWrong has the cases of Karpenter's "validating complete policy sets", and more.
func TestPoliciesThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		name     string
		policies []repair.Policy
		want     []string
	}{
		{"a fallback alone is enough", []repair.Policy{fallback}, nil},
		{"every status can be unhealthy", []repair.Policy{
			fallback,
			specific("a", func(p *repair.Policy) { p.ConditionStatus = "True" }),
			specific("b", func(p *repair.Policy) { p.ConditionStatus = "Unknown" }),
		}, nil},
		{"the ends of all ranges are valid", []repair.Policy{
			fallback,
			specific(".*", func(p *repair.Policy) {
				p.Priority, p.TolerationDuration, p.TerminationGracePeriod = 100, 0, testkit.Pointer(time.Duration(0))
			}),
		}, nil},
		{"policies may overlap, and be there twice", []repair.Policy{specific(".*", nil), fallback, specific(".*", nil)}, nil},

		{"no policies", nil,
			[]string{`policies: there are no repair policies: write at least one, with no reasonRegex and with action ReplaceNode`}},
		{"an empty condition type", []repair.Policy{with(func(p *repair.Policy) { p.ConditionType = "" })},
			[]string{`policies[0].conditionType: conditionType is empty: write the type of a node condition, such as "Ready"`}},
		{"a status that no condition has", []repair.Policy{with(func(p *repair.Policy) { p.ConditionStatus = "NotReady" })},
			[]string{`policies[0].conditionStatus: conditionStatus "NotReady" is unknown: write False, Unknown or True`}},
		{"a status in another case", []repair.Policy{with(func(p *repair.Policy) { p.ConditionStatus = "false" })},
			[]string{`policies[0].conditionStatus: conditionStatus "false" is unknown: write False`}},
		{"no status", []repair.Policy{with(func(p *repair.Policy) { p.ConditionStatus = "" })},
			[]string{`policies[0].conditionStatus: conditionStatus "" is unknown: write False, Unknown or True`}},
		{"a bad expression", []repair.Policy{fallback, specific("Kubelet(", nil)},
			[]string{`policies[1].reasonRegex: reasonRegex "Kubelet(" is not a regular expression in Go's syntax (missing closing )): write one such as ^Kubelet, or .* for every reason`}},
		{"an expression of another language", []repair.Policy{fallback, specific("(?!Kubelet)", nil)},
			[]string{`policies[1].reasonRegex: reasonRegex "(?!Kubelet)" is not a regular expression in Go's syntax (invalid or unsupported Perl syntax): write one such as ^Kubelet, or .* for every reason`}},
		{"a negative toleration", []repair.Policy{with(func(p *repair.Policy) { p.TolerationDuration = -5 * time.Minute })},
			[]string{`policies[0].tolerationDuration: tolerationDuration -5m is negative: write 0s to repair at once, or a time such as 30m`}},
		{"a negative grace period", []repair.Policy{with(func(p *repair.Policy) { p.TerminationGracePeriod = testkit.Pointer(-time.Nanosecond) })},
			[]string{`policies[0].terminationGracePeriod: terminationGracePeriod -1ns is negative: write 0s for no drain, or a time such as 30m`}},
		{"a negative priority", []repair.Policy{with(func(p *repair.Policy) { p.Priority = -1 })},
			[]string{`policies[0].priority: priority -1 is out of range: write 0 to 100`}},
		{"a priority over 100", []repair.Policy{with(func(p *repair.Policy) { p.Priority = 101 })},
			[]string{`policies[0].priority: priority 101 is out of range: write 0 to 100`}},
		{"not an action", []repair.Policy{with(func(p *repair.Policy) { p.Action = "" })},
			[]string{`policies[0].action: action "" is unknown: write ReplaceNode or RebootNode`}},
		{"the action's short name", []repair.Policy{fallback, specific("x", func(p *repair.Policy) { p.Action = "reboot" })},
			[]string{`policies[1].action: action "reboot" is unknown: write RebootNode`}},
		{"an action that Karpenter has not", []repair.Policy{fallback, specific("x", func(p *repair.Policy) { p.Action = "ReimageNode" })},
			[]string{`policies[1].action: action "ReimageNode" is unknown: write ReplaceNode or RebootNode`}},
		{"no fallback", []repair.Policy{specific(".*", nil), specific("Kubelet", nil)},
			[]string{`policies: each policy has a reasonRegex: leave it out in exactly one, with action ReplaceNode, which is for every reason that none matches`}},
		{"a fallback for each condition", []repair.Policy{specific("x", nil), fallback, with(func(p *repair.Policy) { p.ConditionStatus = "Unknown" }), fallback},
			[]string{
				`policies[2].reasonRegex: there is no reasonRegex, and there is none in policies[1]: only one policy is the fallback for all conditions. Write .* for every reason of this one`,
				`policies[3].reasonRegex: there is no reasonRegex, and there is none in policies[1]: only one policy is the fallback for all conditions. Write .* for every reason of this one`,
			}},
		{"a fallback that reboots", []repair.Policy{with(func(p *repair.Policy) { p.Action = repair.Reboot })},
			[]string{`policies[0].action: action "RebootNode" does not suit the fallback, which must be sure to help: write ReplaceNode, or a reasonRegex`}},
		{"everything at once", []repair.Policy{
			{ReasonRegex: "[", TolerationDuration: -1, TerminationGracePeriod: testkit.Pointer(-time.Hour), Priority: 1000},
			{ConditionType: "Ready", ConditionStatus: "Unknown", Action: "Replace"},
		}, []string{
			`policies[0].conditionType: conditionType is empty: write the type of a node condition, such as "Ready"`,
			`policies[0].conditionStatus: conditionStatus "" is unknown: write False, Unknown or True`,
			`policies[0].reasonRegex: reasonRegex "[" is not a regular expression in Go's syntax (missing closing ]): write one such as ^Kubelet, or .* for every reason`,
			`policies[0].tolerationDuration: tolerationDuration -1ns is negative: write 0s to repair at once, or a time such as 30m`,
			`policies[0].terminationGracePeriod: terminationGracePeriod -1h is negative: write 0s for no drain, or a time such as 30m`,
			`policies[0].priority: priority 1000 is out of range: write 0 to 100`,
			`policies[0].action: action "" is unknown: write ReplaceNode or RebootNode`,
			`policies[1].action: action "Replace" is unknown: write ReplaceNode`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := repair.Compile(c.policies)
			if diff := cmp.Diff(c.want, faults(err)); diff != "" {
				t.Error(diff)
			}
			for i, w := range set.Warnings() {
				var is candidate.Warning
				if w.Code != "invalid-policy" || w.Error() != c.want[i] || !errors.As(err, &is) {
					t.Errorf("%+v", w)
				}
			}
			if len(set.Warnings()) != len(c.want) {
				t.Errorf("%d warnings", len(set.Warnings()))
			}
			r := repair.Resolve(set, sick("Ready=False"), noon)
			if repairs := r.Action != ""; repairs != (c.want == nil) {
				t.Errorf("it repairs: %t (%s)", repairs, r.Why)
			}
			if want := "the repair policies are invalid: " + strings.Join(c.want, "; "); c.want != nil && r.Why != want {
				t.Errorf("because %s", r.Why)
			}
			if _, ok := r.Condition(); ok != (c.want == nil) {
				t.Errorf("it is a candidate: %t", ok)
			}
		})
	}
}

func TestTheZeroSetRepairsNothing(t *testing.T) {
	var set repair.Set
	if r := repair.Resolve(set, sick("Ready=False"), noon); r != (repair.Result{Why: "there are no repair policies"}) {
		t.Errorf("%+v", r)
	}
	if set.Policies() != nil || set.Warnings() != nil || set.Unhealthy(sick("Ready=False").Conditions) {
		t.Error("it has policies")
	}
}

func TestASetKeepsWhatWasCompiled(t *testing.T) {
	policies := []repair.Policy{specific("Kubelet", func(p *repair.Policy) { p.TerminationGracePeriod = testkit.Pointer(time.Minute) }), fallback}
	set, err := repair.Compile(policies)
	if err != nil {
		t.Fatal(err)
	}
	before := repair.Resolve(set, sick("Ready=False (Kubelet)"), noon)
	*policies[0].TerminationGracePeriod, policies[1].Priority = 0, 9
	written := set.Policies()
	*written[0].TerminationGracePeriod, written[1].Action = time.Hour, repair.Reboot
	if diff := cmp.Diff(before, repair.Resolve(set, sick("Ready=False (Kubelet)"), noon)); diff != "" || *before.Bound != time.Minute {
		t.Error(diff, before)
	}
	if again := set.Policies(); *again[0].TerminationGracePeriod != time.Minute || again[1].Action != repair.Replace || again[1].Priority != 0 {
		t.Errorf("%+v", again)
	}
}

func TestWhatCountsAsUnhealthy(t *testing.T) {
	set, err := repair.Compile([]repair.Policy{fallback, specific("XID", func(p *repair.Policy) { p.ConditionType, p.TolerationDuration = "AcceleratorReady", 24*time.Hour })})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		node repair.Node
		want bool
	}{
		{"no conditions", repair.Node{}, false},
		{"a status that no policy names", sick("Ready=Unknown"), false},
		{"a type that no policy names", sick("DiskPressure=False"), false},
		{"the state of the fallback", sick("Ready=False"), true},
		{"a state that a policy names", sick("AcceleratorReady=False (XID48)"), true},
		{"whose expression does not match", sick("AcceleratorReady=False (Other)"), true},
		{"one of several", sick("DiskPressure=False", "Ready=False"), true},
		{"even in the future", repair.Node{Conditions: []repair.Condition{{Type: "Ready", Status: "False", LastTransitionTime: noon.AddDate(1, 0, 0)}}}, true},
	} {
		if got := set.Unhealthy(c.node.Conditions); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
