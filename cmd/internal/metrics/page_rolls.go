package metrics

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A rollsView is how far rolls are.
type rollsView struct {
	*planner.Rolled
	Course string
	Rows   []rollRow
	Notes  []noteView
	Curves *courseView // nil: no node has to go
}

// A rollRow is a row of the table, with a bar.
type rollRow struct {
	planner.Row
	Parts []part
}

// A part is one of a bar, in percent.
type part struct {
	Class string // new, unready, going, togo or stuck
	Tip   string
	Width float64
}

// A noteView is something about a NodePool.
type noteView struct {
	Of, Text string
	Stuck    bool
}

// A courseView is when nodes are done: as planned, as it was, and as expected. It is 1000 wide and 1000 high.
type courseView struct {
	Planned, Actual, Expected string // paths
	Now                       float64
	All                       int
	From, To                  string
	Words                     string
}

// rollsOf returns the view of rolls; nil: nobody has looked how far they are.
func rollsOf(r *planner.Rolled, at tell.Clock) *rollsView {
	if r == nil {
		return nil
	}
	v := &rollsView{Rolled: r, Course: tell.Capital(r.Course), Curves: courseOf(r, at)}
	for _, row := range r.Rows {
		v.Rows = append(v.Rows, rollRow{row, parts(row)})
		for _, text := range row.Notes {
			v.Notes = append(v.Notes, noteView{row.Name, text, strings.Contains(text, " stuck")})
		}
	}
	return v
}

// parts returns the bar of a row.
func parts(r planner.Row) (all []part) {
	whole := r.New + r.NotReady + r.InProgress + r.ToGo
	for _, p := range []struct {
		class, what string
		n           int
	}{{"new", "up to date", r.New}, {"unready", "not Ready", r.NotReady}, {"going", "in progress", r.InProgress}, {"togo", "to go", r.ToGo}} {
		if p.n > 0 {
			all = append(all, part{p.class, fmt.Sprintf("%d %s", p.n, p.what), 100 * float64(p.n) / float64(whole)})
		}
	}
	return all
}

// courseOf returns the curves.
func courseOf(r *planner.Rolled, at tell.Clock) *courseView {
	if r.All == 0 {
		return nil
	}
	from, to := r.Planned[0].At, at.Now // from the first plan on
	for _, steps := range [][]planner.Step{r.Planned, r.Expected} {
		to = schedule.Last(to, steps[len(steps)-1].At)
	}
	length := max(to.Sub(from), time.Minute)
	x := func(t time.Time) float64 { return 1000 * float64(max(t.Sub(from), 0)) / float64(length) }
	path := func(steps []planner.Step) string {
		var d strings.Builder
		for i, s := range steps {
			y := 1000 - 1000*float64(s.Done)/float64(r.All)
			if i == 0 {
				fmt.Fprintf(&d, "M%.1f %.1f", x(s.At), y)
			} else {
				fmt.Fprintf(&d, "H%.1fV%.1f", x(s.At), y)
			}
		}
		return d.String()
	}
	done := r.Actual[len(r.Actual)-1].Done
	return &courseView{Planned: path(r.Planned), Actual: path(r.Actual), Expected: path(r.Expected), Now: x(at.Now) / 10, All: r.All,
		From: at.Day(from), To: at.Day(from.Add(length)),
		Words: fmt.Sprintf("%d of %s done. The first plan, from %s, is done %s; the plan of now is done %s.", done, wording.Count(r.All, "node"), at.Day(from),
			at.Day(r.Planned[len(r.Planned)-1].At), at.Day(r.Expected[len(r.Expected)-1].At))}
}
