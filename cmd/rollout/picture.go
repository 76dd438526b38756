package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/quote"
)

// The measures of the picture. It is made for the width of a README.
const (
	width    = 900
	left     = 98.0 // of the lanes
	right    = 884.0
	row      = 2.5  // the height of a node
	laneGap  = 9.0  // between the lanes of a panel
	panelGap = 58.0 // between panels: for a panel's title
	head     = 148.0
	foot     = 46.0
)

// A picture is the SVG of one or more rolls, one above the other, on one time scale.
type picture struct {
	strings.Builder
	*axis
	notes []func() // what is written over the bars
}

// writePicture draws rolls.
func writePicture(w io.Writer, rolls []*history) error {
	longest := slices.MaxFunc(rolls, func(a, b *history) int { return a.end().Compare(b.end()) })
	whole := span{longest.start, longest.end().Add(45 * time.Minute)}
	p := &picture{axis: newAxis(whole, longest.closed(), left, right)}
	bottom := head - panelGap
	for range rolls {
		bottom += panelGap + panelHeight()
	}
	p.open(rolls, bottom+foot)
	p.header(rolls[0])
	for i, h := range rolls {
		p.panel(h, head+float64(i)*(panelGap+panelHeight()))
	}
	p.times(bottom)
	p.WriteString("</svg>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

func panelHeight() float64 {
	height := -laneGap
	for _, z := range zoneSizes {
		height += row*float64(z.nodes) + laneGap
	}
	return height
}

// add writes an element, or a part of one.
func (p *picture) add(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// text writes a text. Attributes are as in SVG.
func (p *picture) text(x, y float64, attributes, text string) {
	if attributes != "" {
		attributes = " " + attributes
	}
	p.add(`<text x="%.1f" y="%.1f"%s>%s</text>`, x, y, attributes, escaped(text))
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(quote.Visible(text))) // a Builder takes everything
	return out.String()
}

// open begins the document: what it is called, how things look, and the page that it stands on.
func (p *picture) open(rolls []*history, height float64) {
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%[1]d" height="%.0[2]f" role="img" aria-labelledby="title desc">`, width, height)
	p.add(`<title id="title">%s</title>`, escaped(title(rolls[0])))
	p.add(`<desc id="desc">%s</desc>`, escaped(description(rolls)))
	p.WriteString(style)
	p.add(`<rect class="page" x="0.5" y="0.5" width="%d" height="%.0f" rx="6"/>`, width-1, height-1)
}

// A look is the colours of everything, on a light or a dark page.
type look struct {
	page, line, ink, faint string
	old, boot, drain, new  string // phases: each has a lightness of its own, so that they differ without colours, too
	closed, closedOpacity  string // when the window is closed
}

var (
	light = look{
		page: "#ffffff", line: "#d0d7de", ink: "#1f2328", faint: "#57606a",
		old: "#d8dde3", boot: "#101418", drain: "#b93c0a", new: "#86bae6",
		closed: "#24292f", closedOpacity: "0.14",
	}
	dark = look{
		page: "#0d1117", line: "#3d444d", ink: "#e6edf3", faint: "#9ba5b0",
		old: "#343b44", boot: "#f0f3f6", drain: "#ff9a5c", new: "#2f6ca8",
		closed: "#0d1117", closedOpacity: "0.45",
	}
)

func (l look) css() string {
	return strings.NewReplacer("PAGE", l.page, "LINE", l.line, "INK", l.ink, "FAINT", l.faint, "OLD", l.old, "BOOT", l.boot, "DRAIN", l.drain,
		"NEW", l.new, "CLOSED", l.closed, "OPACITY", l.closedOpacity).Replace(`text { fill: INK }
.small, .code, .wait { fill: FAINT }
.note { stroke: PAGE }
.page { fill: PAGE; stroke: LINE }
.old { stroke: OLD }
.boot, .frame, .down, .hatch-line { stroke: BOOT }
.drain { stroke: DRAIN }
.new { stroke: NEW }
.closed { fill: CLOSED; fill-opacity: OPACITY }
.break { stroke: PAGE }
.grid { stroke: INK }
.hatch-page { fill: PAGE }
`)
}

// style is light or dark, as the reader prefers, and light on paper.
var style = `<style>
text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; font-size: 11px }
.title { font-size: 20px; font-weight: bold }
.panel { font-size: 15px; font-weight: bold }
.zone { font-weight: bold }
.small { font-size: 11px }
.code { font-family: ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace; font-size: 10.5px }
.note { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round }
.wait { font-style: italic }
.end { text-anchor: end }
.mid { text-anchor: middle }
.bars path { fill: none; stroke-width: 2.1 }
.swatch { stroke-width: 9 }
.break { stroke-width: 3; fill: none }
.grid { stroke-opacity: 0.2; fill: none }
.frame { fill: none; stroke-width: 1.2 }
.down { fill: url(#hatch) }
.hatch-page { fill-opacity: 0.4 }
` + light.css() + "@media screen and (prefers-color-scheme: dark) {\n" + dark.css() + `}
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-page" width="6" height="6"/><path class="hatch-line" d="M0 0V6" stroke-width="2"/></pattern></defs>
`

func title(h *history) string {
	return fmt.Sprintf("Rolling %d drifted nodes in %d zones", len(h.slots), len(zoneSizes))
}

// description says what there is to see.
func description(rolls []*history) string {
	var texts []string
	for _, h := range rolls {
		texts = append(texts, h.title()+": "+h.claim()+".")
	}
	return strings.Join(texts, " ")
}

// claim is what a roll comes to.
func (h *history) claim() string {
	f := h.figures()
	text := "nodes are never in flight in more than one zone"
	if f.zonesAtOnce > 1 {
		text = fmt.Sprintf("nodes are in flight in up to %d zones, for %s in more than one", f.zonesAtOnce, length(f.shared))
	}
	return fmt.Sprintf("%s; %d zone changes; finished after %s", text, f.changes, length(f.took))
}

// header is what is above the panels.
func (p *picture) header(h *history) {
	p.text(18, 33, `class="title"`, title(h))
	p.text(18, 53, `class="small"`, fmt.Sprintf("Each row is a node and its replacement. %d at once, on weeknights from 22:00 to 06:00. "+
		"A simulation; disruptkit decides what starts.", limitNodes))
	x := 18.0
	swatch := func(element, text string, next float64) {
		p.add(element, x, 76.0)
		p.text(x+27, 80, "", text)
		x += next
	}
	bar := `<path class="swatch %s" d="M%%.1f %%.1fh22"/>`
	swatch(fmt.Sprintf(bar, "old"), "old node", 90)
	swatch(fmt.Sprintf(bar, "boot"), "replacement boots, NotReady", 206)
	swatch(fmt.Sprintf(bar, "drain"), "old node drains", 126)
	swatch(fmt.Sprintf(bar, "new"), "new node alone", 126)
	swatch(`<path class="down" d="M%.1f %.1fm0 -4.5h22v9h-22z"/>`, "zone not Ready", 122)
	closed := `<g transform="translate(%.1f %.1f)"><path class="swatch old" d="M0 0h11"/><path class="swatch new" d="M11 0h11"/>` +
		`<path class="closed" d="M0 -4.5h22v9h-22z"/><path class="break" d="M7 -6v12m8 0v-12"/></g>`
	swatch(closed, "window closed, drawn narrow", 0)
}

// panel draws one roll from y on.
func (p *picture) panel(h *history, y float64) {
	p.text(18, y-25, `class="panel"`, h.title())
	p.text(18, y-9, `class="small"`, h.claim())
	p.text(right, y-25, `class="code end"`, h.rule())
	top := y
	for _, z := range zoneSizes {
		p.lane(h, z.zone, y)
		y += row*float64(z.nodes) + laneGap
	}
	p.shades(top, y-laneGap)
	for _, note := range p.notes {
		note()
	}
	p.notes = nil
}

// rule is how the limit of a roll is written.
func (h *history) rule() string {
	b := h.budgets[1]
	text := fmt.Sprintf("nodes: %q", b.Nodes)
	if b.Sequential {
		text += ", topologyKey: " + b.TopologyKey + ", sequential: true"
	}
	return text
}

// lane draws the nodes of a zone.
func (p *picture) lane(h *history, zone string, y float64) {
	slots := h.byStart(zone)
	height := row * float64(len(slots))
	p.text(18, y+height/2-2, `class="zone"`, zone)
	p.text(18, y+height/2+12, `class="small"`, fmt.Sprintf("%d nodes", len(slots)))
	p.bars(slots, y)
	for i, s := range slots {
		y := y + row*(float64(i)+0.5)
		switch {
		case s.cutOff():
			p.note(func() { p.stuck(s, y) })
		case !s.begun():
			p.note(func() { p.stays(slots, y) })
		}
	}
	if h.sequential && p.x(slots[0].started)-left > 150 {
		p.note(func() { p.text(left+30, y+height/2+4, `class="wait"`, "waits for its turn") })
	}
	if h.outage.zone == zone && h.end().After(h.outage.from) {
		p.note(func() { p.outage(h, y, height) })
	}
}

func (p *picture) note(note func()) { p.notes = append(p.notes, note) }

// byStart returns the slots of a zone in the order in which they started. What stays comes last.
func (h *history) byStart(zone string) []slot {
	slots := append(h.started(), slices.DeleteFunc(slices.Clone(h.slots), slot.begun)...)
	return slices.DeleteFunc(slots, func(s slot) bool { return s.zone != zone })
}

// bars draws slots from y on: a path for each phase.
func (p *picture) bars(slots []slot, y float64) {
	var old, boot, drain, replaced strings.Builder
	for i, s := range slots {
		y := y + row*(float64(i)+0.5)
		bar := func(phase *strings.Builder, from, to float64) { fmt.Fprintf(phase, "M%.1f %.1fH%.1f", from, y, to) }
		if !s.begun() {
			bar(&old, left, p.end())
			continue
		}
		bar(&old, left, p.x(s.started))
		bar(&boot, p.x(s.started), p.x(s.ready))
		bar(&drain, p.x(s.ready), p.x(s.gone))
		bar(&replaced, p.x(s.gone), p.end())
	}
	p.add(`<g class="bars">`)
	p.add(`<path class="old" d="%s"/>`, &old)
	p.add(`<path class="new" d="%s"/>`, &replaced)
	p.add(`<path class="drain" d="%s"/>`, &drain)
	p.add(`<path class="boot" d="%s"/>`, &boot)
	p.add(`</g>`)
}

// stuck marks a drain that only the grace period ended.
func (p *picture) stuck(s slot, y float64) {
	from, to := p.x(s.ready), p.x(s.gone)
	text := fmt.Sprintf("stuck drain, ended by its grace period of %dh", gracePeriod/time.Hour)
	p.frame(from, to, y)
	if to < right-270 {
		p.text(to+6, y+4, `class="note"`, text)
	} else {
		p.text(from-20, y+10, `class="note end"`, text)
	}
}

// stays marks a node that is not replaced, from when on it is the last of its zone.
func (p *picture) stays(slots []slot, y float64) {
	from := left
	for _, s := range slots {
		if s.begun() {
			from = max(from, p.x(s.started))
		}
	}
	p.frame(from, p.end(), y)
	p.text(from-26, y, `class="note end"`, "do-not-disrupt: stays")
}

func (p *picture) frame(from, to, y float64) {
	p.add(`<rect class="frame" x="%.1f" y="%.1f" width="%.1f" height="5"/>`, from, y-2.5, to-from)
}

func (p *picture) outage(h *history, y, height float64) {
	from, to := p.x(h.outage.from), p.x(h.outage.to)
	p.add(`<rect class="down" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, from, y, to-from, height)
	text := "zone down: none in flight in the others"
	if n := h.figures().elsewhere; n > 0 {
		text = fmt.Sprintf("zone down: %d in flight in the others", n)
	}
	p.text(to+6, y+13, `class="note"`, text)
}

// shades draws when the window is closed, and the hours, over the lanes.
func (p *picture) shades(top, bottom float64) {
	for _, c := range p.closed {
		from, to := p.x(c.from), p.x(c.to)
		p.add(`<rect class="closed" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, from, top-4, to-from, bottom-top+8)
	}
	for _, t := range p.ticks() {
		p.add(`<path class="grid" d="M%.1f %.1fV%.1f"/>`, p.x(t), top-4, bottom+4)
	}
	for _, s := range p.stretches {
		if s.squeezed {
			x := (s.x0 + s.x1) / 2
			p.add(`<path class="break" d="M%.1f %.1fV%.1fM%.1f %.1[2]fV%.1[3]f"/>`, x-4, top-5, bottom+5, x+4)
		}
	}
}

// times draws the hours, and which night it is.
func (p *picture) times(y float64) {
	for _, t := range p.ticks() {
		p.text(p.x(t), y+17, `class="small mid"`, t.Format("15:04"))
	}
	for _, s := range p.stretches {
		if !s.squeezed {
			p.text((s.x0+s.x1)/2, y+34, `class="zone mid"`, s.from.Add(time.Hour).Format("Monday")+" night")
		}
	}
}
