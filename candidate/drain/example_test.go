package drain_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
)

// A node drains, and its pods are asked one by one, up to the deadline that its termination grace period sets.
func ExampleGate() {
	rules, err := candidate.CompileRules([]candidate.PDB{
		{Namespace: "shop", Name: "db", Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "db"}}, DisruptionsAllowed: 0},
	}, nil)
	if err != nil {
		fmt.Println(err)
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	node := candidate.Node{Name: "a", Pool: "default", Leaving: candidate.Draining, Deadline: noon.Add(time.Hour), Pods: []candidate.Pod{
		{Namespace: "shop", Name: "db-0", Labels: map[string]string{"app": "db"}},
		{Namespace: "shop", Name: "web-0", Labels: map[string]string{"app": "web"}},
	}}
	for _, now := range []time.Time{noon, node.Deadline} {
		for _, pod := range node.Pods {
			fmt.Println(now.Format("15:04"), pod, drain.Gate(rules, node, pod, now))
		}
	}
	// Output:
	// 12:00 shop/db-0 [pod/allows-none: pod shop/db-0 has PDB shop/db, which allows no disruption now (until 2026-11-20T13:00:00Z)]
	// 12:00 shop/web-0 []
	// 13:00 shop/db-0 []
	// 13:00 shop/web-0 []
}
