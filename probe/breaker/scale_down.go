package breaker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// A ScaleDown stops disruption once too many nodes have gone down within a short time, for any reason. It is the
// RFC's "too many nodes scaling down in a short period", and would have stopped a runaway that removed all capacity. It
// looks back only: budgets limit what a single decision allows. The zero value is invalid, and blocks every node.
type ScaleDown struct {
	Name     string             // for messages; by default "scale-down"
	Reasons  []candidate.Reason // the reasons that it stops; none: every reason
	MoreThan int                // it trips if more than so many nodes (0 or more)
	Within   time.Duration      // go down within this time
	// CoolDown is how long the breaker stops after the last node too many. In any case it stops until the nodes that
	// tripped it no longer all lie within the last Within, even if CoolDown is 0. candidate.Forever: until reset.
	CoolDown time.Duration
	// ResetAt is when somebody last reset the breaker: nodes that went down up to then do not count. Zero means never.
	ResetAt time.Time
}

// Validate returns everything that is wrong with the breaker.
func (b ScaleDown) Validate() error {
	errs := []error{checkReasons(b.Reasons)}
	if b.MoreThan < 0 {
		errs = append(errs, fmt.Errorf("moreThan: %d is not a number of nodes: write 0 or more", b.MoreThan))
	}
	if b.Within <= 0 {
		errs = append(errs,
			fmt.Errorf("within: nothing can happen within %s: write a time such as 10m", wording.Duration(b.Within)))
	}
	if b.CoolDown < 0 {
		errs = append(errs, fmt.Errorf("coolDown: %s is negative: write a time such as 1h, or 0 for none",
			wording.Duration(b.CoolDown)))
	}
	return errors.Join(errs...)
}

// Verdict returns what the breaker blocks at a time, and when that ends. Down has the times at which nodes began to go
// down, in any order. They must reach back by Within and CoolDown together. Times in the future count as well. A zero
// time is an error, and blocks everything.
func (b ScaleDown) Verdict(down []time.Time, now time.Time) probe.Verdict {
	timeless := slices.ContainsFunc(down, time.Time.IsZero)
	v, refuses := opened(cmp.Or(b.Name, "scale-down"), now, b.Validate(), timeless)
	if refuses {
		return v
	}
	end, nodes := b.stops(down, now)
	if nodes == 0 {
		return v
	}
	if b.ResetAt.After(now) {
		end = lifts(end, []time.Time{b.ResetAt}, func(at time.Time) (time.Time, bool) {
			end, nodes := b.stops(down, at)
			return end, nodes > 0
		})
	}
	cause := fmt.Sprintf("%s went down within %s, and %d may",
		wording.Count(nodes, "node"), wording.Duration(b.Within), b.MoreThan)
	return tripped(v, codeScaleDown, b.Reasons, cause, end)
}

// stops evaluates the breaker at a time, with what counts then. If it stops anything, it returns how many nodes went
// down together, and when it lifts; a zero end means never. Otherwise nodes is 0.
func (b ScaleDown) stops(down []time.Time, at time.Time) (end time.Time, nodes int) {
	first, last, nodes := b.tooMany(down, at)
	if b.CoolDown == candidate.Forever {
		return time.Time{}, nodes
	}
	if end = schedule.Last(first.Add(b.Within), last.Add(b.CoolDown)); !at.Before(end) {
		return time.Time{}, 0
	}
	return end, nodes
}

// tooMany returns the last group of nodes that trips the breaker, and its size, or 0. Last is its latest node. First is
// the latest node that must be Within ago before the rest of the group is small enough.
func (b ScaleDown) tooMany(down []time.Time, now time.Time) (first, last time.Time, nodes int) {
	var since []time.Time
	for _, t := range down {
		if counts(t, b.ResetAt, now) {
			since = append(since, t)
		}
	}
	slices.SortFunc(since, time.Time.Compare)
	for i := len(since) - 1; i >= b.MoreThan; i-- {
		if first, last = since[i-b.MoreThan], since[i]; last.Sub(first) >= b.Within {
			continue
		}
		for nodes = b.MoreThan + 1; i-nodes >= 0 && last.Sub(since[i-nodes]) < b.Within; nodes++ {
		}
		return first, last, nodes
	}
	return time.Time{}, time.Time{}, 0
}
