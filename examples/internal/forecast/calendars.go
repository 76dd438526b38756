package forecast

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/disruptkit/disruptkit/examples/ical"
	"github.com/disruptkit/disruptkit/examples/internal/engine"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/schedule"
)

// setCalendars reads the files of -calendar: "holidays.ics", which budgets call holidays, or "freeze=team.ics".
func (o *options) setCalendars(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if o.policy.As != engine.Disruptkit {
		return errors.New("-calendar has no effect in Karpenter, which has no calendars: write -as disruptkit")
	}
	o.calendars, o.policy.Calendars = map[string]ical.Calendar{}, map[string]schedule.Window{}
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if !named {
			path = arg
			name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		if _, twice := o.calendars[name]; twice || name == "" {
			return fmt.Errorf("-calendar %s: another calendar is called %q: write a name of its own, such as freeze=%s", quote.Text(arg), name, quote.Text(path))
		}
		calendar, err := o.readCalendar(path)
		if err != nil {
			return fmt.Errorf("-calendar %s: %w", quote.Text(arg), err)
		}
		o.calendars[name], o.policy.Calendars[name] = calendar, calendar.Window()
	}
	return nil
}

// readCalendar reads a file, with all that findings look at: a year from the start on.
func (o *options) readCalendar(path string) (ical.Calendar, error) {
	file, err := os.Open(path)
	if err != nil {
		return ical.Calendar{}, err
	}
	defer file.Close()
	last := o.from.AddDate(1, 0, 7)
	if o.to.After(last) {
		last = o.to
	}
	return ical.Read(file, ical.Options{Zone: o.zone.String(), From: o.from, To: last})
}

// events names what takes place within a span in the calendar of a budget: ": Christmas Day, New Year's Day". "" is nothing.
func (p *pool) events(i int, within schedule.Span) string {
	const few = 5
	names := p.calendars[p.budgets.Budgets()[i].Calendar].Names(within)
	if len(names) == 0 {
		return ""
	}
	for j := range names {
		names[j] = quote.Text(names[j])
	}
	if len(names) > few {
		names = append(names[:few], fmt.Sprintf("%d more", len(names)-few))
	}
	return ": " + strings.Join(names, ", ")
}
