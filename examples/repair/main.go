// Command repair reboots a broken node twice, and then replaces it, as a list of repair policies says.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/repair"
)

// drains is how long a reboot waits for the pods of a node at most.
var drains = 5 * time.Minute

var policies = []repair.Policy{
	{ // a fault that a reboot often mends: more urgent than the others
		ConditionType: "AcceleratorReady", ConditionStatus: "False", ReasonRegex: "^NvidiaXID", Priority: 50,
		TolerationDuration: 10 * time.Minute, TerminationGracePeriod: &drains, Action: repair.Reboot,
	},
	{ // the fallback, for any other reason
		ConditionType: "Ready", ConditionStatus: "False",
		TolerationDuration: 30 * time.Minute, Action: repair.Replace,
	},
}

func main() {
	wrong := repair.Policy{ConditionType: "Ready", ConditionStatus: "NotReady", Action: "Reboot"}
	broken, _ := repair.Compile(append(policies[:1:1], wrong))
	for _, w := range broken.Warnings() { // any fault, and nothing is repaired
		fmt.Println("rejected:", w)
	}
	set, err := repair.Compile(policies)
	if err != nil {
		log.Fatal(err)
	}

	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	node := repair.Node{Created: now.AddDate(0, 0, -7), Conditions: []repair.Condition{
		{Type: "AcceleratorReady", Status: "False", Reason: "NvidiaXID48Error", LastTransitionTime: now},
	}}
	for {
		r := repair.Resolve(set, node, now)
		if r.Action == "" {
			fmt.Println(now.Format("15:04"), "wait:", r.Why)
			now = r.Next // a controller sleeps until then
			continue
		}
		explain(now, r)
		if !allowed(now, r) {
			log.Fatal("a budget blocks the node")
		}
		if r.Action == repair.Replace {
			return
		}
		node.Reboots = node.Reboots.Add(now) // store it with the NodeClaim, before the reboot starts
		if node.Reboots.Exhausted(now) {
			fmt.Println("      no more reboots within a day")
		}
		now = now.Add(4 * time.Minute)
		node.RebootEnded = now // the policy's toleration starts again
	}
}

// explain prints what is to be done, by which policy, and how.
func explain(now time.Time, r repair.Result) {
	fmt.Printf("%s %s for %s, since %s by policies[%d]",
		now.Format("15:04"), r.Action, r.Cause, r.Since.Format("15:04"), r.Policy)
	if r.Escalated {
		fmt.Print(", because reboots did not help")
	}
	fmt.Println()
	if r.Bound != nil {
		fmt.Printf("      the drain may take %s, says the policy for %s; as urgent as if it had waited since %s\n",
			*r.Bound, r.BoundBy, r.Urgency.Format("15:04"))
	}
}

// allowed decides whether the node may be disrupted now: to decisions, repair is one more reason, with budgets of its
// own.
func allowed(now time.Time, r repair.Result) bool {
	budgets, err := budget.Compile([]budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{candidate.Unhealthy}}})
	if err != nil {
		log.Fatal(err)
	}
	node := candidate.Node{Name: "gpu-0", Pool: "gpu", Phase: candidate.Running}
	if c, ok := r.Condition(); ok {
		node.Conditions = append(node.Conditions, c)
	}
	pools := []disruptkit.Pool{{Name: "gpu", Budgets: budgets}}
	in := disruptkit.Input{Now: now, Pools: pools, Nodes: []candidate.Node{node}}
	return len(disruptkit.Decide(in, candidate.Unhealthy).Allowed) == 1
}
