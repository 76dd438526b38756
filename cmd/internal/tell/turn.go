package tell

import (
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// Turn describes when it is the turn of a domain, such as a zone, if domains take turns: "now", what ends that or comes first, "later", or "": it has
// nothing to go. When describes a time to come.
func Turn(s topology.Selection, d topology.Domain, when func(time.Time) string) string {
	switch {
	case !s.Sequential:
		return ""
	case s.Chosen && d.Name == s.Active:
		text := "now"
		if s.Gated {
			text += ", after " + wording.Quote(topology.Domain{Name: s.Gate}.String())
		} else if d.ToGo+d.Rolling == 0 {
			text += ", until it has settled"
		}
		if !s.GivesWay.IsZero() {
			text += ", gives way by " + when(s.GivesWay)
		}
		return text
	case d.Rolling > 0:
		return "finishes first"
	case d.ToGo > 0:
		return "later"
	}
	return ""
}
