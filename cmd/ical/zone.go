package ical

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// load returns a zone of the tz database.
func load(zone string) (*time.Location, error) {
	_, err := schedule.ParseDates("2000-01-01", "", zone) // refuses the zones of the host
	location, loadErr := time.LoadLocation(zone)
	if err != nil || loadErr != nil || zone == "" {
		return nil, fmt.Errorf("time zone %.100q is not in the tz database: export the calendar with names such "+
			"as Europe/Berlin", zone)
	}
	return location, nil
}

// load returns the zone of a TZID. A calendar writes the same few at each of its times.
func (r reader) load(id string) (*time.Location, error) {
	if location, ok := r.zones[id]; ok {
		return location, nil
	}
	location, err := load(strings.TrimPrefix(id, "/"))
	if err != nil {
		return nil, err
	}
	r.zones[id] = location
	return location, nil
}
