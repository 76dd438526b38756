package timetable

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const mostListed = 60 // spans of a week

// pageStyle is for the page around the pictures.
var pageStyle = `:root { color-scheme: light dark }
body { max-width: 960px; margin: 0 auto; padding: 16px; font-size: 15px; line-height: 1.45; ` + picture.Font + `;
  overflow-wrap: anywhere }
h1 { font-size: 24px } h2 { font-size: 21px; margin: 36px 0 4px } 
h3 { font-size: 17px; margin: 20px 0 6px }
p { margin: 4px 0 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: 5px 8px; border-width: 1px 0; border-style: solid }
th:first-child, td:first-child { min-width: 8em; width: 20% }
code { font-family: ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace; font-size: 0.92em }
ul.findings { list-style: none; padding: 0; margin: 0 }
.findings li { border: 1px solid; border-left-width: 6px; border-radius: 4px; padding: 6px 10px; margin: 8px 0; break-inside: avoid }
.severity { font-weight: bold; text-transform: uppercase; font-size: 0.85em; letter-spacing: 0.04em }
.findings .error { border-width: 2px 2px 2px 8px } .error .severity { padding: 1px 7px; border-radius: 3px }
.bad { font-weight: bold }
figure { margin: 12px 0; overflow-x: auto; break-inside: avoid }
figure svg { display: block; min-width: 880px; width: 100%; height: auto }
.key { display: inline-flex; align-items: center; margin: 0 16px 4px 0 }
.key svg { margin-right: 6px; flex: none }
details { margin: 0 0 20px } summary { cursor: pointer }
.lines { position: absolute }
@media print { figure svg { min-width: 0 } body { max-width: none; padding: 0 } }
` + light.pageCSS() + "@media screen and (prefers-color-scheme: dark) {\n" + dark.pageCSS() + "}\n"

func (l look) pageCSS() string {
	var out strings.Builder
	fmt.Fprintf(&out, "body { background: %s; color: %s }\n", l.page, l.ink)
	fmt.Fprintf(&out, ".quiet { color: %s }\n", l.faint)
	fmt.Fprintf(&out, "th, td, .findings li { border-color: %s }\n", l.line)
	fmt.Fprintf(&out, ".findings .warning { border-left-color: %s } .findings .error { border-color: %s; background: %s }\n", l.warning, l.bad, l.badTint)
	fmt.Fprintf(&out, ".warning .severity { color: %s } .error .severity { background: %s; color: %s }\n", l.warning, l.bad, l.page)
	fmt.Fprintf(&out, ".bad { color: %s } .broken-row td { background: %s } .broken-row code { text-decoration: %[1]s wavy underline }\n", l.bad, l.badTint)
	return out.String()
}

// page returns the page: the sheets of each pool are at the pool's position.
func page(pools []Pool, sheets [][]sheet) string {
	var d drawing
	d.OpenHTML("What disruption budgets allow", style+pageStyle)
	d.Add(`<svg xmlns="http://www.w3.org/2000/svg" class="lines" width="0" height="0" aria-hidden="true"><defs>`)
	d.Add("%s</defs></svg>", patterns)
	d.Add("<h1>What disruption budgets allow</h1>")
	if len(pools) == 0 {
		d.Add("<p>There is no pool to show.</p>")
	}
	for i := range pools {
		d.Add("<section>\n<h2>%s</h2>", picture.Escaped(picture.Short(pools[i].Name, longestFault)))
		d.budgets(pools[i])
		d.findings(pools[i], sheets[i])
		for _, s := range sheets[i] {
			d.pageSheet(s)
		}
		d.Add("</section>")
	}
	d.CloseHTML()
	return d.String()
}

// budgets writes the table of what a pool's budgets say.
func (d *drawing) budgets(p Pool) {
	d.Add("<h3>Budgets</h3>")
	list := p.Budgets.Budgets()
	if len(list) == 0 {
		d.Add("<p>There are none: nothing is limited.</p>")
		return
	}
	deciding := "The most restrictive active budget decides. While none is active, there is no limit."
	if p.Budgets.MostSpecific() {
		deciding = "The most specific active budgets decide. While none is active, there is no limit."
	}
	d.Add(`<p class="quiet">%s</p>`, deciding)
	d.Add("<table>\n<thead><tr><th scope=\"col\">Budget</th><th scope=\"col\">Nodes that may be disrupted at once</th></tr></thead>\n<tbody>")
	for i, b := range list {
		row := "<tr>"
		text := "<code>" + picture.Escaped(picture.Short(b.String(), longestFault)) + "</code>"
		switch {
		case p.Budgets.Broken().Has(i):
			row = `<tr class="broken-row">`
			text += ` <strong class="bad">invalid: it allows nothing</strong>`
		case b.Per != "":
			text += ` <span class="quiet">a pace: how many start, not how many are on their way at once</span>`
		case b.TopologyKey != "":
			text += ` <span class="quiet">not drawn: it limits single zones</span>`
		}
		d.Add("%s<td><code>%s</code></td><td>%s</td></tr>", row, picture.Escaped(picture.Short(p.Budgets.Place(i), longestFault)), text)
	}
	d.Add("</tbody>\n</table>")
}

// findings writes what Lint says of a pool's budgets, with times in the zone of its weeks.
func (d *drawing) findings(p Pool, sheets []sheet) {
	d.Add("<h3>Findings</h3>")
	if len(p.Findings) == 0 {
		d.Add("<p>None.</p>")
		return
	}
	d.Add("<ul class=\"findings\">")
	marked := marked(sheets)
	for i, f := range p.Findings {
		number := ""
		if marked[i+1] {
			number = fmt.Sprintf(`<span class="quiet">%d.</span> `, i+1)
		}
		class := ""
		if f.Severity == lint.SeverityError || f.Severity == lint.SeverityWarning {
			class = ` class="` + string(f.Severity) + `"`
		}
		d.Add(`<li%s><p>%s<span class="severity">%s</span> <code>%s</code> <span class="quiet">%s</span></p>`,
			class, number, picture.Escaped(string(f.Severity)), picture.Escaped(f.Code), picture.Escaped(p.concerned(f)))
		d.Add("<p>%s</p>", picture.Escaped(picture.Short(f.Message, longestFault)))
		if f.Advice != "" {
			d.Add("<p><strong>Instead:</strong> %s</p>", picture.Escaped(picture.Short(f.Advice, longestFault)))
		}
		if text := when(f, sheets); text != "" {
			d.Add(`<p class="quiet">%s</p>`, picture.Escaped(text))
		}
		d.Add("</li>")
	}
	d.Add("</ul>")
}

// marked returns the numbers of the findings that are marked in some chart.
func marked(sheets []sheet) map[int]bool {
	numbers := map[int]bool{}
	for _, s := range sheets {
		for _, c := range s.charts {
			for _, h := range s.holes(c) {
				numbers[h.number] = true
			}
		}
	}
	return numbers
}

// concerned names the budgets and the reason of a finding.
func (p Pool) concerned(f lint.Finding) string {
	var of []string
	for i := range f.Budgets.All() {
		of = append(of, p.place(i))
	}
	if f.Reason != "" {
		of = append(of, named(f.Reason))
	}
	return strings.Join(of, ", ")
}

// when returns the time of a finding, in the zone of the weeks; UTC if there are none. All time is no text.
func when(f lint.Finding, sheets []sheet) string {
	const layout = "Mon 2 Jan 2006 15:04"
	from, to := f.Span.Start, f.Span.End
	if len(sheets) > 0 {
		zone := sheets[0].week.from.Location()
		from, to = from.In(zone), to.In(zone)
	} else {
		from, to = from.UTC(), to.UTC()
	}
	switch {
	case from.IsZero() && to.IsZero():
		return ""
	case from.IsZero():
		return "until " + zoned(to, layout)
	case to.IsZero():
		return "from " + zoned(from, layout) + " on"
	}
	return "from " + zoned(from, layout) + " to " + zoned(to, layout)
}

// pageSheet writes a week: what it is, its legend, and the charts.
func (d *drawing) pageSheet(s sheet) {
	d.Add("<h3>%s</h3>", picture.Escaped(s.dates()+", "+s.zone()))
	nodes := "Of " + wording.Count(s.nodes, "node") + "."
	if text := s.broken(); text != "" {
		d.Add(`<p class="bad">%s</p>`, picture.Escaped(text))
	}
	for _, text := range append([]string{nodes}, s.notes()...) {
		d.Add(`<p class="quiet">%s</p>`, picture.Escaped(text))
	}
	d.Add("<p>")
	for _, k := range s.keys() {
		d.Add(`<span class="key"><svg xmlns="http://www.w3.org/2000/svg" width="24" height="12" aria-hidden="true">`)
		d.swatch(k, 0, 0)
		d.Add("</svg>%s</span>", picture.Escaped(k.text))
	}
	d.Add("</p>")
	for _, c := range s.charts {
		d.figure(s, c)
	}
}

// figure writes a chart, and its spans as a list: for those who have no pointer, or do not see the picture.
func (d *drawing) figure(s sheet, c chart) {
	var body drawing
	high := body.chart(s, c)
	d.Add(`<figure tabindex="0" role="group" aria-label="%s">`, picture.Escaped(c.title()+": "+s.summary(c.spans, s.week)))
	d.Add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%[1]d" height="%.0[2]f">`, picture.Width, high)
	d.Add("%s</svg>\n</figure>", body.String())
	d.Add("<details><summary>%s, as a list</summary>\n<ul>", picture.Escaped(c.title()))
	for i, p := range c.spans {
		if i == mostListed && len(c.spans) > mostListed+1 {
			d.Add("<li>and %d more</li>", len(c.spans)-i)
			break
		}
		d.Add("<li>%s</li>", picture.Escaped(s.told(p, c.pauses)))
	}
	d.Add("</ul>\n</details>")
}
