package planner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// needed is what it takes to be done by a time.
type needed struct {
	by    time.Time // zero: nobody asks
	runs  part      // that are done by then
	pools []neededPool
}

// A neededPool is what it takes for a pool.
type neededPool struct {
	plan.Need
	runs []part // with each change: those in which the pool is done by then
}

// A part is how many of some runs are so.
type part struct{ of, all int }

// checkBy returns an error if --by is given with flags for another plan, or for a node.
func (w *written) checkBy() error {
	switch {
	case w.by == "":
	case w.whatIf != "" || len(w.outage)+len(w.sets) > 0:
		return errors.New("--by finds the change that is needed: leave out --what-if, --set and --outage")
	case w.choice.Node != "":
		return errors.New("--by is about pools: leave out --node")
	}
	return nil
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

// need finds what it takes to be done by the time of --by, and how many runs are done by then with each change, of up to
// mostTried.
func (o *options) need(in disruptkit.Input, options plan.Options, r plan.Range, c choose.Choice) needed {
	n := needed{by: o.until, runs: part{all: len(r.Draws)}}
	for _, d := range r.Draws {
		if !d.Finish.IsZero() && !d.Finish.After(n.by) {
			n.runs.of++
		}
	}
	for _, need := range plan.Needed(in, options, r, n.by) {
		if !c.HasPool(need.Pool) {
			continue
		}
		pool := neededPool{Need: need}
		pool.Changes = slices.Clone(pool.Changes[:min(len(pool.Changes), mostTrials)])
		for i := range pool.Changes {
			c := &pool.Changes[i].Comparison // of the pool alone: the plan may end with another one
			of := slices.IndexFunc(c.Pools, func(p plan.PoolCompared) bool { return p.Name == need.Pool })
			*c = plan.Comparison{Compared: c.Pools[of].Compared}
			pool.runs = append(pool.runs, tried(in, options, pool.Need, i, n.by, min(len(r.Draws), mostTried)))
		}
		pool.Need = inZone(pool.Need, o.Zone)
		n.pools = append(n.pools, pool)
	}
	return n
}

const mostTried = 50

// tried plans with a change that is needed, and counts the runs in which the pool is done by a time.
func tried(in disruptkit.Input, o plan.Options, n plan.Need, change int, by time.Time, runs int) (p part) {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		if in.Pools[i].Name == n.Pool {
			in.Pools[i].Budgets = n.Changes[change].Budgets
		}
	}
	p.all = runs
	for range runs {
		for _, pool := range plan.Run(in, o).Pools {
			if pool.Name == n.Pool && pool.ToGo == 0 && !pool.Finish.After(by) {
				p.of++
			}
		}
		o.Model.Seed++
	}
	return p
}

// text describes how many runs are done by then; "" if there is one alone.
func (p part) text() string {
	if p.all <= 1 {
		return ""
	}
	return fmt.Sprintf("in %d of %d runs", p.of, p.all)
}

// headline describes whether all is done by then.
func (n needed) headline() string {
	switch {
	case n.runs.all > 1:
		return "done by then " + n.runs.text()
	case len(n.pools) == 0:
		return "done by then"
	}
	return "not done by then"
}

// then describes what a change does.
func (n neededPool) then(change int) string {
	if text := n.runs[change].text(); text != "" {
		return "done by then " + text
	}
	return n.Changes[change].Comparison.String()
}

// impossible describes why no budgets are enough for a pool.
func (n neededPool) impossible() []string {
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
		for i, c := range pool.Changes {
			p.line("    %s: %s", c.Change, pool.then(i))
		}
		for _, text := range pool.impossible() {
			p.line("    %s", text)
		}
	}
}
