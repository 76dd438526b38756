package planner

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// How much of each list the first screen has.
const (
	linesOfHelp = 6 // that are left for what would help
	mostCauses  = 2
	mostKills   = 3
)

// printFirst prints the first screen, each part as soon as it is known: when it is done, and what holds it up; then the
// main risk, who is still there, what never goes, what is killed and what expires, by pool; and last what would help.
func (p *page) printFirst(w io.Writer, r report) error {
	of := r.plans[0]
	p.headline(r)
	p.cause(r)
	begun := p.String()
	if _, err := io.WriteString(w, begun); err != nil {
		return err
	}
	p.risk(r)
	p.shownOf(r)
	p.needed(r.needed)
	p.outlived(of, "")
	p.held(of.plan, "", mostCauses)
	if kills := kills(of.plan, of.in.Now, func(plan.Node) bool { return true }, mostKills); kills != "" {
		p.line("Killed when grace periods end: %s.", kills)
	}
	p.around(of)
	p.pools(of)
	lines := tell.FirstScreen - strings.Count(footer, "\n")
	if r.trials != nil {
		lines -= linesOfHelp
	}
	first := tell.First(p.String(), "", lines)
	if _, err := io.WriteString(w, strings.TrimPrefix(first, begun)); err != nil {
		return err
	}
	help := helps(best(r.tried()), tell.FirstScreen-strings.Count(first+footer, "\n"))
	_, err := io.WriteString(w, help+footer)
	return err
}

// footer has the command that shows the rest.
const footer = "\n-v shows all, and what is assumed; --pool or --node NAME a part of it.\n"

// helps returns what would help most, in as many lines as there are.
func helps(all []helpful, room int) string {
	text := ""
	for _, h := range all {
		title := "What would help most " + h.title + ":\n"
		for _, t := range h.trials {
			next := title + tell.Wrap("  "+t.Change+": "+brief(t.Comparison), "    ") + "\n"
			if strings.Count("\n"+text+next, "\n") > room {
				continue
			}
			text, title = text+next, ""
		}
	}
	if text != "" {
		text = "\n" + text
	}
	return text
}

// brief describes what a change does to a plan, without what stays as it is.
func brief(c plan.Comparison) string {
	var texts []string
	if c.Gain() > 0 && !c.After.IsZero() {
		texts = append(texts, display.Rough(c.Gain())+" earlier, "+day(c.After))
	}
	if c.Done > 0 {
		texts = append(texts, wording.Count(c.Done, "more node")+" done")
	}
	if c.Late < 0 {
		texts = append(texts, fmt.Sprintf("%d fewer late", -c.Late))
	}
	if len(texts) == 0 {
		return c.String()
	}
	return strings.Join(texts, ", ")
}

// pools prints a line for each pool, the last to be done first.
func (p *page) pools(of planned) {
	late := func(pool plan.Pool) time.Time {
		if pool.Never+pool.ToGo > 0 || pool.Finish.IsZero() {
			return far
		}
		return pool.Finish
	}
	all := slices.Clone(of.plan.Pools)
	slices.SortStableFunc(all, func(a, b plan.Pool) int { return late(b).Compare(late(a)) })
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	g := tell.NewGrid("POOL", "NODES", "DONE", "ONLY EXPIRE", "LATER", "NEVER", "DONE BY").AlignRight(1, 2, 3, 4, 5).Keep(6)
	for _, pool := range all {
		by := ""
		switch s := of.runs.pools[pool.Name]; {
		case differ(s):
			by = between(of.plan, s)
		case !pool.Finish.IsZero():
			by = dayOf(of.plan, pool.Finish)
		}
		g.Add(poolTitle(pool.Name), fmt.Sprint(pool.Nodes), cmp.Or(number(pool.Done), "0"), number(pool.OnlyExpire), number(pool.ToGo),
			number(pool.Never), by)
	}
	if len(all) > 0 {
		p.WriteString("\n" + g.String())
	}
}
