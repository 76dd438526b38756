package forecast

import (
	"io"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/timetable"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// printSVG draws the seven days from the one on which the forecast begins, for each reason.
func printSVG(w io.Writer, r report) error {
	var drawn []timetable.Pool
	for _, p := range r.pools {
		note := p.As.Title()
		if r.form {
			note = "For " + p.As.Phrase() + "."
		}
		if expiry := p.expiry(r.zone); expiry != "" {
			note += " " + expiry + "."
		}
		c := timetable.Pool{Name: wording.Quote(p.Name), Note: note, Nodes: p.nodes, Budgets: p.budgets,
			AsksToExpire: p.Expires.After > 0}
		y, m, d := r.from.Date()
		start := command.Day(y, m, d, r.zone)
		timelines, err := p.forecast(start, start.AddDate(0, 0, 7))
		if err != nil {
			return err
		}
		for _, reason := range p.reasons {
			c.Weeks = append(c.Weeks, timetable.Week{Reason: reason, Start: start, Segments: timelines[reason], Pauses: p.pausesOf(reason)})
		}
		for _, f := range p.findings {
			c.Findings = append(c.Findings, f.Finding)
		}
		drawn = append(drawn, c)
	}
	return timetable.SVG(w, drawn)
}
