package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A window is a schedule.Window. Its JSON is one of a schedule, dates, several windows one of which is open, and what
// is outside of one. Without any of them it is always open.
type window schedule.Window

type writtenWindow struct {
	Schedule string      `json:"schedule,omitzero"` // with Duration and TimeZone; see schedule.Parse
	Duration string      `json:"duration,omitzero"`
	TimeZone string      `json:"timeZone,omitzero"`
	Dates    []namedSpan `json:"dates,omitzero"` // see schedule.Events
	Any      *[]window   `json:"any,omitzero"`   // none: it is never open
	Outside  *window     `json:"outside,omitzero"`
}

type namedSpan struct {
	Name  string    `json:"name,omitzero"`
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

func (w window) MarshalJSON() ([]byte, error) {
	of := schedule.Window(w)
	var j writtenWindow
	switch parts, outside := of.Parts(); {
	case of == schedule.Window{}:
	case outside:
		j.Outside = (*window)(&parts[0])
	case len(parts) > 0 || of == schedule.Union():
		of := append([]window{}, each(parts, func(w schedule.Window) window { return window(w) })...)
		j.Any = &of
	case strings.Contains(of.String(), " for "): // a recurrence
		var before string
		before, j.TimeZone = cutLast(of.String(), ", ")
		j.Schedule, j.Duration = cutLast(before, " for ")
	default:
		j.Dates = datesOf(of)
	}
	return json.Marshal(j)
}

func cutLast(s, separator string) (before, after string) {
	i := strings.LastIndex(s, separator)
	return s[:i], s[i+len(separator):]
}

// datesOf returns the spans of a window of dates, and the events that it is made of.
func datesOf(w schedule.Window) (all []namedSpan) {
	for at := time.Unix(-1<<50, 0); ; {
		open, span := w.State(at)
		if open {
			all = append(all, namedSpan{"", span.Start, span.End})
		}
		if at = span.End; at.IsZero() {
			break
		}
	}
	for _, e := range w.Events(schedule.Span{}) {
		all = append(all, namedSpan{e.Name, e.Start, e.End})
	}
	return all
}

// UnmarshalJSON reads what MarshalJSON writes. Whatever is wrong is an error.
func (w *window) UnmarshalJSON(data []byte) error {
	read, err := readWindow(data)
	*w = window(read)
	return err
}

func readWindow(data []byte) (schedule.Window, error) {
	var j writtenWindow
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&j); err != nil {
		return schedule.Union(), fmt.Errorf("a window: %w: write one such as "+
			`{"schedule": "0 9 * * mon-fri", "duration": "8h"}`, err)
	}
	kinds := 0
	for _, has := range []bool{j.Schedule+j.Duration+j.TimeZone != "", j.Dates != nil, j.Any != nil, j.Outside != nil} {
		if has {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return schedule.Union(), fmt.Errorf("the window %s is of several kinds: write one of schedule, dates, any and "+
			"outside", wording.JSON(data, 200))
	case j.Any != nil:
		return schedule.Union(each(*j.Any, func(w window) schedule.Window { return schedule.Window(w) })...), nil
	case j.Outside != nil:
		return schedule.Window(*j.Outside).Outside(), nil
	case j.Dates != nil:
		return schedule.Events(each(j.Dates, func(d namedSpan) schedule.Event {
			return schedule.Event{Name: d.Name, Span: schedule.Span{Start: d.Start, End: d.End}}
		})...), nil
	case kinds == 0:
		return schedule.Window{}, nil
	}
	d, err := time.ParseDuration(j.Duration)
	if err != nil {
		return schedule.Union(), fmt.Errorf("the duration %q of the window is none: write one such as 8h", j.Duration)
	}
	return schedule.Parse(j.Schedule, d, j.TimeZone)
}
