package planner

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/plan"
)

// What a change costs is said with what it gains, unless it is a matter of minutes.
func TestAChangeIsSaidWithWhatItCosts(t *testing.T) {
	hours := func(before, after float64) plan.Compared {
		at := func(h float64) time.Time { return noon.Add(time.Duration(h * float64(time.Hour))) }
		return plan.Compared{Before: at(before), After: at(after)}
	}
	pool := func(name string, before, after float64) plan.PoolCompared {
		return plan.PoolCompared{Name: name, Compared: hours(before, after)}
	}
	for _, c := range []struct {
		of   plan.Comparison
		want string
	}{
		{plan.Comparison{Compared: hours(4, 2), Pools: []plan.PoolCompared{pool("a", 4, 2)}}, "2h00m earlier, Fri 20 Nov 14:00"},
		{plan.Comparison{Compared: hours(4, 2), Pools: []plan.PoolCompared{pool("a", 4, 2), pool("b", 1, 1.05)}}, "2h00m earlier, Fri 20 Nov 14:00"},
		{plan.Comparison{Compared: hours(4, 2), Pools: []plan.PoolCompared{pool("a", 4, 2), pool("b", 1, 1.5)}}, "2h00m earlier, Fri 20 Nov 14:00, but b 30m later"},
		{plan.Comparison{Compared: hours(4, 2), Pools: []plan.PoolCompared{pool("a", 1, 1.5), pool("b", 1, 2), pool("c", 4, 2)}},
			"2h00m earlier, Fri 20 Nov 14:00, but b 1h00m later, and 1 more"},
		{plan.Comparison{Compared: plan.Compared{Done: 2}, Late: 1}, "2 more nodes done, but 1 more late"},
		{plan.Comparison{Compared: plan.Compared{Done: 1}, Late: -3}, "1 more node done, 3 fewer late"},
	} {
		if got := brief(c.of); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
