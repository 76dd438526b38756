package timetable

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// The measures of the picture. It is made for the width of a README, and of a page of paper.
const (
	margin   = 16.0
	left     = 100.0 // of the lanes: days are beside them
	right    = 884.0
	hour     = (right - left) / 24
	line     = 16.0 // of text
	lane     = 24.0 // of a day
	between  = 3.0  // lanes
	textSize = 11.0
)

// A drawing is a picture that is being written, from top to bottom.
type drawing struct {
	picture.Drawing
	y     float64
	words []string // for those who do not see it
}

// SVG writes the weeks of pools as one picture that needs nothing else: no script, no font, no style. It is light or dark, as the reader
// prefers. A day is a lane, as clocks on the wall show it. The same pools give the same bytes.
func SVG(w io.Writer, pools []Pool) error {
	body := drawing{y: margin}
	for i := range pools {
		body.pool(&pools[i])
	}
	if len(pools) == 0 {
		body.text("", "There is no week to draw.")
	}
	var d drawing
	d.Open(body.y+margin, "What disruption budgets allow", strings.Join(body.words, " "), style)
	_, err := io.WriteString(w, d.String()+body.String()+"</svg>\n")
	return err
}

// text writes a line.
func (d *drawing) text(class, text string) {
	d.y += line
	d.Text(margin, d.y, class, picture.Short(text, 160))
}

// pool draws the week of a pool.
func (d *drawing) pool(p *Pool) {
	d.y += 8
	d.text("title", picture.Short(p.Name, longestName))
	for _, note := range p.notes() {
		d.text("faint", note)
	}
	rows := p.Rows()
	d.legend(rows)
	for _, r := range rows {
		d.words = append(d.words, fmt.Sprintf("%s, %s, %s: %s", picture.Short(p.Name, longestName), p.dates(), r.Reasons, r.Words))
		d.row(p, r)
	}
	d.y += margin
}

// dates returns "Mon 23 to Sun 29 Nov 2026", with the months and years that it takes.
func (p *Pool) dates() string {
	last, layout := p.day(Days-1), "Mon 2"
	switch {
	case p.Start.Year() != last.Year():
		layout = "Mon 2 Jan 2006"
	case p.Start.Month() != last.Month():
		layout = "Mon 2 Jan"
	}
	return p.Start.Format(layout) + " to " + last.Format("Mon 2 Jan 2006")
}

// day returns when a day begins: 0 is the first.
func (p *Pool) day(i int) time.Time {
	y, m, d := p.Start.Date()
	return command.Day(y, m, d+i, p.Start.Location())
}

// notes are what is to be known of all rows.
func (p *Pool) notes() []string {
	notes := []string{fmt.Sprintf("%s. %s, %s.", wording.Count(p.Nodes, "node"), p.dates(), picture.Short(p.Start.Location().String(), longestName))}
	if p.Note != "" {
		notes = append(notes, p.Note)
	}
	place := func(i int) string { return picture.Short(p.Budgets.Place(i), longestName) }
	broken := p.Budgets.Broken()
	if broken != 0 {
		notes = append(notes, "Invalid, and allows nothing: "+wording.List(slices.Collect(broken.All()), 6, place)+".")
	}
	var zonal []int
	for i, b := range p.Budgets.Budgets() {
		if b.TopologyKey != "" && !broken.Has(i) {
			zonal = append(zonal, i)
		}
	}
	if len(zonal) > 0 {
		notes = append(notes, "Not drawn, since budgets with a topologyKey limit single zones: "+wording.List(zonal, 6, place)+".")
	}
	for _, w := range p.Weeks {
		if p.Budgets.Minimum(w.Reason).Held == candidate.Forever {
			notes = append(notes, fmt.Sprintf("Whatever the budgets allow, no node is disrupted for %s: a policy of the pool is Never.", w.Reason))
		}
	}
	for i := range Days {
		_, before := p.day(i).Zone()
		switch _, after := p.day(i + 1).Zone(); {
		case before < after:
			notes = append(notes, fmt.Sprintf("On %s, clocks go forward: the time that they skip is left empty.", p.day(i).Format("Mon 2 Jan")))
		case before > after:
			notes = append(notes, fmt.Sprintf("On %s, clocks go back: of the time that they show twice, the second is drawn.", p.day(i).Format("Mon 2 Jan")))
		}
	}
	return notes
}

// legend explains the looks of blocks that there are.
func (d *drawing) legend(rows []Row) {
	d.y += line + 4
	x := margin
	for _, key := range []struct{ class, text string }{
		{"closed", "closed: no node may be disrupted"}, {"some", "few"}, {"most", "more"}, {"all", "the most nodes at once"},
		{"unlimited", "no budget limits how many at once"}, {"mixed", "changes several times an hour"},
	} {
		if !slices.ContainsFunc(rows, func(r Row) bool {
			return slices.ContainsFunc(r.Blocks, func(b Block) bool { return b.Class == key.class })
		}) {
			continue
		}
		d.Add(`<rect class="block b-%s" x="%.1f" y="%.1f" width="24" height="12"/>`, key.class, x, d.y-10)
		d.Text(x+30, d.y, "", key.text)
		x += 46 + picture.TextWidth(key.text, textSize)
	}
}

// row draws a week: a lane for each day, or a single one if the same is allowed all week.
func (d *drawing) row(p *Pool, r Row) {
	d.y += 2 * line
	d.Text(margin, d.y, "head", picture.Short(r.Reasons, 60))
	if len(r.Blocks) == 1 {
		d.y += 8
		d.Text(margin, d.y+lane/2+4, "bold", "all week")
		d.block(p, r.Blocks[0], r.Blocks[0].Span, left, right-left)
		d.y += lane + between
		return
	}
	d.y += line
	for h := 0; h <= 24; h += 3 {
		class := "faint mid"
		if h == 24 {
			class = "faint end"
		}
		d.Text(left+float64(h)*hour, d.y, class, fmt.Sprintf("%02d:00", h))
	}
	d.y += 6
	for i := range Days {
		day := schedule.Span{Start: p.day(i), End: p.day(i + 1)}
		d.Text(margin, d.y+lane/2+4, "bold", day.Start.Format("Mon 2 Jan"))
		for _, b := range r.Blocks {
			for _, part := range parts(b.Span, day) {
				d.block(p, b, day, left+hour*part.from, hour*part.length)
			}
		}
		d.y += lane + between
	}
	for h := 3; h < 24; h += 3 {
		d.Add(`<path class="grid" d="M%.1f %.1fv%.1f"/>`, left+float64(h)*hour, d.y-Days*(lane+between), Days*(lane+between)-between)
	}
}

// A part is where clocks on the wall show a part of a span in a day, in hours.
type part struct{ from, length float64 }

// parts returns the parts of a span in a day: none, one, or several if clocks change meanwhile, which may be right after midnight.
func parts(s, day schedule.Span) (all []part) {
	for at, end := schedule.Last(s.Start, day.Start).In(day.Start.Location()), schedule.First(s.End, day.End); at.Before(end); {
		h, m, sec := at.Clock()
		shown := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(sec)*time.Second
		until := schedule.First(end, at.Add(24*time.Hour-shown))
		if _, change := at.ZoneBounds(); change.After(at) {
			until = schedule.First(until, change)
		}
		all = append(all, part{shown.Hours(), until.Sub(at).Hours()})
		at = until
	}
	return all
}

// block draws what a block is during a time, with a text if there is space.
func (d *drawing) block(p *Pool, b Block, during schedule.Span, x, wide float64) {
	d.Add(`<rect class="block b-%s" x="%.2f" y="%.1f" width="%.2f" height="%.0f"><title>%s</title></rect>`,
		b.Class, x, d.y, max(wide, 1), lane, picture.Escaped(b.Tip))
	if text := p.label(b, during, wide-8); text != "" {
		d.Text(x+wide/2, d.y+lane/2+4, "label on-"+b.Class, text)
	}
}

// label returns what a block says during a time: how many nodes may be disrupted, and what takes place, as far as there is space.
func (p *Pool) label(b Block, during schedule.Span, room float64) string {
	short := fmt.Sprint(b.Nodes)
	long := fmt.Sprintf("%d of %d", b.Nodes, p.Nodes)
	switch {
	case b.Class == "mixed":
		short, long = "", "mixed"
	case b.Nodes == 0:
		short, long = "", "closed"
	case b.Nodes == budget.Unlimited:
		short, long = "", "no limit"
	}
	if names := strings.Join(p.names(b, during), ", "); names != "" && b.Class != "mixed" {
		if b.Nodes == 0 { // the pattern says so
			return picture.Fitted(names, textSize, room)
		}
		if text := long + ", " + names; picture.TextWidth(text, textSize) <= room {
			return text
		}
	}
	for _, text := range []string{long, short} {
		if picture.TextWidth(text, textSize) <= room {
			return text
		}
	}
	return ""
}

// style has the colours of the dashboard. Patterns are lines: slanted for closed, level for mixed.
var style = picture.Style{
	Light: `.label { text-anchor: middle; pointer-events: none; paint-order: stroke; stroke-width: 3px; stroke-linejoin: round; stroke: #fff }
.grid { stroke: #57606a; stroke-opacity: 0.2; fill: none; pointer-events: none }
.block { stroke: #fff; stroke-width: 0.5 }
.hatch { stroke: #b4bac2; stroke-width: 1.6 } .level { stroke: #2a6fae; stroke-width: 1.3 }
.b-closed { fill: url(#closed) } .b-mixed { fill: url(#mixed) } .b-some { fill: #dcebf9 } .b-most { fill: #8cbfe6 } .b-all { fill: #2a6fae } .b-unlimited { fill: #ffe2a8 }
.on-some, .on-most, .on-all, .on-unlimited { stroke: none } .on-all { fill: #fff }
`,
	Dark: `.grid { stroke: #9ba5b0 }
.block, .label { stroke: #0d1117 }
.hatch { stroke: #484f58 } .level { stroke: #2a67ac }
.b-some { fill: #12305a } .b-most { fill: #2a67ac } .b-all { fill: #8cbdea } .b-unlimited { fill: #4d3300 }
.on-some, .on-most { fill: #fff } .on-all { fill: #0d1117 }
`,
	Patterns: `<pattern id="closed" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M1 0V6"/></pattern>` +
		`<pattern id="mixed" width="8" height="4" patternUnits="userSpaceOnUse"><path class="level" d="M0 1H8"/></pattern>`,
}
