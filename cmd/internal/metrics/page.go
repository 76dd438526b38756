package metrics

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// mostShown are how many lines of events the page shows.
const mostShown = 12

// A pageView is what the page shows, in words.
type pageView struct {
	For     string // the engine that it answers for
	At      string
	Read    string   // when that was read, for programs
	Stale   string   // why it is old; "": it is not
	Missing []string // what was not given
	Faults  []string // what is broken
	Rolls   *rollsView
	Turns   []turnView
	Week    calendar
	Blocked []blockerView
	Waiting int         // nodes that something blocks
	Events  []eventLine // the last first
	Earlier int         // lines that are not shown
}

// A blockerView is what blocks nodes.
type blockerView struct {
	tell.Cause
	Width float64 // of its bar, in percent of the longest
	Lifts string  // when time alone lifts the first of them; "": time lifts none
}

// mostFaults is how many the page shows.
const mostFaults = 8

// page returns a picture as HTML, with times in a zone.
func page(p picture, as engine.Engine, zone *time.Location) ([]byte, error) {
	at := tell.Clock{Now: p.report.At.In(zone)}
	v := pageView{For: as.Title(), At: at.Now.Format("Monday 2006-01-02, 15:04 MST"), Read: p.read.UTC().Format(time.RFC3339)}
	if p.stale != nil {
		v.Stale = fmt.Sprintf("This is old: since %s the cluster cannot be read: %s", p.stale.since.In(zone).Format("Mon 15:04:05 MST"), p.stale.why)
	}
	for _, m := range p.missing {
		v.Missing = append(v.Missing, m.Message)
	}
	for i, w := range p.faults {
		if i == mostFaults {
			v.Faults = append(v.Faults, fmt.Sprintf("and %d more; kubectl disruption decide lists them", len(p.faults)-i))
			break
		}
		v.Faults = append(v.Faults, w.Error())
	}
	v.Rolls, v.Turns, v.Week = rollsOf(p.rolled, at), p.turns(at), p.calendar(at)
	causes, waiting := tell.Blocked(p.in.Nodes, p.decisions)
	v.Waiting = waiting
	for _, c := range causes {
		v.Blocked = append(v.Blocked, blockerView{*c, 100 * float64(c.Nodes) / float64(causes[0].Nodes), at.Until(c.Lifts)})
	}
	v.Events = lines(p.events, at)
	if n := len(v.Events); n > mostShown {
		v.Events, v.Earlier = v.Events[:mostShown], n-mostShown
	}
	var text bytes.Buffer
	err := pageTemplate.Execute(&text, v)
	return text.Bytes(), err
}
