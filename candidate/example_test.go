package candidate_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A node says all that is against disrupting it, not only the first thing.
func ExampleNodeGate() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	node := candidate.Node{
		Name: "a", Pool: "default", Initialized: true, Ready: true,
		DoNotDisrupt:   true,
		NominatedUntil: now.Add(20 * time.Second),
	}
	drifted := candidate.Condition{Reason: candidate.Drifted, Since: now.Add(-5 * time.Minute)}
	for _, b := range candidate.NodeGate(&node, drifted, 15*time.Minute, now) {
		fmt.Println(b)
	}
	// Output:
	// node/nominated: a pending pod is expected on the node (until 2026-11-20T12:00:20Z)
	// node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true"
	// node/disrupt-after: Drifted must hold for 15m (disruptAfter) (until 2026-11-20T12:10:00Z)
}

// The spellings of karpenter.sh/v1 and of the RFCs are one.
func ExampleParseReason() {
	for _, text := range []string{"Drifted", "Drift:AMIDrift", "Consolidation", "drifted", "AMIDrift"} {
		reason, err := candidate.ParseReason(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(reason, "is a", reason.Method())
	}
	// Output:
	// Drifted is a Drifted
	// Drifted/AMIDrift is a Drifted
	// Underutilized is a Underutilized
	// reason "drifted" is unknown: write Drifted
	// reason "AMIDrift" is unknown: write Drifted/AMIDrift
}

// One Parser reads the annotations of all pods. What is not valid is ignored, and warned of.
func ExampleParser() {
	saturdayNight := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	var parser candidate.Parser
	for _, pod := range []struct {
		name        string
		annotations map[string]string
	}{
		{"training-0", map[string]string{
			"karpenter.sh/disruption-schedule":          "0 2 * * sat",
			"karpenter.sh/disruption-schedule-duration": "4h",
		}},
		{"checkout-0", map[string]string{
			"karpenter.sh/disruption-block-schedule":    "0 9 * * *",
			"karpenter.sh/disruption-block-duration":    "12h",
			"karpenter.sh/disruption-schedule-timezone": "Asia/Tokyo",
		}},
		{"search-0", map[string]string{
			"karpenter.sh/disruption-schedule": "0 2 * * sat-sun",
		}},
		{"cache-0", map[string]string{"karpenter.sh/do-not-disrupt": "6h"}},
	} {
		terms, warnings := parser.Terms("shop", pod.name, pod.annotations)
		for _, w := range warnings {
			fmt.Println("warning:", w)
		}
		fmt.Printf("%s may go now: %t, of %v\n", pod.name, schedule.InWindow(terms.Window, saturdayNight), terms.Window)
		if terms.Protect > 0 {
			fmt.Println(pod.name, "may not go before it has run for", terms.Protect)
		}
	}
	// Output:
	// training-0 may go now: true, of 0 2 * * sat for 4h, UTC
	// checkout-0 may go now: false, of outside (0 9 * * * for 12h, Asia/Tokyo)
	// warning: Pod/shop/search-0: karpenter.sh/disruption-schedule: cron expression "0 2 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"
	// search-0 may go now: true, of always
	// cache-0 may go now: true, of always
	// cache-0 may not go before it has run for 6h0m0s
}

// What a caller does without Decide: judge one node after the other, let those go that nothing holds back, and say why the
// others stay. Of the pods of app=api one may be evicted at a time.
func ExamplePodGate() {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	api := map[string]string{"app": "api"}
	rules, err := candidate.Compile([]candidate.PDB{
		{Namespace: "shop", Name: "api", Selector: &candidate.Selector{MatchLabels: api}, DisruptionsAllowed: 1},
	}, nil)
	if err != nil {
		fmt.Println(err) // each fault is in rules.Warnings, too, and the rules are safe to use
	}
	nightly := candidate.Terms{Window: schedule.MustParse("0 2 * * *", 4*time.Hour, "")}
	daily := candidate.Terms{Window: schedule.MustParse("0 12 * * *", time.Hour, "")}
	nodes := []candidate.Node{ // oldest first
		{Name: "a", Pool: "default", Initialized: true, Ready: true, Pods: []candidate.Pod{
			{Namespace: "shop", Name: "api-0", Labels: api}, {Namespace: "ml", Name: "train-0", Terms: nightly}}},
		{Name: "b", Pool: "default", Initialized: true, Ready: true, Pods: []candidate.Pod{
			{Namespace: "shop", Name: "api-1", Labels: api}, {Namespace: "ml", Name: "serve-0", Terms: daily}}},
		{Name: "c", Pool: "default", Initialized: true, Ready: true},
	}

	gate := rules.At(now)
	for i := range nodes {
		if n := &nodes[i]; n.InFlight() {
			gate.Reserve(n)
		}
	}
	for i := range nodes {
		n, drifted := &nodes[i], candidate.Condition{Reason: candidate.Drifted}
		v := gate.Judge(n, drifted)
		blockers := slices.Concat(candidate.NodeGate(n, drifted, 0, now), v.Blockers)
		if len(blockers) > 0 {
			fmt.Println(n.Name, "stays:")
			for _, b := range blockers {
				fmt.Println(" ", b)
			}
			continue
		}
		gate.Take(v)
		if v.Until.IsZero() {
			fmt.Println(n.Name, "may go")
		} else {
			fmt.Println(n.Name, "may go until", v.Until.Format("15:04"))
		}
	}
	// Output:
	// a may go until 06:00
	// b stays:
	//   pod/outside-schedule: pod ml/serve-0 may go only when its disruption schedule lets it: 0 12 * * * for 1h, UTC (until 2026-11-21T12:00:00Z)
	//   pod/exhausted: pod shop/api-1 has PDB shop/api, which nodes ahead of this one use up
	// c may go
}

// A node drains, and its pods are asked one by one, up to the deadline that its termination grace period sets.
func ExampleRules_DrainGate() {
	rules, err := candidate.Compile([]candidate.PDB{
		{Namespace: "shop", Name: "db", Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "db"}}, DisruptionsAllowed: 0},
	}, nil)
	if err != nil {
		fmt.Println(err)
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	node := candidate.Node{Name: "a", Pool: "default", Deleting: true, Deadline: noon.Add(time.Hour), Pods: []candidate.Pod{
		{Namespace: "shop", Name: "db-0", Labels: map[string]string{"app": "db"}},
		{Namespace: "shop", Name: "web-0", Labels: map[string]string{"app": "web"}},
	}}
	for _, now := range []time.Time{noon, node.Deadline} {
		for _, pod := range node.Pods {
			fmt.Println(now.Format("15:04"), pod, rules.DrainGate(node, pod, now))
		}
	}
	// Output:
	// 12:00 shop/db-0 [pod/allows-none: pod shop/db-0 has PDB shop/db, which allows no disruption now (until 2026-11-20T13:00:00Z)]
	// 12:00 shop/web-0 []
	// 13:00 shop/db-0 []
	// 13:00 shop/web-0 []
}
