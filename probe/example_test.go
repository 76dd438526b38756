package probe_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// What the last answer of a probe allows, and for how long.
func ExampleProbeVerdict() {
	p := probe.Probe{Name: "incidents", MaxAge: 21 * time.Second, Needed: 1}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fmt.Println(probe.ProbeVerdict(p, probe.Observation{}, now))

	o := probe.Observation{At: now, Healthy: true, Streak: 1} // what httpget.Observe returns for an answer of 200
	fmt.Println(probe.ProbeVerdict(p, o, now))

	o.Denied = []probe.Denial{{Reason: candidate.Drifted, Pools: []probe.PoolSelector{"gpu", "team=search"}}}
	v := probe.ProbeVerdict(p, o, now)
	for _, pool := range []string{"gpu", "batch"} {
		b, blocked := v.Blocker(candidate.Drifted, pool, nil, now)
		fmt.Printf("%s %t %q\n", pool, blocked, b.Message)
	}
	fmt.Println(probe.ProbeVerdict(p, o, now.Add(time.Hour)))
	// Output:
	// incidents: nothing has been observed yet
	// incidents: all nodes are allowed, until 2026-11-20T12:00:21Z
	// gpu true "incidents: it denies Drifted in gpu"
	// batch false ""
	// incidents: the last answer is 1h old, and counts only for 21s
}
