package candidate_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
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
