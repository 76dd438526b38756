package manifest

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// ReadCalendars reads the files of --calendar, with events from a time on, for a year and a week, and until an end that is later:
// all that lint looks at. Whole days are those of a zone, or else of the zone that a file names.
func (p *Policy) ReadCalendars(zone string, from, end time.Time) error {
	p.Now = from
	if last := from.AddDate(1, 0, 7); last.After(end) {
		end = last
	}
	p.Calendars, p.calendarNotes = nil, nil
	for _, arg := range p.calendarFiles {
		name, path, named := strings.Cut(arg, "=")
		if !named {
			path = arg
			name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		if name == "" {
			return fmt.Errorf("--calendar %s: it has no name: write one, such as freeze=%s", wording.Quote(arg), wording.Quote(path))
		}
		if _, twice := p.Calendars[name]; twice {
			return fmt.Errorf("--calendar %s: another calendar is called %q: write a name of its own, such as freeze=%s", wording.Quote(arg), name, wording.Quote(path))
		}
		calendar, err := ical.ReadFile(command.Path(path), ical.Options{Zone: zone, From: from, To: end})
		if err != nil {
			return fmt.Errorf("--calendar %s: %w", wording.Quote(arg), err)
		}
		if p.Calendars == nil {
			p.Calendars = map[string]schedule.Window{}
		}
		p.Calendars[name] = calendar.Window()
		for _, warning := range calendar.Warnings {
			p.calendarNotes = append(p.calendarNotes, fmt.Sprintf("--calendar %s: %s", wording.Quote(arg), warning))
		}
	}
	return nil
}

// CalendarNotes say which events of the files of --calendar other programs may read otherwise.
func (p Policy) CalendarNotes() []string { return p.calendarNotes }
