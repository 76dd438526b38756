package main

import "time"

// An outage is a time in which no node of a zone is Ready, new ones included. Boots and drains stand still there.
type outage struct {
	zone     string
	from, to time.Time
}

// hits reports whether a zone is out at a time.
func (o outage) hits(zone string, at time.Time) bool {
	return zone == o.zone && !at.Before(o.from) && at.Before(o.to)
}

// end returns when work in a zone is done that takes a while.
func (o outage) end(zone string, start time.Time, takes time.Duration) time.Time {
	end := start.Add(takes)
	if zone != o.zone || !start.Before(o.to) || !end.After(o.from) {
		return end
	}
	if o.from.After(start) {
		start = o.from
	}
	return end.Add(o.to.Sub(start))
}
