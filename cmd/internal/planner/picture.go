package planner

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/plan"
)

// Dimensions of the picture, which fits into a README.
const (
	textSize  = 11.0
	labelled  = 18.0  // where the labels of the lanes begin
	labelGap  = 10.0  // between them and the lanes
	leastLeft = 150.0 // where the lanes begin
	mostLeft  = 450.0
	right     = 880.0
	head      = 148.0
	foot      = 44.0
	laneGap   = 10.0
	panelHead = 46.0
	tallest   = 130.0 // of a lane
	lowest    = 28.0
)

// printSVG draws the plans, one above the other, on one time scale.
func printSVG(w io.Writer, r report) error {
	d := &drawing{}
	d.picture(r)
	_, err := io.WriteString(w, d.String())
	return err
}

// A drawing is of plans.
type drawing struct{ picture.Drawing }

// A row is a lane as drawn: nodes in flight at the same time are above each other.
type row struct {
	lane
	tracks [][]plan.Node
	high   float64
}

// newRow places each node in the first free track. The height of a lane is limited, so tracks are thinner if there are
// many.
func newRow(p plan.Plan, l lane) row {
	r := row{lane: l}
	flown := only(l.nodes, byItself)
	slices.SortStableFunc(flown, func(a, b plan.Node) int { return started(p, a).Compare(started(p, b)) })
	for _, n := range flown {
		i := slices.IndexFunc(r.tracks, func(t []plan.Node) bool { return !t[len(t)-1].End().After(started(p, n)) })
		if i < 0 {
			i = len(r.tracks)
			r.tracks = append(r.tracks, nil)
		}
		r.tracks[i] = append(r.tracks[i], n)
	}
	r.high = min(max(lowest, 8*float64(len(r.tracks))), tallest)
	return r
}

// picture draws the plans. What is below the head is drawn first, since only then its height is known.
func (d *drawing) picture(r report) {
	plans, left := r.plans, labelWidth(r.plans)
	a := newAxis(plans, left, right-30)
	y, body := head, &drawing{}
	body.legend(18, y-28)
	for _, p := range plans {
		if len(plans) > 1 {
			y += panelHead
			body.Text(18, y-20, "head", p.title)
			body.Text(right, y-20, "faint end", ending(p.plan, p.runs.Finish))
		}
		y = body.plan(p, a, left, y)
	}
	body.times(a, left, y+14)
	d.head(r, y+foot)
	d.WriteString(body.String() + "</svg>\n")
}

// plan draws a plan from a height on, and returns where it ends.
func (d *drawing) plan(p planned, a axis, left, top float64) (bottom float64) {
	rows := &drawing{}
	bottom = top
	for _, l := range lanes(p.plan) {
		r := newRow(p.plan, l)
		rows.row(p.plan, r, a, left, bottom)
		bottom += r.high + laneGap
	}
	d.grid(a, top, bottom-laneGap)
	d.WriteString(rows.String())
	d.finish(p, a, top, bottom-laneGap)
	return bottom
}

// head begins the picture: with how the plan ends and why, or how the plans differ.
func (d *drawing) head(r report, high float64) {
	first := r.plans[0]
	texts := []string{ending(first.plan, first.runs.Finish), picture.Short(tell.Capital(cause(first.plan)), 140)}
	if len(r.plans) > 1 {
		texts = []string{r.plans[1].title + ": " + plan.Compare(first.plan, r.plans[1].plan).String()}
	}
	d.Open(high, r.headline(), description(r.plans), style)
	d.Text(18, 33, "title", r.headline())
	y := 54.0
	for _, text := range append(texts, strings.TrimSpace(r.first()+" "+r.shown())) {
		if text != "" {
			d.Text(18, y, "faint", text)
			y += 18
		}
	}
}

// description describes the picture for screen readers.
func description(plans []planned) string {
	var texts []string
	for _, p := range plans {
		for _, l := range lanes(p.plan) {
			text := fmt.Sprintf("%s, %s, %s: %d of %d done", p.title, poolTitle(l.pool), zoneTitle(l.zone), l.counts.Done, l.counts.Nodes)
			if l.counts.Done > 0 {
				text += fmt.Sprintf(" from %s to %s", day(l.from), day(l.to))
			}
			texts = append(texts, text+".")
		}
	}
	return picture.Short(strings.Join(texts, " "), 2000)
}

// legend explains what is drawn.
func (d *drawing) legend(x, y float64) {
	for _, key := range []struct {
		class, text string
		wide        float64
	}{
		{"launch", "its replacement is launched", 190}, {"drain", "the node drains", 125}, {"closed", "budgets allow none", 145},
		{"band", "8 of 10 runs are done in this time", 0},
	} {
		d.Add(`<rect class="%s" x="%.1f" y="%.1f" width="22" height="10"/>`, key.class, x, y-9)
		d.Text(x+28, y, "", key.text)
		x += key.wide
	}
}

// grid draws the hours.
func (d *drawing) grid(a axis, top, bottom float64) {
	for _, t := range a.ticks(90) {
		d.Add(`<path class="grid" d="M%.1f %.1fV%.1f"/>`, a.x(t), top-4, bottom+4)
	}
}

// label returns the label of a lane: its zone, and below it its pool and how many of its nodes are done.
func (l lane) label() (zone, pool string) {
	count := fmt.Sprintf("%d of %d", l.counts.Done, l.counts.Nodes)
	if l.counts.Never > 0 {
		count += fmt.Sprintf(", %d never", l.counts.Never)
	}
	if l.counts.ToGo > 0 {
		count += fmt.Sprintf(", %d open", l.counts.ToGo)
	}
	if l.counts.Late > 0 {
		count += fmt.Sprintf(", %d late", l.counts.Late)
	}
	return zoneTitle(l.zone), poolTitle(l.pool) + ": " + count
}

// labelWidth returns where the lanes begin, so that their labels fit. Labels wider than half of the picture are cut.
func labelWidth(plans []planned) float64 {
	wide := leastLeft
	for _, p := range plans {
		for _, l := range lanes(p.plan) {
			zone, pool := l.label()
			wide = max(wide, labelled+picture.TextWidth(zone, textSize)*1.08+labelGap, labelled+picture.TextWidth(pool, textSize)+labelGap) // zones are bold
		}
	}
	return min(wide, mostLeft)
}

// row draws a lane.
func (d *drawing) row(p plan.Plan, r row, a axis, left, y float64) {
	zone, pool := r.label()
	room := left - labelled - labelGap
	d.Add(`<g><title>%s</title>`, picture.Escaped(zone+", "+pool))
	d.Text(labelled, y+11, "bold", picture.Fitted(zone, textSize, room/1.08))
	d.Text(labelled, y+24, "faint", picture.Fitted(pool, textSize, room))
	d.Add("</g>")
	d.Add(`<rect class="lane" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, left, y, right-30-left, r.high)
	for _, c := range p.Closed {
		if x0, x1 := a.x(c.From), a.x(c.To); c.Pool == r.pool && x1-x0 > 0.3 { // closings for several reasons have one hatch
			d.Add(`<rect class="closed" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, x0, y, x1-x0, r.high)
		}
	}
	step := min(r.high/float64(max(len(r.tracks), 1)), 14)
	var launches, drains strings.Builder
	for i, track := range r.tracks {
		mid := y + (float64(i)+0.5)*step
		bar := func(path *strings.Builder, from, to time.Time) {
			x0 := a.x(from)
			fmt.Fprintf(path, "M%.1f %.1fH%.1f", x0, mid, max(a.x(to), x0+0.4))
		}
		for _, n := range track {
			switch start := started(p, n); {
			case n.Ready.IsZero():
				bar(&drains, start, n.Gone)
			case n.Ready.After(n.Gone): // it drains first
				bar(&drains, start, n.Gone)
				bar(&launches, n.Gone, n.Ready)
			default:
				bar(&launches, start, n.Ready)
				bar(&drains, n.Ready, n.Gone)
			}
		}
	}
	thick := max(step*0.78, step-2)
	d.Add(`<path class="launch-bar" stroke-width="%.2f" d="%s"/>`, thick, &launches)
	d.Add(`<path class="drain-bar" stroke-width="%.2f" d="%s"/>`, thick, &drains)
}

// finish marks the end of the plan.
func (d *drawing) finish(of planned, a axis, top, bottom float64) {
	p := of.plan
	if p.Finish.IsZero() {
		return
	}
	if s := of.runs.Finish; differ(s) && !s.Late.IsZero() {
		from, to := a.x(s.Early), a.x(s.Late)
		d.Add(`<rect class="band" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, from, top-4, to-from, bottom-top+8)
	}
	x := a.x(p.Finish)
	d.Add(`<path class="finish" d="M%.1f %.1fV%.1f"/>`, x, top-4, bottom+4)
	d.Text(x+4, bottom+3, "done", p.Finish.Format("15:04"))
}

// times writes the hours below.
func (d *drawing) times(a axis, left, y float64) {
	last := ""
	for _, t := range a.ticks(90) {
		class, x := "faint mid", a.x(t)
		if x < left+24 {
			class, x = "faint", left
		}
		d.Text(x, y, class, t.Format("15:04"))
		if today := t.Format("Mon 2 Jan"); today != last {
			d.Text(x, y+14, class, today)
			last = today
		}
	}
}

// style gives each phase its own lightness, in light and dark mode, so that phases differ even without colours.
var style = picture.Style{
	Light: `.lane { fill: #f0f3f6 }
.launch { fill: #6fadde } .launch-bar { stroke: #6fadde }
.drain { fill: #0a3263 } .drain-bar { stroke: #0a3263 }
.launch-bar, .drain-bar { fill: none }
.closed { fill: url(#hatch) }
.hatch { stroke: #a8b0b8; stroke-width: 1.4 }
.grid { stroke: #24292f; stroke-opacity: 0.18; fill: none }
.finish { stroke: #1a7f37; stroke-width: 2 }
.band { fill: #1a7f37; fill-opacity: 0.18 }
.done { fill: #1a7f37; font-weight: bold }
`,
	Dark: `.lane { fill: #1b222b }
.launch { fill: #2a6fae } .launch-bar { stroke: #2a6fae }
.drain { fill: #a9cfee } .drain-bar { stroke: #a9cfee }
.hatch { stroke: #59626d }
.grid { stroke: #e6edf3 }
.finish { stroke: #3fb950 }
.band { fill: #3fb950 }
.done { fill: #3fb950 }
`,
	Patterns: `<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M1 0V6"/></pattern>`,
}
