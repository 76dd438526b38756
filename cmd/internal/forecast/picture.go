package forecast

import (
	"io"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/timetable"
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
		if p.Expires.After <= 0 && slices.ContainsFunc(p.reasons, func(r candidate.Reason) bool { return r.Method() == candidate.Expired }) {
			note += " Karpenter consults no budget before it expires a node; this is for autoscalers that do."
		}
		y, m, d := r.from.Date()
		c := timetable.Pool{Name: p.title(r.pools), Note: note, Start: command.Day(y, m, d, r.zone), Nodes: p.nodes, Budgets: p.budgets}
		timelines, err := p.forecast(c.Start, command.Day(y, m, d+timetable.Days, r.zone))
		if err != nil {
			return err
		}
		for _, reason := range p.reasons {
			c.Weeks = append(c.Weeks, timetable.Week{Reason: reason, Segments: timelines[reason], Pauses: p.pausesOf(reason)})
		}
		drawn = append(drawn, c)
	}
	return timetable.SVG(w, drawn)
}
