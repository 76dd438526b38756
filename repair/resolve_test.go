package repair_test

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/repair"
)

// sick returns a node of last week with conditions that are written as "Ready=False (KubeletDown) 45": since 45 minutes before
// noon. Without a number they hold since 10:00.
func sick(conditions ...string) repair.Node {
	n := repair.Node{Created: noon.AddDate(0, 0, -7)}
	for _, text := range conditions {
		c := repair.Condition{LastTransitionTime: noon.Add(-2 * time.Hour)}
		words := strings.Fields(text)
		c.Type, c.Status, _ = strings.Cut(words[0], "=")
		for _, word := range words[1:] {
			if minutes, err := strconv.Atoi(word); err == nil {
				c.LastTransitionTime = ago(minutes)
			} else {
				c.Reason = strings.Trim(word, "()")
			}
		}
		n.Conditions = append(n.Conditions, c)
	}
	return n
}

func ago(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// policy writes a policy with an expression, or the fallback without one.
func policy(conditionType, expression string, action repair.Action, toleration int, change ...func(p *repair.Policy)) repair.Policy {
	p := repair.Policy{ConditionType: conditionType, ConditionStatus: "False", ReasonRegex: expression, Action: action, TolerationDuration: minutes(toleration)}
	for _, c := range change {
		c(&p)
	}
	return p
}

func priority(n int) func(p *repair.Policy) { return func(p *repair.Policy) { p.Priority = n } }
func bound(n int) func(p *repair.Policy) {
	return func(p *repair.Policy) { p.TerminationGracePeriod = testkit.Pointer(minutes(n)) }
}

// Kubernetes does not check what agents report as a reason.
func TestWhateverTheReasonOfAConditionIsAResultIsOneLine(t *testing.T) {
	set, err := repair.Compile([]repair.Policy{policy("Ready", "", repair.Replace, 30)})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{{}, noon} {
		r := repair.Resolve(set, repair.Node{Conditions: []repair.Condition{{Type: "Ready", Status: "False", Reason: "down\n\x1b[31m\u202e", LastTransitionTime: at}}}, noon)
		if r.Why == "" || strings.ContainsFunc(r.Why, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q", r.Why)
		}
	}
}

func TestWithoutATimeNothingIsRepaired(t *testing.T) {
	set, err := repair.Compile([]repair.Policy{fallback})
	if err != nil {
		t.Fatal(err)
	}
	if r := repair.Resolve(set, sick("Ready=False"), time.Time{}); r != (repair.Result{Why: "the current time is missing: now is zero"}) {
		t.Errorf("%+v", r)
	}
}

func TestAResultIsACondition(t *testing.T) {
	policies := []repair.Policy{policy("Ready", "", repair.Replace, 30)}
	for _, conditionType := range []string{"NetworkUnavailable", "KernelDeadlock_2", "example.com/GPU", "GPU-0.broken", "-", "Empty", "Unhealthy", "all"} {
		policies = append(policies, policy(conditionType, ".*", repair.Replace, 30, bound(5), priority(1)))
	}
	set, err := repair.Compile(policies)
	if err != nil {
		t.Fatal(err)
	}
	bounded := func(reason candidate.Reason) candidate.Condition {
		return candidate.Condition{Reason: reason, Since: ago(10), Urgency: ago(40), Bound: testkit.Pointer(5 * time.Minute)}
	}
	for _, c := range []struct {
		name string
		node repair.Node
		want candidate.Condition // the zero one is none
	}{
		{"a healthy node has none", sick("Ready=True"), candidate.Condition{}},
		{"it is named after the type of the condition", sick("NetworkUnavailable=False 40"), bounded("Unhealthy/NetworkUnavailable")},
		{"with all that the name of a child may have", sick("KernelDeadlock_2=False 40"), bounded("Unhealthy/KernelDeadlock_2")},
		{"a qualified type can be one, too", sick("example.com/GPU=False 40"), bounded("Unhealthy/example.com/GPU")},
		{"so can one with a dash and a dot", sick("GPU-0.broken=False 40"), bounded("Unhealthy/GPU-0.broken")},
		{"one that is no type of a condition cannot", sick("-=False 40"), bounded("Unhealthy")},
		{"nor one that is a reason itself", sick("Empty=False 40"), bounded("Unhealthy")},
		{"nor one that repeats its method", sick("Unhealthy=False 40"), bounded("Unhealthy")},
		{"nor one that stands for all", sick("all=False 40"), bounded("Unhealthy")},
		{"without a bound there is none", sick("Ready=False 40"), candidate.Condition{Reason: "Unhealthy/Ready", Since: ago(10), Urgency: ago(10)}},
		{"what is tolerated is one from the future", sick("Ready=False 10"), candidate.Condition{Reason: "Unhealthy/Ready", Since: ago(-20), Urgency: ago(-20)}},
		{"what is unknown is none", repair.Node{Conditions: []repair.Condition{{Type: "Ready", Status: "False"}}}, candidate.Condition{}},
	} {
		got, ok := repair.Resolve(set, c.node, noon).Condition()
		if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want != candidate.Condition{}) {
			t.Errorf("%s: %t %s", c.name, ok, diff)
		}
	}
	if c, ok := (repair.Result{}).Condition(); ok {
		t.Errorf("the zero Result is %+v", c)
	}
}
