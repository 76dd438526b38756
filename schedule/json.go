package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A written window is the JSON of a Window: one of a schedule, dates, several windows of which any is open, and what is
// outside of one. Without any of them it is always open.
type written struct {
	Schedule string    `json:"schedule,omitzero"` // with Duration and TimeZone; see Parse
	Duration string    `json:"duration,omitzero"`
	TimeZone string    `json:"timeZone,omitzero"`
	Dates    []named   `json:"dates,omitzero"` // see Events and Dates
	Any      *[]Window `json:"any,omitzero"`   // see Union; none: it is never open
	Outside  *Window   `json:"outside,omitzero"`
}

// A named is a Span, or an Event if it has a name.
type named struct {
	Name  string    `json:"name,omitzero"`
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

// MarshalJSON returns the JSON of the window, such as {"schedule": "0 9 * * mon-fri", "duration": "8h", "timeZone":
// "Europe/Berlin"}. A window of [ParseKarpenter] has none: write down what it was parsed from.
func (w Window) MarshalJSON() ([]byte, error) {
	var j written
	switch {
	case w.w == nil:
	case w.w.recurrence != nil:
		before, zone := cutLast(w.w.text, ", ")
		r := w.w.recurrence
		j.Schedule, _ = cutLast(before, " for ")
		j.Duration = wording.Duration(time.Duration(r.seconds)*time.Second + time.Duration(r.nanos))
		j.TimeZone = zone
	case w.w.dates != nil:
		j.Dates = w.w.dates.written()
	case w.w.periodic != nil:
		return nil, errors.New("a window of Karpenter's dialect has no JSON: write the budget that it belongs to")
	case w.w.complement:
		j.Outside = &w.w.parts[0]
	default:
		parts := append([]Window{}, w.w.parts...)
		j.Any = &parts
	}
	return json.Marshal(j)
}

func cutLast(s, separator string) (before, after string) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i+len(separator):]
}

// UnmarshalJSON reads what MarshalJSON writes. Whatever is wrong is an error, and the window is then never open.
func (w *Window) UnmarshalJSON(data []byte) error {
	read, err := readWindow(data)
	if err != nil {
		read = never
	}
	*w = read
	return err
}

func readWindow(data []byte) (Window, error) {
	var j written
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&j); err != nil {
		return never, fmt.Errorf(`a window: %w: write one such as {"schedule": "0 9 * * mon-fri", "duration": "8h"}`,
			err)
	}
	kinds := 0
	for _, has := range []bool{j.Schedule+j.Duration+j.TimeZone != "", j.Dates != nil, j.Any != nil, j.Outside != nil} {
		if has {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return never, fmt.Errorf("the window %s is of several kinds: write one of schedule, dates, any and outside",
			wording.JSON(data, 200))
	case j.Any != nil:
		return Union(*j.Any...), nil
	case j.Outside != nil:
		return j.Outside.Outside(), nil
	case j.Dates != nil:
		return windowOn(j.Dates), nil
	case kinds == 0:
		return Window{}, nil
	}
	d, err := time.ParseDuration(j.Duration)
	if err != nil {
		return never, fmt.Errorf("the duration %q of the window is none: write one such as 8h", j.Duration)
	}
	return Parse(j.Schedule, d, j.TimeZone)
}

// written returns the spans of the window, and the events that it is made of.
func (d *dates) written() []named {
	all := []named{}
	for _, s := range d.spans {
		all = append(all, named{"", s.Start, s.End})
	}
	for _, of := range d.events {
		for _, e := range of {
			all = append(all, named{e.Name, e.Start, e.End})
		}
	}
	return all
}

func windowOn(all []named) Window {
	events := make([]Event, len(all))
	for i, d := range all {
		events[i] = Event{d.Name, Span{d.Start, d.End}}
	}
	return Events(events...)
}
