package planner

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// parseOutage reads when probes allow no node, as --outage has it: a schedule in a zone, and a duration.
func parseOutage(text string, zone *time.Location) (w schedule.Window, err error) {
	last := strings.LastIndex(text, " ")
	d, err := time.ParseDuration(text[last+1:])
	if err != nil || last < 0 {
		return w, fmt.Errorf("--outage %q: write a schedule and a duration, such as 0 9 * * mon-fri 8h", text)
	}
	if w, err = schedule.Parse(text[:last], d, zone.String()); err != nil {
		err = fmt.Errorf("--outage %q: %w", text, err)
	}
	return w, err
}
