package plan

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Comparison says how a second plan differs from a first one.
type Comparison struct {
	Before, After time.Time      // Plan.Finish of each; zero: no node goes
	Done          int            // how many more nodes are done; below 0: fewer
	Late          int            // how many more nodes miss their deadlines
	Pools         []PoolCompared // all pools of both plans, by name
}

// A PoolCompared says how two plans differ for one pool.
type PoolCompared struct {
	Name          string
	Before, After time.Time // Pool.Finish
	Done          int       // how many more nodes are done
}

// Compare compares two plans, such as today's and one with other budgets.
func Compare(first, second Plan) Comparison {
	c := Comparison{Before: first.Finish, After: second.Finish}
	i, j := 0, 0
	for i < len(first.Pools) || j < len(second.Pools) { // both are sorted by name
		order := 0
		switch {
		case i == len(first.Pools):
			order = 1
		case j == len(second.Pools):
			order = -1
		default:
			order = strings.Compare(first.Pools[i].Name, second.Pools[j].Name)
		}
		var p PoolCompared
		if order <= 0 {
			pool := first.Pools[i]
			p.Name, p.Before, p.Done = pool.Name, pool.Finish, -pool.Done
			c.Late -= pool.Late
			i++
		}
		if order >= 0 {
			pool := second.Pools[j]
			p.Name, p.After, p.Done = pool.Name, pool.Finish, p.Done+pool.Done
			c.Late += pool.Late
			j++
		}
		c.Done += p.Done
		c.Pools = append(c.Pools, p)
	}
	return c
}

// Gain returns how much earlier the second plan finishes. Below 0 means later. It is 0 if in either plan no node goes.
func (c Comparison) Gain() time.Duration { return gain(c.Before, c.After) }

// Gain is [Comparison.Gain] for the pool.
func (p PoolCompared) Gain() time.Duration { return gain(p.Before, p.After) }

func gain(before, after time.Time) time.Duration {
	if before.IsZero() || after.IsZero() {
		return 0
	}
	return before.Sub(after)
}

// order orders two comparisons with the same first plan by gain, greatest first: by nodes done, then by how few miss
// their deadlines, then by time, then by the time of single pools.
func (c Comparison) order(other Comparison) int {
	pools := func(c Comparison) (sum time.Duration) {
		for _, p := range c.Pools {
			sum += p.Gain() / time.Duration(len(c.Pools))
		}
		return sum
	}
	return cmp.Or(cmp.Compare(other.Done, c.Done), cmp.Compare(c.Late, other.Late),
		cmp.Compare(other.Gain(), c.Gain()), cmp.Compare(pools(other), pools(c)))
}

// String returns "done on Tue 24 Nov 2026 02:10 UTC instead of Thu 26 Nov 2026 03:40 UTC, 2d1h30m earlier; 14 more
// nodes done".
func (c Comparison) String() string {
	text := ""
	switch {
	case c.Before.Equal(c.After) && c.After.IsZero():
		text = "no node is ever done, as before"
	case c.Before.Equal(c.After):
		text = "done on " + day(c.After) + ", as before"
	case c.After.IsZero():
		text = "no node is ever done, instead of " + day(c.Before)
	case c.Before.IsZero():
		text = "done on " + day(c.After) + " instead of never"
	default:
		text = fmt.Sprintf("done on %s instead of %s, %s", day(c.After), day(c.Before), gainText(c.Gain()))
	}
	for _, p := range c.Pools { // of one that is not the last to finish
		if gain := p.Gain(); c.Gain() == 0 && gain != 0 {
			text += fmt.Sprintf("; pool %s %s", poolTitle(p.Name), gainText(gain))
		}
	}
	if c.Done != 0 {
		text += fmt.Sprintf("; %s done", moreNodes(c.Done))
	}
	if c.Late != 0 {
		text += fmt.Sprintf("; %s late", moreNodes(c.Late))
	}
	return text
}

// gainText returns "2d1h30m earlier", or later.
func gainText(gain time.Duration) string {
	if gain > 0 {
		return display.Rough(gain) + " earlier"
	}
	return display.Rough(-gain) + " later"
}

// moreNodes returns "14 more nodes", or fewer.
func moreNodes(more int) string {
	if more > 0 {
		return wording.Count(more, "more node")
	}
	return wording.Count(-more, "fewer node")
}
