package timetable

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/internal/picture"
)

// A look is the colours of everything, in light or dark. Texts stand out from all that is below them, lines of patterns
// included, and shades differ in lightness, so that they also do on paper and for those who see no colours.
type look struct {
	page, ink, faint, line string
	bad, warning           string // errors and what is broken, and warnings
	shades                 [shades]fill
	closed, mixed          pattern
	unlimited              pattern
}

type fill struct{ color, ink string }

// A pattern is what is drawn with lines on it. Border is that of blocks; "" is none.
type pattern struct{ color, line, ink, border string }

var light = look{
	page: "#ffffff", ink: "#1f2328", faint: "#57606a", line: "#d0d7de",
	bad: "#a3122a", warning: "#8a4600",
	shades:    [shades]fill{{"#dcebf9", "#1f2328"}, {"#a9cfee", "#1f2328"}, {"#6fadde", "#1f2328"}, {"#2a6fae", "#ffffff"}, {"#0a3263", "#ffffff"}},
	closed:    pattern{color: "#ffffff", line: "#b4bac2", ink: "#1f2328"},
	mixed:     pattern{color: "#f3eefc", line: "#b7a3d9", ink: "#1f2328"},
	unlimited: pattern{color: "#ffe2a8", line: "#d99a26", ink: "#1f2328", border: "#6b3d00"},
}

var dark = look{
	page: "#0d1117", ink: "#e6edf3", faint: "#9ba5b0", line: "#3d444d",
	bad: "#ff8f8a", warning: "#ffc14d",
	shades:    [shades]fill{{"#12305a", "#ffffff"}, {"#1d4f8c", "#ffffff"}, {"#4a8fd0", "#0d1117"}, {"#8cbdea", "#0d1117"}, {"#d6e8fa", "#0d1117"}},
	closed:    pattern{color: "#0d1117", line: "#484f58", ink: "#ffffff"},
	mixed:     pattern{color: "#241b38", line: "#5d4b85", ink: "#ffffff"},
	unlimited: pattern{color: "#4d3300", line: "#8a5f0a", ink: "#ffffff", border: "#ffc14d"},
}

// style is for the picture.
var style = "text { " + picture.Font + `; font-size: 11px }
.title { font-size: 20px; font-weight: bold }
.reasons { font-size: 14px; font-weight: bold }
.day, .label { font-weight: bold }
.label, .when { text-anchor: middle }
.when, .tag { font-size: 10px }
.end { text-anchor: end }
.mid { text-anchor: middle }
.over { pointer-events: none }
.halo { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round }
.block { stroke-width: 1 }
.thin { stroke: none }
.border { fill: none; pointer-events: none }
.broken { font-weight: bold }
.mark { stroke-width: 1 }
.number { font-size: 10px; font-weight: bold; text-anchor: middle; stroke: none }
.gap { fill: none; stroke-dasharray: 2 3 }
.grid { fill: none; stroke-opacity: 0.28 }
.bed { stroke-width: 5; pointer-events: none } .rail { stroke-width: 3; stroke-dasharray: 3 4; pointer-events: none }
` + light.css() + "@media screen and (prefers-color-scheme: dark) {\n" + dark.css() + "}\n"

func (l look) css() string {
	var out strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	add("text { fill: %s }", l.ink)
	add(".faint { fill: %s }", l.faint)
	add(".page, .pill { fill: %s; stroke: %s }", l.page, l.line)
	add(".block { stroke: %s }", l.page)
	add(".gap { stroke: %s }", l.faint)
	add(".grid { stroke: %s }", l.faint)
	add(".bed { stroke: %s } .rail { stroke: %s }", l.page, l.ink)
	for i, s := range l.shades {
		add(".s%d { fill: %s } .on-s%[1]d { fill: %[3]s; stroke: %[2]s }", i, s.color, s.ink)
	}
	for name, p := range l.patterns() {
		add(".%s-fill { fill: %s } .%[1]s-line { stroke: %[3]s } .on-%[1]s { fill: %[4]s; stroke: %[2]s }", name, p.color, p.line, p.ink)
	}
	add(".broken { fill: %s }", l.bad)
	add(".mark { stroke: %s } .number { fill: %[1]s }", l.page)
	add(".mark-error { fill: %s } .mark-warning { fill: %s } .mark-info { fill: %s }", l.bad, l.warning, l.faint)
	add(".border { stroke: %s } .slit { fill: %[1]s }", l.unlimited.border)
	return out.String()
}

// patterns yields the patterns by the names of their classes, in one order.
func (l look) patterns() func(yield func(string, pattern) bool) {
	return func(yield func(string, pattern) bool) {
		_ = yield("closed", l.closed) && yield("mixed", l.mixed) && yield("unlimited", l.unlimited)
	}
}

// patterns are the lines: slanted for closed, dots for unlimited, level for mixed.
const patterns = `<pattern id="closed" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="closed-fill" width="6" height="6"/><path class="closed-line" d="M1 0V6" stroke-width="1.6"/></pattern>
<pattern id="unlimited" width="7" height="7" patternUnits="userSpaceOnUse"><rect class="unlimited-fill" width="7" height="7"/><path class="unlimited-line" d="M2 2h0M5.5 5.5h0" stroke-width="2.2" stroke-linecap="round"/></pattern>
<pattern id="mixed" width="8" height="4" patternUnits="userSpaceOnUse"><rect class="mixed-fill" width="8" height="4"/><path class="mixed-line" d="M0 1H8" stroke-width="1.3"/></pattern>
`
