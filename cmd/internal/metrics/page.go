package metrics

import (
	"bytes"
	_ "embed"
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
	Refresh int    // in seconds; 0: it does not
	For     string // the engine that it answers for
	At      string
	Missing []string // what was not given
	Pools   []poolView
	Groups  []nodeGroup
	Events  []eventLine // the last first
	Earlier int         // lines that are not shown
}

// page returns a picture as HTML, with times in a zone.
func page(p picture, as engine.Engine, zone *time.Location, refresh int) ([]byte, error) {
	at := clock{p.report.At.In(zone)}
	v := pageView{Refresh: refresh, For: as.Title(), At: at.now.Format("Monday 2006-01-02, 15:04 MST")}
	for _, m := range p.missing {
		v.Missing = append(v.Missing, m.Message)
	}
	for i := range p.report.Pools {
		v.Pools = append(v.Pools, p.pool(&p.report.Pools[i], at))
	}
	v.Groups = groups(p.report.Nodes, p.unsure, at)
	v.Events = lines(p.events, at)
	if n := len(v.Events); n > mostShown {
		v.Events, v.Earlier = v.Events[:mostShown], n-mostShown
	}
	var text bytes.Buffer
	err := pageTemplate.Execute(&text, v)
	return text.Bytes(), err
}

// A clock shows times as seen from now, in its zone.
type clock struct{ now time.Time }

// day returns the weekday and the time, or the date.
func (c clock) day(t time.Time) string { return tell.Day(t, c.now) }

// until returns "until Fri 17:00".
func (c clock) until(t time.Time) string {
	if t.IsZero() {
		return "no scheduled change"
	}
	return "until " + c.day(t)
}
