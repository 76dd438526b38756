package planner

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/plan"
)

// printHTML prints a page: the picture and tables of pools, of changes and of nodes that are blocked or late.
func printHTML(w io.Writer, r report) error {
	d := &drawing{}
	p := r.plans[0].plan
	d.OpenHTML(r.headline(), style+pageStyle)
	d.Add("<h1>%s</h1>", picture.Escaped(r.headline()))
	d.paragraph(r.first())
	for _, m := range r.missing {
		d.Add(`<p class="missing">%s</p>`, picture.Escaped(m.Sentence()))
	}
	if risk := r.risk(); risk != "" {
		d.paragraph("Main risk: " + risk + ".")
	}
	d.paragraph(r.plans[0].runs.text())
	d.paragraph(r.shown)
	if len(p.Nodes) > 0 {
		d.paragraph(subtitle(r.plans))
		d.Add("<figure>")
		d.picture(r, false)
		d.Add("</figure>")
	}
	for _, of := range r.plans {
		if len(r.plans) > 1 {
			d.Add("<h2>%s: %s</h2>", picture.Escaped(of.title), picture.Escaped(ending(of.plan, of.runs.finish)))
		}
		d.pools(of)
	}
	d.needed(r.needed)
	d.trials(r.tried())
	for _, of := range r.plans {
		suffix := r.suffix(of)
		d.late(of.plan, suffix)
		d.held(of.plan, suffix)
	}
	d.Add("<h2>Assumed</h2>\n<ul>")
	for _, text := range assumed(r.plans) {
		d.Add("<li>%s</li>", picture.Escaped(text))
	}
	d.Add("</ul>")
	d.CloseHTML()
	_, err := io.WriteString(w, d.String())
	return err
}

// paragraph writes a text, if there is one.
func (d *drawing) paragraph(text string) {
	if text != "" {
		d.Add("<p>%s</p>", picture.Escaped(text))
	}
}

// table writes a table; numbers are the columns that are aligned to the right.
func (d *drawing) table(head []string, numbers string, rows [][]string) {
	class := func(i int) string {
		switch {
		case strings.Contains(numbers, fmt.Sprint(i)):
			return ` class="number"`
		case slices.Contains([]string{"Zone", "First start", "Done by", "Deadline", "Gone"}, head[i]):
			return ` class="short"` // what has hyphens or spaces, and is read as one word: a phone scrolls instead
		}
		return ""
	}
	d.Add("<div class=\"scroll\">\n<table>\n<thead><tr>")
	for i, cell := range head {
		d.Add(`<th scope="col"%s>%s</th>`, class(i), picture.Escaped(cell))
	}
	d.Add("</tr></thead>\n<tbody>")
	for _, row := range rows {
		d.Add("<tr>")
		for i, cell := range row {
			d.Add("<td%s>%s</td>", class(i), picture.Escaped(cell))
		}
		d.Add("</tr>")
	}
	d.Add("</tbody>\n</table>\n</div>")
}

// pools writes what is done when in each pool and zone, and where its time goes.
func (d *drawing) pools(of planned) {
	p := of.plan
	for _, pool := range p.Pools {
		head, numbers := []string{"Zone", "Reason", "Nodes", "Done", "Never", "Open", "First start", "Done by"}, "2345"
		if pool.Late > 0 {
			head, numbers = append(head, "Late"), numbers+"8"
		}
		d.Add("<h3>%s: %s</h3>", picture.Escaped(poolTitle(pool.Name)), picture.Escaped(poolEnding(of, pool)))
		var rows [][]string
		for _, g := range p.Groups {
			if g.Pool == pool.Name {
				row := []string{zoneTitle(g.Zone), string(g.Reason), fmt.Sprint(g.Nodes), fmt.Sprint(g.Done + g.OnlyExpire),
					fmt.Sprint(g.Never), fmt.Sprint(g.ToGo), firstStart(g), orNever(g.Finish)}
				if pool.Late > 0 {
					row = append(row, fmt.Sprint(g.Late))
				}
				rows = append(rows, row)
			}
		}
		d.table(head, numbers, rows)
		if text := atOnce(p, pool.Name, lanesOf(lanes(p), pool.Name)); text != "" {
			d.paragraph(sentenceCase(text) + ".")
		}
		rows = nil
		for _, w := range pool.Clock {
			rows = append(rows, []string{display.Rough(w.For), said(w)})
		}
		if len(rows) > 0 {
			d.table([]string{"Time", "Spent for"}, "0", rows)
		}
	}
}

// firstStart describes when the first node of a group starts.
func firstStart(g plan.Group) string {
	if g.Start.IsZero() && g.Done > 0 {
		return "in flight"
	}
	return orNever(g.Start)
}

// trials writes what would help.
func (d *drawing) trials(all []plan.Trial) {
	if len(all) == 0 {
		return
	}
	d.Add("<h2>What would help most</h2>")
	for _, h := range best(all) {
		var rows [][]string
		for _, t := range h.trials {
			rows = append(rows, []string{t.Change, t.Comparison.String()})
		}
		d.Add("<h3>%s</h3>", picture.Escaped(sentenceCase(h.title)))
		d.table([]string{"If", "Then"}, "", rows)
	}
}

const mostListed = 200 // nodes

// late writes which nodes miss their deadlines.
func (d *drawing) late(p plan.Plan, suffix string) {
	var rows [][]string
	for _, n := range late(p) {
		rows = append(rows, []string{n.Name, n.Pool, zoneTitle(n.Zone), day(n.Deadline), day(n.Gone), display.Rough(n.LateBy())})
	}
	d.nodes("Gone after their deadline"+suffix, []string{"Node", "Pool", "Zone", "Deadline", "Gone", "Late by"}, "5", rows)
}

// held writes which nodes are not done, and why.
func (d *drawing) held(p plan.Plan, suffix string) {
	var rows [][]string
	for _, n := range p.Nodes {
		if n.Outcome != plan.Done {
			rows = append(rows, []string{n.Name, n.Pool, zoneTitle(n.Zone), string(n.Reason), string(n.Outcome), why(n)})
		}
	}
	d.nodes("Not done"+suffix, []string{"Node", "Pool", "Zone", "Reason", "", "Why"}, "", rows)
}

// nodes writes a table of the first of some nodes, under a title, and how many more there are.
func (d *drawing) nodes(title string, head []string, numbers string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	d.Add("<h2>%s</h2>", picture.Escaped(title))
	d.table(head, numbers, rows[:min(len(rows), mostListed)])
	if len(rows) > mostListed {
		d.Add("<p>and %d more</p>", len(rows)-mostListed)
	}
}

func sentenceCase(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// pageStyle is for the page around the picture.
const pageStyle = `:root { color-scheme: light dark }
body { max-width: 960px; margin: 0 auto; padding: 16px; font-size: 15px; line-height: 1.45; ` + picture.Font + `;
  overflow-wrap: anywhere; background: #fff; color: #1f2328 }
h1 { font-size: 24px } h2 { font-size: 20px; margin: 32px 0 4px } h3 { font-size: 16px; margin: 20px 0 6px }
table { border-collapse: collapse; width: 100%; margin: 0 0 12px; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: 4px 8px; border-bottom: 1px solid #d0d7de; overflow-wrap: break-word }
.number { text-align: right; white-space: nowrap; width: 5em }
.short { white-space: nowrap }
.scroll { overflow-x: auto }
@media (max-width: 640px) { th, td { padding: 3px 5px; font-size: 13px } .number { width: auto } }
.missing { border-left: 6px solid #bf8700; padding-left: 10px }
figure { margin: 12px 0; overflow-x: auto }
figure svg { display: block; min-width: 880px; width: 100%; height: auto }
@media screen and (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } th, td { border-color: #3d444d } }
@media print { figure svg { min-width: 0 } body { max-width: none; padding: 0 } }
`
