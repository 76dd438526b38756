package metrics

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// An eventLine is a line of the list of events: what happened to a pool at a time, for all reasons with the same to be
// said; or to one of its budgets, without reasons.
type eventLine struct{ When, Name, Pool, Reasons, Message string }

// lines returns the lines of events, the last first.
func lines(events []event, at tell.Clock) []eventLine {
	var all []eventLine
	for _, e := range events {
		l := eventLine{at.Day(e.At), e.Name, wording.Quote(e.Pool), wording.Quote(string(e.Reason)), general(e)}
		i := slices.IndexFunc(all, func(o eventLine) bool {
			return o.When == l.When && o.Name == l.Name && o.Pool == l.Pool && o.Message == l.Message
		})
		if i < 0 {
			all = append(all, l)
		} else {
			all[i].Reasons += ", " + l.Reasons
		}
	}
	slices.Reverse(all)
	return all
}

// general returns the message of an event without its reason, if it has one.
func general(e event) string {
	if e.Reason == "" {
		return e.Message
	}
	return strings.Replace(e.Message, " for "+string(e.Reason), "", 1)
}
