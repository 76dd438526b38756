package ical

import (
	"fmt"
	"slices"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"

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
	if own := r.offsets[id]; len(own) > 0 && !r.shares(location, own) {
		return nil, fmt.Errorf("the calendar's own time zone %.100q (VTIMEZONE) is never as far from UTC as "+
			"that of the tz database: write another name, or leave out the component", id)
	}
	r.zones[id] = location
	return location, nil
}

// offsets returns how far from UTC the zones of a calendar are, in seconds, by TZID. The tz database says when: it is
// newer than most files.
func offsets(file *ical.Calendar) map[string][]int {
	all := map[string][]int{}
	for _, zone := range file.Children {
		for _, part := range zone.Children {
			to := part.Props.Get(ical.PropTimezoneOffsetTo)
			if zone.Name != ical.CompTimezone || to == nil {
				continue
			}
			text := to.Value
			if len(text) == len("+0100") {
				text += "00"
			}
			if at, err := time.Parse("-070000", text); err == nil {
				_, offset := at.Zone()
				id := textOf(zone, ical.PropTimezoneID)
				all[id] = append(all[id], offset)
			}
		}
	}
	return all
}

// shares reports whether a zone has one of some offsets, at any time that is looked at.
func (r reader) shares(zone *time.Location, offsets []int) bool {
	for at := r.From.AddDate(-1, 0, 0).In(zone); !at.After(r.To); {
		offset, _, ends := around(at)
		if slices.Contains(offsets, offset) {
			return true
		}
		if ends.IsZero() {
			break
		}
		at = ends
	}
	return false
}
