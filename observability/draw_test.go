package observability

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
)

// The sizes of a picture, in pixels. Grafana has 24 columns on a wide page, too, and rows as high.
const (
	column = 50.0
	row    = 38.0
	gap    = 8.0
	small  = 12.0 // the size of most texts
)

// style has Grafana's colors, of its light and its dark theme. A curve has the class c0 and so on.
const style = `<style>
svg { --page: #f4f5f5; --panel: #ffffff; --edge: #e4e7e7; --text: #24292e; --dim: #63696f; --grid: #00000017; --green: #1a7f4b; --red: #d10e34 }
@media (prefers-color-scheme: dark) { svg { --page: #111217; --panel: #181b1f; --edge: #2c3235; --text: #ccccdc; --dim: #9a9ba8; --grid: #f0faff17; --green: #73bf69; --red: #f2495c } }
text { font: 12px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; fill: var(--text) }
.title { font-weight: bold; font-size: 13px } .dim { fill: var(--dim) } .end { text-anchor: end } .middle { text-anchor: middle }
.panel { fill: var(--panel); stroke: var(--edge) } .grid { stroke: var(--grid); fill: none }
.line { fill: none; stroke-width: 1.5 }
.c0 { --c: #73bf69 } .c1 { --c: #f2cc0c } .c2 { --c: #5794f2 } .c3 { --c: #ff780a } .c4 { --c: #f2495c }
.c5 { --c: #8ab8ff } .c6 { --c: #b877d9 } .c7 { --c: #37872d } .c8 { --c: #e0b400 } .c9 { --c: #1f60c4 }
</style>`

// A drawing is an SVG that is being written.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) text(x, y float64, class, text string) {
	d.add(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, html.EscapeString(text))
}

// wide estimates how wide a text is.
func wide(text string, size float64) float64 { return 0.55 * size * float64(len([]rune(text))) }

// fitted cuts a text down to what there is room for.
func fitted(text string, size, room float64) string {
	runes := []rune(text)
	if most := int(room / (0.55 * size)); len(runes) > most {
		return string(runes[:max(0, most-1)]) + "…"
	}
	return text
}

// draw draws a dashboard with the curves of each panel.
func draw(t *testing.T, b dashboard, curves map[int][]curve) string {
	t.Helper()
	bottom := 0
	for _, p := range b.Panels {
		bottom = max(bottom, p.GridPos.Y+p.GridPos.H)
	}
	d, w, h := &drawing{}, 24*column+gap, float64(bottom)*row+gap
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%[1]f" height="%[2]f" role="img" aria-label="%s">`, w, h, html.EscapeString(b.Title))
	d.add(`%s`, style)
	d.add(`<rect width="100%%" height="100%%" fill="var(--page)"/>`)
	for _, p := range b.Panels {
		x, y := float64(p.GridPos.X)*column+gap, float64(p.GridPos.Y)*row+gap
		a := area{x, y, float64(p.GridPos.W)*column - gap, float64(p.GridPos.H)*row - gap}
		d.add(`<rect class="panel" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2"/>`, a.x, a.y, a.w, a.h)
		d.text(a.x+10, a.y+20, "title", fitted(p.Title, 13, a.w-20))
		a = area{a.x + 10, a.y + 32, a.w - 20, a.h - 42}
		switch p.Type {
		case "stat":
			d.stat(t, p, curves[p.ID], a)
		case "timeseries":
			d.timeseries(t, p, curves[p.ID], a)
		default:
			t.Errorf("%s: a panel of type %q is not drawn", p.Title, p.Type)
		}
		if len(p.FieldConfig.Overrides) > 0 {
			t.Errorf("%s: overrides are not drawn", p.Title)
		}
	}
	d.add("</svg>")
	return d.String()
}

// An area is where something is drawn.
type area struct{ x, y, w, h float64 }

// stat draws the last value of each curve, beside each other, or one below the other where the panel is high.
func (d *drawing) stat(t *testing.T, p panel, curves []curve, a area) {
	across, down := len(curves), 1
	if a.h > a.w {
		across, down = 1, len(curves)
	}
	w, h := a.w/float64(max(1, across)), a.h/float64(max(1, down))
	for i, c := range curves {
		last := c.points[len(c.points)-1].F
		text, fill := said(t, p, last, -1), "var(--text)"
		if p.Options.ColorMode == "value" {
			for _, s := range p.FieldConfig.Defaults.Thresholds.Steps {
				if s.Value == nil || last >= *s.Value {
					fill = "var(--" + s.Color + ")"
				}
			}
		}
		x, y := a.x+w*float64(i%across)+w/2, a.y+h*float64(i/across)+h/2
		size := min(44, (w-8)/wide(text, 1), h/1.9)
		if len(curves) > 1 || p.Options.TextMode == "value_and_name" {
			d.text(x, y-size*0.55, "middle dim", fitted(c.name, small, w-4))
			y += size * 0.25
		}
		d.add(`<text class="middle" style="font-size: %.0fpx; fill: %s" x="%.1f" y="%.1f">%s</text>`, size, fill, x, y+size*0.35, html.EscapeString(text))
	}
}

// timeseries draws curves over time, and a legend below them.
func (d *drawing) timeseries(t *testing.T, p panel, curves []curve, a area) {
	if len(curves) == 0 {
		d.text(a.x+a.w/2, a.y+a.h/2, "middle dim", "No data")
		return
	}
	lines := 1
	for x, i := a.x, 0; i < len(curves); i++ { // the legend
		room := 24 + wide(curves[i].name, small)
		if x > a.x && x+room > a.x+a.w {
			x, lines = a.x, lines+1
		}
		x += room
	}
	bottom := a.y + a.h - float64(lines)*16
	x, y := a.x, bottom+14.0
	for i, c := range curves {
		room := 24 + wide(c.name, small)
		if x > a.x && x+room > a.x+a.w {
			x, y = a.x, y+16
		}
		d.add(`<path class="c%d" style="stroke: var(--c)" stroke-width="3" d="M%.1f %.1fh12"/>`, i%10, x, y-4)
		d.text(x+16, y, "", c.name)
		x += room
	}
	stacked := p.FieldConfig.Defaults.Custom.Stacking.Mode == "normal"
	below := make([][]promql.FPoint, len(curves)) // what each is drawn upon, where they are stacked
	sums := map[int64]float64{}
	least, most := math.Inf(1), math.Inf(-1)
	for i := range curves {
		for j, point := range curves[i].points {
			if stacked {
				below[i] = append(below[i], promql.FPoint{T: point.T, F: sums[point.T]})
				sums[point.T] += point.F
				curves[i].points[j].F = sums[point.T]
				least = min(least, 0)
			}
			least, most = min(least, curves[i].points[j].F), max(most, curves[i].points[j].F)
		}
	}
	ticks := axis(p, least, most, a.h-float64(lines)*16-20)
	low, high := ticks.low, ticks.high
	left, texts := 0.0, []string{}
	for _, v := range ticks.at {
		texts = append(texts, said(t, p, v, ticks.decimals))
		left = max(left, wide(texts[len(texts)-1], small))
	}
	plot := area{a.x + left + 8, a.y, a.w - left - 8, bottom - 20 - a.y}
	at := func(p promql.FPoint) (float64, float64) {
		return plot.x + plot.w*float64(p.T-from.UnixMilli())/float64(until.Sub(from).Milliseconds()), plot.y + plot.h*(high-p.F)/(high-low)
	}
	for i, v := range ticks.at {
		_, y := at(promql.FPoint{F: v})
		d.add(`<path class="grid" d="M%.1f %.1fh%.1f"/>`, plot.x, y, plot.w)
		d.text(plot.x-6, y+4, "end dim", texts[i])
	}
	between := 2 * time.Hour
	if plot.w < 450 {
		between = 4 * time.Hour
	}
	for moment := from.Truncate(between).Add(between); moment.Before(until); moment = moment.Add(between) {
		x, _ := at(promql.FPoint{T: moment.UnixMilli()})
		d.add(`<path class="grid" d="M%.1f %.1fv%.1f"/>`, x, plot.y, plot.h)
		d.text(x, plot.y+plot.h+15, "middle dim", moment.Format("15:04"))
	}
	for i, c := range curves {
		for _, part := range parts(c.points) {
			var path strings.Builder
			for j, point := range bends(part) {
				x, y := at(point)
				fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[j == 0], x, y)
			}
			if len(part) == 1 {
				x, y := at(part[0])
				d.add(`<circle class="c%d" style="fill: var(--c)" cx="%.1f" cy="%.1f" r="2"/>`, i%10, x, y)
				continue
			}
			if o := p.FieldConfig.Defaults.Custom.FillOpacity; o > 0 {
				floor := parts(below[i])
				edge := path.String()
				for _, f := range floor {
					if f[0].T == part[0].T {
						for _, point := range slices.Backward(bends(f)) {
							x, y := at(point)
							edge += fmt.Sprintf("L%.1f %.1f", x, y)
						}
					}
				}
				d.add(`<path class="c%d" style="fill: var(--c)" opacity="%.2f" d="%sz"/>`, i%10, o/100, edge)
			}
			d.add(`<path class="line c%d" style="stroke: var(--c)" d="%s"/>`, i%10, path.String())
		}
	}
}

// parts returns a curve without its gaps.
func parts(points []promql.FPoint) (all [][]promql.FPoint) {
	for i, p := range points {
		if i == 0 || p.T-points[i-1].T > every.Milliseconds() {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], p)
	}
	return all
}

// bends returns the points of a curve without those on a line between their neighbors.
func bends(points []promql.FPoint) (all []promql.FPoint) {
	for i, p := range points {
		if i == 0 || i == len(points)-1 || math.Abs(points[i-1].F+points[i+1].F-2*p.F) > 1e-6 {
			all = append(all, p)
		}
	}
	return all
}

// A scale is what the values of a panel are drawn along, with ticks.
type scale struct {
	low, high float64
	at        []float64
	decimals  int
}

// axis returns one as Grafana makes it: with a tenth of room at both ends, down to 0 where that is near, and with ticks of 1, 2, 2.5 or 5.
func axis(p panel, least, most, high float64) (s scale) {
	f := p.FieldConfig.Defaults
	room := (most - least) / 10
	if most == least {
		room = math.Abs(most)
	}
	s.low, s.high = least-room, most+room
	if least >= 0 && s.low < 0 {
		s.low = 0
	}
	if f.Min != nil {
		s.low = *f.Min
	}
	if s.high = max(s.high, f.Custom.AxisSoftMax); s.high == s.low {
		s.high = s.low + 100
	}
	spacing := 30.0
	if high <= 150 {
		spacing = 15
	}
	step := 0.0
	for mag := math.Pow(10, math.Floor(math.Log10((s.high-s.low)/1000))); step == 0 && mag < 1e15; mag *= 10 {
		for _, n := range []float64{1, 2, 2.5, 5} {
			whole := f.Decimals == nil || *f.Decimals > 0 || n*mag >= 1 && n*mag == math.Trunc(n*mag)
			if step == 0 && whole && n*mag/(s.high-s.low)*high >= spacing {
				step = n * mag
			}
		}
	}
	for ; step < 1 && s.decimals < 6 && math.Abs(step*math.Pow10(s.decimals)-math.Round(step*math.Pow10(s.decimals))) > 1e-9; s.decimals++ {
	}
	if step == 2.5 {
		s.decimals = 1
	}
	for v := math.Ceil(s.low/step) * step; v <= s.high+step/1e6; v += step {
		s.at = append(s.at, v)
	}
	return s
}

// said returns a value in the unit of a panel, with decimals, or with as many as it needs if that is below 0.
func said(t *testing.T, p panel, v float64, decimals int) string {
	t.Helper()
	number := func(v float64) string {
		if decimals > 0 {
			return strconv.FormatFloat(v, 'f', decimals, 64)
		}
		return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	}
	switch unit := p.FieldConfig.Defaults.Unit; {
	case unit == "dateTimeAsIso":
		return time.UnixMilli(int64(v)).UTC().Format("2006-01-02 15:04:05")
	case unit == "s":
		for _, u := range []struct {
			seconds float64
			name    string
		}{{604800, " weeks"}, {86400, " days"}, {3600, " hours"}, {60, " mins"}} {
			if math.Abs(v) >= u.seconds {
				return strconv.FormatFloat(math.Round(v/u.seconds*100)/100, 'f', -1, 64) + u.name
			}
		}
		return number(v) + " s"
	case unit == "short" || unit == "none":
		return number(v)
	case strings.HasPrefix(unit, "suffix:"):
		return number(v) + strings.TrimPrefix(unit, "suffix:")
	}
	t.Errorf("%s: the unit %q is not drawn", p.Title, p.FieldConfig.Defaults.Unit)
	return ""
}
