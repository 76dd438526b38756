package candidate_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A node says all that is against disrupting it, not only the first thing.
func ExampleNodeGate() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	node := candidate.Node{
		Name: "a", Pool: "default", Phase: candidate.Running,
		DoNotDisrupt:   true,
		NominatedUntil: now.Add(20 * time.Second),
	}
	drifted := candidate.Condition{Reason: candidate.Drifted, Since: now.Add(-5 * time.Minute)}
	for _, b := range candidate.NodeGate(&node, drifted, candidate.Minimum{Held: 15 * time.Minute}, now) {
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
