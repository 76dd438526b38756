package candidate_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// What a caller does without Decide: judge one node after the other, disrupt those without blockers, and report the
// blockers of the others. One pod of app=api may be evicted at a time.
func ExampleGate() {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	api := map[string]string{"app": "api"}
	rules, err := candidate.CompileRules([]candidate.PDB{
		{Namespace: "shop", Name: "api", Selector: &candidate.Selector{MatchLabels: api}, DisruptionsAllowed: 1},
	}, nil)
	if err != nil {
		fmt.Println(err) // rules.Warnings has each fault, and the rules are safe to use
	}
	nightly := candidate.Terms{Window: schedule.MustParse("0 2 * * *", 4*time.Hour, "")}
	daily := candidate.Terms{Window: schedule.MustParse("0 12 * * *", time.Hour, "")}
	nodes := []candidate.Node{ // oldest first
		{Name: "a", Pool: "default", Phase: candidate.Running, Pods: []candidate.Pod{
			{Namespace: "shop", Name: "api-0", Labels: api}, {Namespace: "ml", Name: "train-0", Terms: nightly}}},
		{Name: "b", Pool: "default", Phase: candidate.Running, Pods: []candidate.Pod{
			{Namespace: "shop", Name: "api-1", Labels: api}, {Namespace: "ml", Name: "serve-0", Terms: daily}}},
		{Name: "c", Pool: "default", Phase: candidate.Running},
	}

	gate := candidate.OpenPods(rules, now)
	for i := range nodes {
		if n := &nodes[i]; n.InFlight() {
			gate.Reserve(n)
		}
	}
	for i := range nodes {
		n, drifted := &nodes[i], candidate.Condition{Reason: candidate.Drifted}
		var v candidate.PodVerdict
		gate.Judge(&v, n, &drifted)
		blockers := slices.Concat(candidate.NodeGate(n, drifted, candidate.Minimum{}, now), v.Blockers)
		if len(blockers) > 0 {
			fmt.Println(n.Name, "stays:")
			for _, b := range blockers {
				fmt.Println(" ", b)
			}
			continue
		}
		gate.Count(&v, 1)
		if v.Until.IsZero() {
			fmt.Println(n.Name, "is allowed")
		} else {
			fmt.Println(n.Name, "is allowed until", v.Until.Format("15:04"))
		}
	}
	// Output:
	// a is allowed until 06:00
	// b stays:
	//   pod/outside-schedule: pod ml/serve-0 may be disrupted only when its disruption schedule allows it: 0 12 * * * for 1h, UTC (until 2026-11-21T12:00:00Z)
	//   pod/exhausted: pod shop/api-1 has PDB shop/api, which is used up
	// c is allowed
}
