package kube_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/schedule"
)

// One Parser reads the annotations of all pods. What is not valid is ignored, and warned of.
func ExampleParser() {
	saturdayNight := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	var parser kube.Parser
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
		fmt.Printf("%s may be disrupted now: %t, of %v\n", pod.name, schedule.InWindow(terms.Window, saturdayNight), terms.Window)
		if terms.Protect > 0 {
			fmt.Println(pod.name, "must not be disrupted before it has run for", terms.Protect)
		}
	}
	// Output:
	// training-0 may be disrupted now: true, of 0 2 * * sat for 4h, UTC
	// checkout-0 may be disrupted now: false, of outside (0 9 * * * for 12h, Asia/Tokyo)
	// warning: Pod/shop/search-0: karpenter.sh/disruption-schedule: cron expression "0 2 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"
	// search-0 may be disrupted now: true, of always
	// cache-0 may be disrupted now: true, of always
	// cache-0 must not be disrupted before it has run for 6h0m0s
}
