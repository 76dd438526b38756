package timetable

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
)

// The measures of the picture. It is made for the width of a README, and of a page of paper.
const (
	margin = 16.0
	left   = 54.0 // of the columns: hours are beside them
	right  = 890.0
	column = (right - left) / 7
	space  = 3.0   // between columns
	height = 360.0 // of a day
	flat   = 48.0  // of a day, where nothing changes all week
	line   = 16.0  // of text
	above  = 38.0  // of the columns in a chart: reasons and days
	below  = 14.0
	least  = 10.5 // the height that holds a line on a block
	tagPx  = 54.0 // the height that holds lines, and the tag of a neighbour
)

// A drawing is SVG that is being written.
type drawing struct {
	picture.Drawing
	height float64 // of a day
}

// svg returns all sheets, one below the other.
func svg(sheets []sheet) string {
	var body drawing
	y := margin
	for _, s := range sheets {
		y = body.sheet(s, y) + margin
	}
	if len(sheets) == 0 {
		body.Text(margin, y+20, "", "There is no week to draw.")
		y += 40
	}
	var d drawing
	d.Open(y, "What disruption budgets allow", description(sheets))
	d.Add("<style>\n%s</style>\n<defs>\n%s</defs>", style, patterns)
	d.Page(y)
	return d.String() + body.String() + "</svg>\n"
}

// description describes the picture in words.
func description(sheets []sheet) string {
	var texts []string
	for _, s := range sheets {
		for _, c := range s.charts {
			texts = append(texts, fmt.Sprintf("%s, %s, %s: %s.", picture.Short(s.pool.Name, longestName), s.dates(), c.title(), s.summary(c.spans, s.week)))
		}
	}
	return strings.Join(texts, " ")
}

// sheet draws a week of a pool from y on, and returns where it ends.
func (d *drawing) sheet(s sheet, y float64) float64 {
	d.Text(margin, y+20, "title", picture.Short(s.pool.Name, longestName))
	y += 40
	d.Text(margin, y, "faint", picture.Short(s.subtitle(), 170))
	y += line
	if text := s.broken(); text != "" {
		d.Text(margin, y, "broken", picture.Short(text, 160))
		y += line
	}
	for _, text := range s.notes() {
		d.Text(margin, y, "faint", picture.Short(text, 170))
		y += line
	}
	y = d.legend(s, y) + 12
	for _, c := range s.charts {
		d.Add(`<g transform="translate(0 %.1f)">`, y)
		y += d.chart(s, c)
		d.Add(`</g>`)
	}
	return y
}

// A key is an entry of the legend.
type key struct{ class, text string }

// keys are what there is to see in a sheet.
func (s sheet) keys() []key {
	var keys []key
	present := map[string]bool{}
	for _, c := range s.charts {
		for _, day := range c.days {
			for _, b := range day.blocks {
				present[s.class(b)] = true
			}
		}
	}
	if present["closed"] {
		keys = append(keys, key{"closed", "closed: no node may be disrupted"})
	}
	shades, texts := s.scale.legend(s.nodes)
	for i, shade := range shades {
		keys = append(keys, key{fmt.Sprintf("s%d", shade), texts[i]})
	}
	if present["unlimited"] {
		keys = append(keys, key{"unlimited", s.unlimited()})
	}
	for _, i := range s.pacing() {
		text := fmt.Sprintf("pace: at most %s (%s)", paceText(s.pool.Budgets.Budgets()[i]), s.pool.place(i))
		keys = append(keys, key{"pace", text})
	}
	if present["mixed"] {
		keys = append(keys, key{"mixed", "mixed: changes too often to be drawn"})
	}
	for _, c := range s.charts {
		for _, h := range s.holes(c) {
			mark := key{h.class(), fmt.Sprintf("%d: %s %s", h.number, h.finding.Severity, picture.Short(h.finding.Code, longestName))}
			if !slices.Contains(keys, mark) {
				keys = append(keys, mark)
			}
		}
	}
	return keys
}

// legend draws the keys, in as many lines as they take, and returns where they end.
func (d *drawing) legend(s sheet, y float64) float64 {
	x := margin
	for _, k := range s.keys() {
		wide := 30 + picture.TextWidth(k.text, 11) + 16
		if x > margin && x+wide > picture.Width {
			x, y = margin, y+18
		}
		d.swatch(k, x, y-6)
		d.Text(x+30, y+4, "", k.text)
		x += wide
	}
	return y + 18
}

func (d *drawing) swatch(k key, x, y float64) {
	if strings.HasPrefix(k.class, "mark-") {
		number, _, _ := strings.Cut(k.text, ":")
		d.Add(`<g class="mark %s"><circle cx="%.1f" cy="%.1f" r="6"/>`, k.class, x+12, y+6)
		d.Text(x+12, y+9.5, "number", number)
		d.Add("</g>")
		return
	}
	if k.class == "pace" {
		d.Add(`<rect class="pill" x="%.2f" y="%.2f" width="24" height="12"/>`, x, y)
		d.rail(x, y, 24, 12)
		return
	}
	d.box(k.class, "", x, y, 24, 12)
	if k.class == "unlimited" {
		d.border(x, y, 24, 12)
	}
}

// chart draws a week, and returns how high it is.
func (d *drawing) chart(s sheet, c chart) float64 {
	title, summary := picture.Short(c.title(), 100), s.summary(c.spans, s.week)
	if d.height = height; len(byAmount(c.spans)) == 1 {
		d.height = flat
	}
	d.Text(margin, 14, "reasons", title)
	y := above
	if picture.TextWidth(title, 16)+picture.TextWidth(summary, 11)+40 < right-margin {
		d.Text(right-space, 14, "faint end", summary)
	} else {
		d.Text(margin, 14+line, "faint", picture.Short(summary, 150))
		y += line
	}
	for i, day := range c.days {
		d.Text(left+(float64(i)+0.5)*column, y-6, "day mid", day.date.Format("Mon 2 Jan"))
	}
	d.Add(`<g transform="translate(0 %.1f)">`, y)
	for i, day := range c.days {
		d.day(s, day, left+float64(i)*column)
	}
	d.hours()
	d.Add(`<g class="over">`)
	for i, day := range c.days {
		d.labels(s, day, left+float64(i)*column)
	}
	d.Add("</g>")
	holes := s.holes(c)
	for i, day := range c.days {
		d.marks(holes, day, left+float64(i)*column)
	}
	d.Add("</g>")
	y += d.height + below
	for _, note := range c.notes(s.pool) {
		d.Text(left, y+4, "faint", picture.Short(note, 170))
		y += line
	}
	return y + below
}

// hours draws the lines and names of hours, over the blocks.
func (d *drawing) hours() {
	d.Add(`<g class="over">`)
	step := 3
	if d.height == flat {
		step = 24
	}
	for h := 0; h <= 24; h += step {
		y := d.at(time.Duration(h) * time.Hour)
		d.Text(left-7, y+4, "faint end", fmt.Sprintf("%02d:00", h))
		if 0 < h && h < 24 {
			d.Add(`<path class="grid" d="M%.1f %.1fH%.1f"/>`, left, y, right-space)
		}
	}
	d.Add(`</g>`)
}

// at returns how far down a time of day is.
func (d *drawing) at(t time.Duration) float64 { return d.height * float64(t) / float64(fullDay) }

// place returns where a block is, in a column at x.
func (d *drawing) place(b block, x float64) (left, top, wide, high float64) {
	wide = (column - space) / float64(b.lanes)
	return x + float64(b.lane)*wide, d.at(b.stretch.from), wide, d.at(b.length())
}

// class returns how a block looks.
func (s sheet) class(b block) string {
	switch n := b.parts[0].Nodes; {
	case b.mixed:
		return "mixed"
	case n == 0:
		return "closed"
	case n == budget.Unlimited:
		return "unlimited"
	default:
		return fmt.Sprintf("s%d", s.scale.shade(n))
	}
}

// day draws a column at x. What is thinner than a pixel comes last, so that it shows on what is next to it.
func (d *drawing) day(s sheet, day day, x float64) {
	for _, g := range day.gaps {
		d.Add(`<rect class="gap" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, x, d.at(g.from), column-space, d.at(g.to-g.from))
	}
	var slits []block
	for _, b := range day.blocks {
		left, top, wide, high := d.place(b, x)
		if high < 1 {
			slits = append(slits, b)
			continue
		}
		d.box(s.class(b), s.tip(b), left, top, wide, high)
		if high >= 4 && b.unlimited() {
			d.border(left, top, wide, high)
		}
		if high >= 4 && b.paced() {
			d.rail(left, top, wide, high)
		}
	}
	for _, b := range slits {
		left, top, wide, _ := d.place(b, x)
		d.box(s.class(b), s.tip(b), left, min(top, d.height-1), wide, 1)
	}
}

// box draws a block.
func (d *drawing) box(class, tip string, x, y, wide, high float64) {
	look, fill, more := "block", "", ""
	switch {
	case high < 4 && class == "unlimited":
		look, more = "thin", " slit"
	case high < 4:
		look = "thin"
	}
	if class[0] == 's' {
		more = " " + class
	} else if more == "" {
		fill = fmt.Sprintf(` fill="url(#%s)"`, class)
	}
	if tip != "" {
		tip = "<title>" + picture.Escaped(tip) + "</title>"
	}
	d.Add(`<rect class="%s%s"%s x="%.2f" y="%.2f" width="%.2f" height="%.2f">%s</rect>`, look, more, fill, x, y, wide, high, tip)
}

// border marks a block from the inside, on low ones less.
func (d *drawing) border(x, y, wide, high float64) {
	stroke := 2.5
	if high < 20 {
		stroke = 1.2
	}
	in := 0.5 + stroke/2
	d.Add(`<rect class="border" x="%.2f" y="%.2f" width="%.2f" height="%.2f" stroke-width="%.1f"/>`, x+in, y+in, wide-2*in, high-2*in, stroke)
}

// rail marks a block within which a pace holds: a dashed line along its right edge.
func (d *drawing) rail(x, y, wide, high float64) {
	d.Add(`<path class="bed" d="M%.2f %.2fV%.2f"/><path class="rail" d="M%.2[1]f %.2[2]fV%.2[3]f"/>`, x+wide-5, y+1, y+high-1)
}

// labels writes on the blocks of a column, as far as there is room.
func (d *drawing) labels(s sheet, day day, x float64) {
	for _, g := range day.gaps {
		if high := d.at(g.to - g.from); high >= least {
			d.Text(x+(column-space)/2, d.at(g.from)+high/2+4, "faint when", "skipped by the clock")
		}
	}
	for i, b := range day.blocks {
		left, top, wide, high := d.place(b, x)
		if high < least {
			d.tag(s, day, i, x)
			continue
		}
		y := top + high/2 + 4
		lines := s.lines(b, wide-6, max(1, int((high-2)/13)))
		y -= 6.5 * float64(len(lines)-1)
		class := "label"
		for _, text := range lines {
			if text != "" {
				d.Text(left+wide/2, y, class+" halo on-"+s.class(b), text)
			}
			class, y = "when", y+13
		}
	}
}

// lines are what is written on a block, at most so many and as far as they are narrow enough, the most important first.
func (s sheet) lines(b block, room float64, most int) []string {
	lines := []string{s.fitting(b, room)}
	if most == 1 && len(b.names) > 0 && s.class(b) == "closed" { // the pattern says so
		return []string{picture.Fitted(b.names[0], 12, room)}
	}
	const few = 3
	for i, name := range b.names {
		if i == few && len(b.names) > few+1 {
			lines = append(lines, picture.Fitted(fmt.Sprintf("and %d more", len(b.names)-i), 10, room))
			break
		}
		lines = append(lines, wrapped(name, 10, room, 2)...)
	}
	var more []string
	if b.mixed {
		all := totals(b.parts, b.span)
		more = append(more, amount(all[0].nodes, s.nodes)+" to "+amount(all[len(all)-1].nodes, s.nodes))
	}
	if b.paced() {
		more = append(more, s.paces(b.parts[0])...)
	}
	if when := b.when(); when != "" {
		more = append(more, when)
	}
	for _, text := range more {
		if picture.TextWidth(text, 10) > room {
			break
		}
		lines = append(lines, text)
	}
	return lines[:min(len(lines), most)]
}

// fitting returns the amount of a block, in a form for which there is room, if any.
func (s sheet) fitting(b block, room float64) string {
	text := amount(b.parts[0].Nodes, s.nodes)
	if b.mixed {
		text = "mixed"
	}
	if picture.TextWidth(text, 12) > room {
		text, _, _ = strings.Cut(text, " of ")
	}
	if picture.TextWidth(text, 12) > room {
		return ""
	}
	return text
}

// when returns the times of a block's span at which it begins or ends on this day: what midnight cuts off does not count.
func (b block) when() string {
	begins := b.stretch.from > 0 && b.parts[0].Start.Equal(b.span.from)
	ends := b.stretch.to < fullDay && b.parts[len(b.parts)-1].End.Equal(b.span.to)
	switch {
	case begins && ends:
		return hour(b.stretch.from) + "–" + hour(b.stretch.to)
	case begins:
		return "from " + hour(b.stretch.from)
	case ends:
		return "until " + hour(b.stretch.to)
	}
	return ""
}

// tag writes of a block that is too low for it on a neighbour that has the space.
func (d *drawing) tag(s sheet, day day, i int, x float64) {
	b := day.blocks[i]
	_, top, wide, high := d.place(b, x)
	var y float64
	switch {
	case b.lanes > 1:
		return
	case i+1 < len(day.blocks) && d.roomy(day.blocks[i+1], b.stretch.to):
		y = top + high + 1
	case i > 0 && d.roomy(day.blocks[i-1], b.stretch.from):
		y = top - 14
	default:
		return
	}
	text := hour(b.stretch.from) + "–" + hour(b.stretch.to) + " " + s.fitting(b, wide)
	if picture.TextWidth(text, 10) > wide-6 {
		text = hour(b.stretch.from) + " " + s.fitting(b, wide)
	}
	if picture.TextWidth(text, 10) > wide-6 {
		text = s.fitting(b, wide-6)
	}
	d.Add(`<rect class="pill" x="%.2f" y="%.2f" width="%.2f" height="13" rx="3"/>`, x+2, y, wide-4)
	d.Text(x+wide/2, y+10, "tag mid", text)
}

// roomy reports whether a block begins or ends at a time, and is high enough for a tag.
func (d *drawing) roomy(b block, t time.Duration) bool {
	return b.lanes == 1 && (b.stretch.from == t || b.stretch.to == t) && d.at(b.length()) >= tagPx
}
