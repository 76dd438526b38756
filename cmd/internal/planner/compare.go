package planner

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// differs is the exit status of --detailed-exitcode where plans differ, as terraform has it.
const differs = 2

// compare prints the effect of a change: in all, then by pool and zone, and then by node.
func (p *page) compare(r report) {
	before, after := r.plans[0], r.plans[1]
	c, changed := plan.Compare(before.plan, after.plan), unlike(before.plan, after.plan)
	p.say(r.shown())
	if len(changed) == 0 {
		p.line("%s: nothing changes. %s to go, %s.", after.title, wording.Count(len(before.plan.Nodes), "node"), ending(before.plan, before.runs.Finish))
		return
	}
	text := c.String()
	if s := after.runs.Finish; differ(s) && !s.Late.IsZero() {
		text += "; in 9 of 10 runs by " + day(s.Late)
	}
	p.line("%s: %s.", after.title, text)
	g := tell.NewGrid("POOL, ZONE", "AS IT IS", strings.Replace(after.title, "with ", "WITH ", 1), "EARLIER", "MORE NODES").AlignRight(4)
	for _, pool := range c.Pools {
		add(g, poolTitle(pool.Name), pool.Compared)
		for _, z := range pool.Zones {
			if len(pool.Zones) > 1 {
				add(g, "  "+wording.Quote(zoneTitle(z.Name)), z.Compared)
			}
		}
	}
	if len(g.Rows) > 1 {
		p.WriteString("\n" + g.String() + "\n")
	}
	if c.Done != 0 {
		p.line("Times are of the nodes that are done by themselves in both plans.")
	}
	for _, of := range r.plans {
		p.line("%s: %s.", of.title, ending(of.plan, of.runs.Finish))
	}
	p.line("%s at other times, or not as before: %s.", count(len(changed), "node is disrupted", "nodes are disrupted"), wording.List(changed, mostNamed, wording.Quote))
}

// add adds a row, if what it is about differs.
func add(g *tell.Grid, name string, c plan.Compared) {
	if c.Done == 0 && c.Before.Equal(c.After) {
		return
	}
	gain := display.Rough(c.Gain().Abs())
	switch {
	case c.Gain() == 0:
		gain = "-"
	case c.Gain() < 0:
		gain = "-" + gain
	}
	g.Add(name, orNever(c.Before), orNever(c.After), gain, fmt.Sprint(c.Done))
}

// unlike returns the names of the nodes that two plans start, end, kill or block differently.
func unlike(first, second plan.Plan) (names []string) {
	type fate struct {
		pool, name         string
		outcome            plan.Outcome
		start, end, killed time.Time
	}
	of := func(n plan.Node) fate {
		return fate{n.Pool, n.Name, n.Outcome, n.Start.UTC(), n.End().UTC(), n.Killed.UTC()}
	}
	fates := map[fate]int{}
	for _, n := range append(first.Nodes[:len(first.Nodes):len(first.Nodes)], first.Expiring...) {
		fates[of(n)]++
	}
	for _, n := range append(second.Nodes[:len(second.Nodes):len(second.Nodes)], second.Expiring...) {
		if fates[of(n)]--; fates[of(n)] < 0 {
			names = append(names, n.Name)
		}
	}
	return names
}
