package planner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// needed is what it takes to be done by a time.
type needed struct {
	by        time.Time // zero: nobody asks
	runs, all int       // how many of all runs are done by then
	pools     []plan.Need
}

// checkUntil returns an error if the time of a flag is not in a plan that begins at a time.
func (o *options) checkUntil(flag string, until, from time.Time) error {
	switch to := from.Add(o.horizon); {
	case until.IsZero():
	case !until.After(from):
		return fmt.Errorf("%s: the plan begins at %s: write a later time than %s",
			flag, from.Format(time.RFC3339), until.Format(time.RFC3339))
	case until.After(to):
		return fmt.Errorf("%s: the plan looks ahead until %s: write an earlier time than %s, or a longer --horizon",
			flag, to.Format(time.RFC3339), until.Format(time.RFC3339))
	}
	return nil
}

// need finds what it takes to be done by the time of --by.
func (o *options) need(in disruptkit.Input, options plan.Options, r plan.Range) needed {
	n := needed{by: o.until, all: len(r.Draws)}
	n.runs = len(only(r.Draws, func(d plan.Draw) bool { return !d.Finish.IsZero() && !d.Finish.After(n.by) }))
	for _, need := range plan.Needed(in, options, r, n.by) {
		if o.pool != "" && need.Pool != o.pool {
			continue
		}
		need.Changes = slices.Clone(need.Changes[:min(len(need.Changes), mostTrials)])
		for i := range need.Changes {
			c := &need.Changes[i].Comparison
			*c = forPool(*c, need.Pool) // the plan may end with another one
		}
		n.pools = append(n.pools, inZone(need, o.Zone))
	}
	return n
}

// headline describes whether all is done by then.
func (n needed) headline() string {
	switch {
	case n.all > 1:
		return fmt.Sprintf("done by then in %d of %d runs", n.runs, n.all)
	case len(n.pools) == 0:
		return "done by then"
	}
	return "not done by then"
}

// impossible describes why no budgets are enough for a pool.
func impossible(n plan.Need) []string {
	if len(n.Changes) > 0 {
		return nil
	}
	var texts []string
	for _, w := range n.Alone {
		what := wording.Quote(cmp.Or(w.Cause, w.String())) + " alone takes"
		if w.Code == plan.CodeDrain {
			what = "launches and drains alone take"
		}
		texts = append(texts, fmt.Sprintf("impossible: %s %s", what, display.Rough(w.For)))
	}
	without := "not within the plan"
	if !n.Unlimited.IsZero() {
		without = "by " + day(n.Unlimited)
	}
	return append(texts, "without any budget it is done "+without)
}

// needed prints what it takes to be done by a time.
func (p *page) needed(n needed) {
	if n.by.IsZero() {
		return
	}
	p.line("")
	p.line("By %s: %s", day(n.by), n.headline())
	for _, pool := range n.pools {
		p.line("  %s:", poolTitle(pool.Pool))
		for _, c := range pool.Changes {
			text := c.Comparison.String()
			if n.all > 1 { // that is what plan.Needed looks for
				text = "done by then in 9 of 10 runs"
			}
			p.line("    %s: %s", c.Change, text)
		}
		for _, text := range impossible(pool) {
			p.line("    %s", text)
		}
	}
}
