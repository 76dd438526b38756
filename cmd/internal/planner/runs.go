package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// A most is how often something is so.
type most struct {
	Name string `json:"name"`
	Runs int    `json:"runs"`
}

// slowest returns how many draws are the slowest tenth, the nodes that are last in these, most often first, and the PodDisruptionBudgets
// for which the last node waits.
func slowest(r plan.Range) (n int, nodes, pdbs []most) {
	slow := r.Draws[len(r.Draws)*9/10:]
	return len(slow), counted(slow, func(d plan.Draw) string { return d.Node }), counted(slow, func(d plan.Draw) string { return d.PDB })
}

// ofPool returns when a pool is done in most runs.
func ofPool(r plan.Range, name string) plan.Spread {
	for _, p := range r.Pools {
		if p.Name == name {
			return p.Finish
		}
	}
	return plan.Spread{}
}

// counted counts results of draws, except "".
func counted(draws []plan.Draw, says func(plan.Draw) string) (all []most) {
	for _, d := range draws {
		name := says(d)
		i := slices.IndexFunc(all, func(m most) bool { return m.Name == name })
		switch {
		case name == "":
		case i < 0:
			all = append(all, most{name, 1})
		default:
			all[i].Runs++
		}
	}
	slices.SortFunc(all, func(a, b most) int { return cmp.Or(b.Runs-a.Runs, strings.Compare(a.Name, b.Name)) })
	return all
}

// drawn describes how often it was planned, and what decides in the slowest runs; "": nothing depends on chance.
func drawn(r plan.Range) string {
	if len(r.Draws) <= 1 {
		return ""
	}
	text := fmt.Sprintf("Planned %d times, since durations depend on chance; what follows is the run in the middle.", len(r.Draws))
	often := func(m most) string { return fmt.Sprintf("%s in %d", wording.Quote(m.Name), m.Runs) }
	slow, nodes, pdbs := slowest(r)
	if len(nodes) > 0 {
		text += fmt.Sprintf(" Last in the slowest %s: %s.", wording.Count(slow, "run"), wording.List(nodes, mostLast, often))
	}
	if len(pdbs) > 0 {
		text += fmt.Sprintf(" It waited for PDB %s.", wording.List(pdbs, mostLast, often))
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
	return fmt.Sprintf("between %s and %s in 8 of 10 runs, half of them by %s", dayOf(p, s.Early), clockOf(p, s.Early, s.Late), clockOf(p, s.Early, s.Middle))
}

// clockOf shows a time that stands behind another one: without the day if that is the same.
func clockOf(p plan.Plan, before, at time.Time) string {
	if before.Year() == at.Year() && before.YearDay() == at.YearDay() {
		return at.Format("15:04")
	}
	return dayOf(p, at)
}
