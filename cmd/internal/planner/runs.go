package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// runs are the results of many plans whose durations depend on chance. The zero runs are of one plan.
type runs struct {
	many   int
	finish plan.Spread
	pools  map[string]plan.Spread
	slow   int    // how many of them are the slowest tenth
	nodes  []most // those that are last in these, most often first
	pdbs   []most // those for which the last node waits in these
}

// A most is how often something is so.
type most struct {
	name  string
	times int
}

// newRuns returns the results of many plans for everything, for one pool, or for one node.
func newRuns(r plan.Range, c choose.Choice) runs {
	if len(r.Draws) <= 1 {
		return runs{}
	}
	all := runs{many: len(r.Draws), finish: r.Finish, pools: map[string]plan.Spread{}}
	if c.Node != "" {
		all.finish = plan.Spread{}
		for _, n := range r.Nodes {
			if c.HasNode(n.Pool, n.Name) {
				all.finish, all.pools[n.Pool] = n.Finish, n.Finish
			}
		}
		return all
	}
	for _, p := range r.Pools {
		if c.HasPool(p.Name) {
			all.pools[p.Name] = p.Finish
		}
	}
	if c.Pool != "" {
		all.finish = all.pools[c.Pool]
		return all // which of its own nodes is last is not known
	}
	slow := r.Draws[len(r.Draws)*9/10:]
	all.slow = len(slow)
	all.nodes = counted(slow, func(d plan.Draw) string { return d.Node })
	all.pdbs = counted(slow, func(d plan.Draw) string { return d.PDB })
	return all
}

// counted counts results of draws, except "".
func counted(draws []plan.Draw, says func(plan.Draw) string) (all []most) {
	for _, d := range draws {
		name := says(d)
		i := slices.IndexFunc(all, func(m most) bool { return m.name == name })
		switch {
		case name == "":
		case i < 0:
			all = append(all, most{name, 1})
		default:
			all[i].times++
		}
	}
	slices.SortFunc(all, func(a, b most) int { return cmp.Or(b.times-a.times, strings.Compare(a.name, b.name)) })
	return all
}

// text describes how often it was planned, and what decides in the slowest runs.
func (r runs) text() string {
	if r.many <= 1 {
		return ""
	}
	text := fmt.Sprintf("Planned %d times, since durations depend on chance; what follows is the run in the middle.", r.many)
	switch {
	case len(r.nodes) == 0:
	case r.slow == 1:
		text += fmt.Sprintf(" Last in the slowest: %s.", r.last())
	default:
		text += fmt.Sprintf(" Last in the slowest %s: %s.", wording.Count(r.slow, "run"), r.last())
	}
	return text
}

// last describes which nodes are last in the slowest runs, and for which PodDisruptionBudgets they wait.
func (r runs) last() string {
	named := slices.DeleteFunc(slices.Clone(r.nodes), func(m most) bool { return m.times == 1 && r.slow > 1 })
	named = named[:min(len(named), mostLast)]
	var texts []string
	for _, m := range named {
		text := wording.Quote(m.name)
		if r.slow > 1 {
			text += fmt.Sprintf(" in %d", m.times)
		}
		texts = append(texts, text)
	}
	switch others := len(r.nodes) - len(named); {
	case len(named) == 0:
		texts = append(texts, "another node in each")
	case others > 0:
		texts = append(texts, wording.Count(others, "other node"))
	}
	text := strings.Join(texts, ", ")
	for i, m := range r.pdbs[:min(len(r.pdbs), mostLast)] {
		text += map[bool]string{true: "; ", false: ", "}[i == 0]
		text += fmt.Sprintf("PDB %s held up the last node", wording.Quote(m.name))
		if r.slow > 1 {
			text += fmt.Sprintf(" in %d", m.times)
		}
	}
	return text
}

const mostLast = 3 // nodes, and PodDisruptionBudgets, that are named

// differ reports whether runs end at different times.
func differ(s plan.Spread) bool { return !s.Early.Equal(s.Late) }

// between describes the interval in which most runs are done.
func between(p plan.Plan, s plan.Spread) string {
	switch {
	case s.Middle.IsZero():
		return fmt.Sprintf("by %s in the run in the middle; all by %s in 1 of 10 runs", dayOf(p, p.Finish), dayOf(p, s.Early))
	case s.Late.IsZero():
		return fmt.Sprintf("by %s in half of the runs, and not by %s in 1 of 10", dayOf(p, s.Middle), dayOf(p, p.Horizon))
	}
	return fmt.Sprintf("%s in 8 of 10 runs, half of them by %s", shortBetween(p, s), clockOf(p, s.Early, s.Middle))
}

// shortBetween is between in fewer words.
func shortBetween(p plan.Plan, s plan.Spread) string {
	if s.Late.IsZero() {
		return "by " + dayOf(p, p.Finish)
	}
	return fmt.Sprintf("between %s and %s", dayOf(p, s.Early), clockOf(p, s.Early, s.Late))
}

// clockOf shows a time that stands behind another one: without the day if that is the same.
func clockOf(p plan.Plan, before, at time.Time) string {
	if before.Year() == at.Year() && before.YearDay() == at.YearDay() {
		return at.Format("15:04")
	}
	return dayOf(p, at)
}

// compared adds to a comparison of the runs in the middle when nine in ten of the second plan's are done.
func (r runs) compared(text string) string {
	if !differ(r.finish) || r.finish.Late.IsZero() {
		return text
	}
	return fmt.Sprintf("%s; in 9 of 10 runs by %s", text, day(r.finish.Late))
}

// ofRuns describes a plan that depends on chance.
func ofRuns(r plan.Range) []string {
	if len(r.Draws) <= 1 {
		return nil
	}
	return []string{fmt.Sprintf("chance decides how long each node takes, and whose launch fails; %d runs draw it anew, "+
		"and the same input has the same runs", len(r.Draws))}
}

// defaults describes which durations are neither given nor measured.
func defaults(in disruptkit.Input, known func(flag string) bool) string {
	var texts []string
	for _, d := range []struct {
		flag, text string
		matters    bool
	}{
		{"drain", "drains of 3m", true}, {"launch", "launches of 2m", true},
		{"eviction", "evictions of 30s", len(in.Rules.PDBs()) > 0},
	} {
		if d.matters && !known(d.flag) {
			texts = append(texts, d.text)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "Defaults, not measured: " + strings.Join(texts, ", ") + "."
}
