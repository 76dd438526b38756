package lint

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// aWeek returns the part of a week that a part of the checked time is: whole hours, or minutes of less than ten hours.
func (l *linter) aWeek(d time.Duration) string {
	d = time.Duration(float64(d) / float64(l.end.Sub(l.now)) * float64(lintWeek))
	if d < 10*time.Hour {
		return wording.Duration(d.Round(time.Minute))
	}
	return wording.Duration(d.Round(time.Hour))
}

// literal returns the JSON of a budget as people write it.
func literal(b budget.Budget) string {
	var fields []string
	add := func(name string, value any, there bool) {
		if there {
			text, _ := json.Marshal(value)
			fields = append(fields, fmt.Sprintf("%q: %s", name, text))
		}
	}
	add("nodes", b.Nodes, b.Nodes != "")
	add("per", b.Per, b.Per != "")
	add("soak", b.Soak, b.Soak != "")
	if len(b.Reasons) > 0 {
		fields = append(fields, `"reasons": `+jsonList(b.Reasons))
	}
	add("topologyKey", b.TopologyKey, b.TopologyKey != "")
	add("sequential", b.Sequential, b.Sequential)
	for _, f := range timing(b) {
		add(f.name, f.value, true)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// A timingField is a field that says when a budget is active.
type timingField struct {
	name  string
	value any
}

// timing returns the fields that say when the budget is active, those that always needs to be without.
func timing(b budget.Budget) (fields []timingField) {
	for _, f := range []timingField{
		{"schedule", b.Schedule}, {"duration", b.Duration}, {"from", b.From}, {"to", b.To}, {"calendar", b.Calendar},
		{"timeZone", b.TimeZone}, {"outside", b.Outside},
	} {
		if f.value != "" && f.value != false {
			fields = append(fields, f)
		}
	}
	return fields
}

// always returns a budget without its schedule, dates and calendar.
func always(b budget.Budget) budget.Budget {
	b.Schedule, b.Duration, b.From, b.To, b.Calendar, b.TimeZone, b.Outside = "", "", "", "", "", "", false
	return b
}
