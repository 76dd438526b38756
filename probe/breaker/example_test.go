package breaker_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe/breaker"
)

// A bad image: three of the last four new nodes have failed to become Ready.
func ExampleReplacement() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	b := breaker.Replacement{Reasons: []candidate.Reason{candidate.Drifted}, Failures: 3, Of: 4, CoolDown: time.Hour}
	v := b.Verdict([]breaker.Launch{
		{At: now.Add(-50 * time.Minute), Failed: true},
		{At: now.Add(-40 * time.Minute)},
		{At: now.Add(-20 * time.Minute), Failed: true},
		{At: now.Add(-5 * time.Minute), Failed: true},
	}, now)
	blocker, _ := v.Blocker("Drifted/AMIDrift", "gpu", nil, now)
	fmt.Println(blocker)

	b.ResetAt = now // somebody has mended the image
	fmt.Println(b.Verdict([]breaker.Launch{{At: now.Add(-5 * time.Minute), Failed: true}}, now))
	// Output:
	// probe/failed-replacement: replacements: it denies Drifted (3 of the last 4 new nodes failed to become Ready) (until 2026-11-20T12:55:00Z)
	// replacements: all nodes are allowed
}

// A runaway: five nodes go down within two minutes, where three may within ten.
func ExampleScaleDown() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	b := breaker.ScaleDown{MoreThan: 3, Within: 10 * time.Minute, CoolDown: time.Hour}
	var down []time.Time
	for i := range 5 {
		down = append(down, now.Add(time.Duration(i-5)*30*time.Second))
	}
	v := b.Verdict(down, now)
	blocker, _ := v.Blocker(candidate.Empty, "gpu", nil, now)
	fmt.Println(blocker)
	fmt.Println("look again at", v.NextChange(now).Format(time.TimeOnly))
	// Output:
	// probe/scale-down: scale-down: it denies everything (5 nodes went down within 10m, and 3 may) (until 2026-11-20T12:59:30Z)
	// look again at 12:59:30
}
