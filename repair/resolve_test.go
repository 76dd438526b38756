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

// sick returns a node of last week with conditions that are written as "Ready=False (KubeletDown) 45": since 45 minutes
// before noon. Without a number they hold since 10:00.
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

// says tells all of a result in few words.
func says(r repair.Result) string {
	clock := func(at time.Time) string {
		if at.IsZero() {
			return "never"
		}
		return at.UTC().Format("15:04")
	}
	if r.Since.IsZero() {
		return "nothing: " + r.Why
	}
	var s strings.Builder
	if r.Action == "" {
		s.WriteString("not yet: " + r.Why + ";")
	} else {
		s.WriteString(string(r.Action) + " for " + r.Cause.String())
	}
	if r.Escalated {
		s.WriteString(" escalated")
	}
	s.WriteString(" by " + strconv.Itoa(r.Policy) + " since " + clock(r.Since))
	if r.Bound != nil {
		s.WriteString(", bound " + r.Bound.String() + " of " + r.BoundBy)
	}
	return s.String() + ", urgency " + clock(r.Urgency) + ", next " + clock(r.Next)
}

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

func TestResolve(t *testing.T) {
	const (
		reboot  = repair.Reboot
		replace = repair.Replace
	)
	usual := []repair.Policy{policy("Ready", "", replace, 30)}
	// The example of Karpenter's reason-aware design.
	xid := []repair.Policy{
		policy("AcceleratorReady", "NvidiaXID(48|63|95)Error", reboot, 10, bound(5)),
		policy("AcceleratorReady", "", replace, 30, bound(10)),
		policy("Ready", ".*", replace, 60, priority(50)),
	}
	overlapping := []repair.Policy{policy("GPU", "XID", reboot, 10), policy("GPU", "XID48", replace, 30, bound(3)), policy("Ready", "", replace, 5)}
	for _, c := range []struct {
		name     string
		policies []repair.Policy
		node     repair.Node
		want     string
	}{
		{"a healthy node", usual, sick("Ready=True", "DiskPressure=False"), "nothing: no policy covers any of its conditions"},
		{"once its toleration is over", usual, sick("Ready=False 31"), "ReplaceNode for Ready=False by 0 since 11:59, urgency 11:59, next never"},
		{"a minute before", usual, sick("Ready=False (Down) 29"),
			"not yet: Ready=False (Down) is tolerated until 2026-11-20T12:01:00Z: ReplaceNode then; by 0 since 12:01, urgency 12:01, next 12:01"},

		// Whose expressions match.
		{"a reason that an expression matches", xid, sick("AcceleratorReady=False (NvidiaXID63Error) 15"),
			"RebootNode for AcceleratorReady=False (NvidiaXID63Error) by 0 since 11:55, bound 5m0s of AcceleratorReady, urgency 11:55, next never"},
		{"a reason that none matches is the fallback's", xid, sick("AcceleratorReady=False (NvidiaXID64Error) 31"),
			"ReplaceNode for AcceleratorReady=False (NvidiaXID64Error) by 1 since 11:59, bound 10m0s of AcceleratorReady, urgency 11:59, next never"},
		{"an expression that matches suppresses the fallback while it waits", []repair.Policy{policy("Ready", "Known", reboot, 60), policy("Ready", "", replace, 30)},
			sick("Ready=False (Known) 45"), "not yet: Ready=False (Known) is tolerated until 2026-11-20T12:15:00Z: RebootNode then; by 0 since 12:15, urgency 12:15, next 12:15"},
		{"the fallback is for every state that some policy names", []repair.Policy{policy("GPU", "XID", reboot, 1), policy("Ready", "", replace, 30, priority(7))},
			sick("GPU=False (Hot) 40"), "ReplaceNode for GPU=False (Hot) by 1 since 11:50, urgency 11:20, next never"},

		// Several that are eligible.
		{"replacement beats reboot once it is eligible", overlapping, sick("GPU=False (XID48) 40"),
			"ReplaceNode for GPU=False (XID48) by 1 since 11:50, bound 3m0s of GPU, urgency 11:30, next never"},
		{"replacement beats a reboot of a higher priority", []repair.Policy{policy("GPU", ".*", reboot, 0, priority(100)), policy("Ready", "", replace, 0)},
			sick("GPU=False 10", "Ready=False 5"), "ReplaceNode for Ready=False by 1 since 11:55, urgency 11:20, next never"},
		{"then the first by name", []repair.Policy{policy("Ready", "", replace, 0), policy("GPU", ".*", replace, 0)},
			sick("Ready=False 60", "GPU=False 60"), "ReplaceNode for GPU=False by 1 since 11:00, urgency 11:00, next never"},
		{"A to C of Karpenter's candidate resolution design", []repair.Policy{
			policy("AcceleratorReady", ".*", reboot, 0, bound(1)), policy("StorageReady", ".*", replace, 0, bound(10)), policy("NetworkingReady", "", replace, 0, bound(2)),
		}, sick("AcceleratorReady=False 120", "StorageReady=False 115", "NetworkingReady=False 110"),
			"ReplaceNode for StorageReady=False by 1 since 10:05, bound 1m0s of AcceleratorReady, urgency 10:00, next never"},

		// Bounds.
		{"the shortest bound is of a policy that does not decide", []repair.Policy{policy("GPU", ".*", reboot, 0, bound(0)), policy("Ready", "", replace, 0, bound(10))},
			sick("GPU=False 10", "Ready=False 10"), "ReplaceNode for Ready=False by 1 since 11:50, bound 0s of GPU, urgency 11:50, next never"},
		{"then the first by name", []repair.Policy{policy("GPU", ".*", replace, 0, bound(5)), policy("Ready", "", replace, 0, bound(5), priority(1))},
			sick("Ready=False 10", "GPU=False 10"), "ReplaceNode for Ready=False by 1 since 11:50, bound 5m0s of GPU, urgency 11:20, next never"},

		// Urgency.
		{"priorities count by their order alone", []repair.Policy{policy("A", "x", replace, 0, priority(100)), policy("A", ".*", replace, 0, priority(40)), policy("Ready", "", replace, 0, priority(40)), policy("B", ".*", replace, 0, priority(39))},
			sick("A=False (x) 0"), "ReplaceNode for A=False (x) by 0 since 12:00, urgency 11:00, next never"},
		{"the most urgent need not be the one that decides", []repair.Policy{policy("GPU", ".*", reboot, 0, priority(100)), policy("Ready", "", replace, 0)},
			sick("GPU=False 10", "Ready=False 30"), "ReplaceNode for Ready=False by 1 since 11:30, urgency 11:20, next never"},

		// Times.
		{"a condition holds for no longer than its node", usual, repair.Node{Created: ago(45), Conditions: sick("Ready=False 600").Conditions},
			"ReplaceNode for Ready=False by 0 since 11:45, urgency 11:45, next never"},
		{"without that, nothing is known", usual, repair.Node{Conditions: []repair.Condition{{Type: "Ready", Status: "False", Reason: "Down"}}},
			"nothing: since when Ready=False (Down) holds is unknown: provide its lastTransitionTime, or when the node was created"},
		{"a condition from the future is tolerated from then on", usual, sick("Ready=False -10"),
			"not yet: Ready=False is tolerated until 2026-11-20T12:40:00Z: ReplaceNode then; by 0 since 12:40, urgency 12:40, next 12:40"},
		{"nothing follows the end of time", usual, repair.Node{Conditions: []repair.Condition{{Type: "Ready", Status: "False", LastTransitionTime: time.Unix(1<<63-62135596801, 0)}}},
			"not yet: Ready=False is tolerated until 292277024627-12-06T15:30:07Z: ReplaceNode then; by 0 since 15:30, urgency 15:30, next 15:30"},
		{"while two wait, the first that will be eligible is reported", xid, sick("AcceleratorReady=False (NvidiaXID48Error) 5", "Ready=False 50"),
			"not yet: AcceleratorReady=False (NvidiaXID48Error) is tolerated until 2026-11-20T12:05:00Z: RebootNode then; by 0 since 12:05, bound 5m0s of AcceleratorReady, urgency 12:05, next 12:05"},

		// Reboots.
		{"a second reboot", xid, rebooted(sick("AcceleratorReady=False (NvidiaXID48Error)"), 60),
			"RebootNode for AcceleratorReady=False (NvidiaXID48Error) by 0 since 10:10, bound 5m0s of AcceleratorReady, urgency 10:10, next never"},
		{"after two the node is replaced, and nothing else changes", xid, rebooted(sick("AcceleratorReady=False (NvidiaXID48Error)"), 60, 23*60+59),
			"ReplaceNode for AcceleratorReady=False (NvidiaXID48Error) escalated by 0 since 10:10, bound 5m0s of AcceleratorReady, urgency 10:10, next 12:01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := repair.Compile(c.policies)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, says(repair.Resolve(set, c.node, noon))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// rebooted returns the node after reboots so many minutes before noon.
func rebooted(n repair.Node, minutes ...int) repair.Node {
	for _, m := range minutes {
		n.Reboots = n.Reboots.Add(ago(m))
	}
	return n
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
		{"a qualified type can be one as well", sick("example.com/GPU=False 40"), bounded("Unhealthy/example.com/GPU")},
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
