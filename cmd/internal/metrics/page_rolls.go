package metrics

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/planner"
)

// A rollsView is how far rolls are.
type rollsView struct {
	Unknown, Headline, Course string
	Assumed                   []string
	Rows                      []rollRow
	Notes                     []noteView
	Curves                    *courseView // nil: no node has to go
}

// A rollRow is a row of the table, with a bar.
type rollRow struct {
	planner.Row
	Parts []part
}

// A part is one of a bar, in percent.
type part struct {
	Class string // new, coming, going, togo or stuck
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
	All, Done                 int
	From, To                  string
	Ticks                     []tick
	Words                     string
}

// A tick is a time, and where it is in percent.
type tick struct {
	Name string
	Left float64
}

// rollsOf returns the view of rolls; nil: nobody has looked how far they are.
func rollsOf(r *planner.Rolled, at clock) *rollsView {
	if r == nil {
		return nil
	}
	v := &rollsView{Unknown: r.Unknown, Headline: r.Headline, Course: capital(r.Course), Assumed: r.Assumed, Curves: courseOf(r, at)}
	for _, row := range r.Rows {
		v.Rows = append(v.Rows, rollRow{row, parts(row)})
		for _, text := range row.Notes {
			v.Notes = append(v.Notes, noteView{row.Name, text, strings.Contains(text, " stuck")})
		}
	}
	return v
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// parts returns the bar of a row.
func parts(r planner.Row) (all []part) {
	whole := r.New + r.Coming + r.InProgress + r.ToGo
	for _, p := range []struct {
		class, what string
		n           int
	}{{"new", "new", r.New}, {"coming", "coming", r.Coming}, {"going", "in progress", r.InProgress}, {"togo", "to go", r.ToGo}} {
		if p.n > 0 {
			all = append(all, part{p.class, fmt.Sprintf("%d %s", p.n, p.what), 100 * float64(p.n) / float64(whole)})
		}
	}
	return all
}

// courseOf returns the curves.
func courseOf(r *planner.Rolled, at clock) *courseView {
	if r.All == 0 {
		return nil
	}
	from := r.Planned[0].At
	to := at.now
	for _, steps := range [][]planner.Step{r.Planned, r.Expected} {
		if last := steps[len(steps)-1].At; last.After(to) {
			to = last
		}
	}
	length := max(to.Sub(from), time.Minute)
	to = from.Add(length)
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
	c := &courseView{Planned: path(r.Planned), Actual: path(r.Actual), Expected: path(r.Expected), Now: x(at.now) / 10, All: r.All, Done: done,
		From: at.day(from), To: at.day(to)}
	c.Words = fmt.Sprintf("%d of %s done. The first plan, from %s, is done %s; the plan of now is done %s.", done, counted(r.All, "node"), at.day(from),
		at.day(r.Planned[len(r.Planned)-1].At), at.day(r.Expected[len(r.Expected)-1].At))
	return c
}
