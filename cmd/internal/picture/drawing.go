// Package picture writes SVG that needs nothing else: no script, no font, no style of elsewhere.
//
// A Drawing writes elements, and escapes all texts. What a text has space for is estimated, since readers have various fonts.
package picture

import (
	"fmt"
	"strings"
)

// The style that all pictures share, and what is other where the reader prefers dark pages.
const (
	light = `text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; font-size: 11px; fill: #1f2328 }
.title { font-size: 20px; font-weight: bold }
.head { font-size: 14px; font-weight: bold }
.bold { font-weight: bold }
.faint { fill: #57606a }
.mid { text-anchor: middle }
.end { text-anchor: end }
.page { fill: #fff; stroke: #d0d7de }
`
	dark = `text { fill: #e6edf3 }
.faint { fill: #9ba5b0 }
.page { fill: #0d1117; stroke: #3d444d }
`
)

// A Style is what a picture has on top of that.
type Style struct{ Light, Dark, Patterns string }

// Width is how wide pictures are, in pixels: they fit into a README, and on a page of paper.
const Width = 900

// A Drawing is markup that is being written.
type Drawing struct{ strings.Builder }

// Add writes an element, or a part of one, in a line of its own. Texts in it are to be escaped.
func (d *Drawing) Add(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// Text writes a text at a position. Class "" is none.
func (d *Drawing) Text(x, y float64, class, text string) {
	if class != "" {
		class = fmt.Sprintf(" class=%q", class)
	}
	d.Add(`<text%s x="%.1f" y="%.1f">%s</text>`, class, x, y, Escaped(text))
}

// Open begins a picture of a height on its paper, with a title and a description for those who do not see it.
func (d *Drawing) Open(height float64, title, description string, style Style) {
	d.Add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%[1]d" height="%.0[2]f" `+
		`role="img" aria-labelledby="title desc">`, Width, height)
	d.Add(`<title id="title">%s</title>`, Escaped(title))
	d.Add(`<desc id="desc">%s</desc>`, Escaped(description))
	d.Add("<style>\n%s@media screen and (prefers-color-scheme: dark) {\n%s}\n</style>", light+style.Light, dark+style.Dark)
	d.Add("<defs>%s</defs>", style.Patterns)
	d.Add(`<rect class="page" x="0.5" y="0.5" width="%d" height="%.0f" rx="6"/>`, Width-1, height-1)
}
