package repair_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/repair"
)

// A GPU fails in a way that a reboot often mends. Whatever else is wrong with it, or with the kubelet, replaces the node.
func ExampleResolve() {
	drains := 5 * time.Minute
	set, err := repair.Compile([]repair.Policy{
		{ConditionType: "AcceleratorReady", ConditionStatus: "False", ReasonRegex: "NvidiaXID(48|63|95)Error", TolerationDuration: 10 * time.Minute,
			TerminationGracePeriod: &drains, Priority: 50, Action: repair.Reboot},
		{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: 30 * time.Minute, Action: repair.Replace},
	})
	if err != nil {
		fmt.Println(err) // with any fault, nothing is repaired
	}
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	node := repair.Node{
		Created:    start.AddDate(0, 0, -7),
		Conditions: []repair.Condition{{Type: "AcceleratorReady", Status: "False", Reason: "NvidiaXID48Error", LastTransitionTime: start}},
	}
	r := repair.Resolve(set, node, start.Add(5*time.Minute))
	fmt.Println("nothing:", r.Why)

	r = repair.Resolve(set, node, start.Add(10*time.Minute))
	fmt.Println(r.Action, "for", r.Cause)
	c, _ := r.Condition()
	fmt.Println(c.Reason, "since", c.Since.Format("15:04"), "as urgent as since", c.Urgency.Format("15:04"))
	fmt.Println("the drain takes at most", *c.Bound)

	// Two reboots have not helped it.
	node.Reboots = node.Reboots.Add(start.Add(-2 * time.Hour)).Add(start.Add(-time.Hour))
	r = repair.Resolve(set, node, start.Add(10*time.Minute))
	fmt.Println(r.Action, "escalated:", r.Escalated)
	// Output:
	// nothing: AcceleratorReady=False (NvidiaXID48Error) is tolerated until 2026-11-20T12:10:00Z: RebootNode then
	// RebootNode for AcceleratorReady=False (NvidiaXID48Error)
	// Unhealthy/AcceleratorReady since 12:10 as urgent as since 11:40
	// the drain takes at most 5m0s
	// ReplaceNode escalated: true
}

// Every fault is reported at once, and nothing is repaired until all are gone.
func ExampleCompile() {
	_, err := repair.Compile([]repair.Policy{
		{ConditionType: "Ready", ConditionStatus: "NotReady", TolerationDuration: 30 * time.Minute, Action: "Replace"},
		{ConditionType: "Ready", ConditionStatus: "Unknown", ReasonRegex: "Kubelet(", Action: repair.Replace, Priority: 500},
	})
	fmt.Println(err)
	// Output:
	// policies[0].conditionStatus: conditionStatus "NotReady" is unknown: write False, Unknown or True
	// policies[0].action: action "Replace" is unknown: write ReplaceNode
	// policies[1].reasonRegex: reasonRegex "Kubelet(" is not a regular expression in Go's syntax (missing closing )): write one such as ^Kubelet, or .* for every reason
	// policies[1].priority: priority 500 is out of range: write 0 to 100
}

// The condition of a node is a candidate's: the budgets and the gates for Unhealthy decide when it is disrupted.
func ExampleResult_Condition() {
	set, _ := repair.Parse([]byte(`[{"conditionType": "Ready", "conditionStatus": "False", "tolerationDuration": "30m", "action": "ReplaceNode"}]`))
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

	node := candidate.Node{Name: "node-a", Pool: "default", Phase: candidate.NotReady}
	health := repair.Node{Created: now.AddDate(0, 0, -1), Conditions: []repair.Condition{{Type: "Ready", Status: "False", LastTransitionTime: now.Add(-time.Hour)}}}
	if c, ok := repair.Resolve(set, health, now).Condition(); ok {
		node.Conditions = append(node.Conditions, c)
	}
	fmt.Println(node.Conditions[0].Reason, node.Conditions[0].Since.Format("15:04"))
	// Output: Unhealthy/Ready 11:30
}

// A third of a pool is broken: hardly all its machines, at once.
func ExampleBreaker() {
	set, _ := repair.Compile([]repair.Policy{{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: time.Hour, Action: repair.Replace}})
	nodes := make([][]repair.Condition, 12)
	for i := range 4 {
		nodes[i] = []repair.Condition{{Type: "Ready", Status: "False", Reason: "KubeletDown"}}
	}
	unhealthy := 0
	for _, conditions := range nodes {
		if set.Unhealthy(conditions) {
			unhealthy++
		}
	}
	b, blocked := repair.Breaker{Percent: 20}.Blocker(len(nodes), unhealthy)
	fmt.Println(blocked, b)

	// A decision takes it as what a signal says of the pool, disruptkit.Pool.Verdicts: it stops repair, and nothing else.
	verdict := probe.Verdict{Probe: "repair breaker", Allowed: true, Code: b.Code, Denied: []probe.Denial{{Reason: candidate.Unhealthy, Cause: b.Message}}}
	for _, reason := range []candidate.Reason{"Unhealthy/Ready", "Drifted"} {
		_, stops := verdict.Blocker(reason, "default", nil, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
		fmt.Println(reason, stops)
	}
	// Output:
	// true probe/too-many-unhealthy: 4 unhealthy nodes of 12 in the pool: repair stops above 3 (20 %)
	// Unhealthy/Ready true
	// Drifted false
}

// Reboots are added as they are committed, and kept with the NodeClaim.
func ExampleReboots() {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	reboots := repair.Reboots{}.Add(start).Add(start.Add(3 * time.Hour))
	for _, after := range []time.Duration{4 * time.Hour, 23 * time.Hour, 24 * time.Hour} {
		fmt.Println("exhausted after", after, reboots.Exhausted(start.Add(after)))
	}
	// Output:
	// exhausted after 4h0m0s true
	// exhausted after 23h0m0s true
	// exhausted after 24h0m0s false
}
