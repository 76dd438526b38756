package topology_test

import "github.com/disruptkit/disruptkit/candidate"

// What must hold, in terms of the state alone: nothing here asks the code that is checked.

// inFlight counts the nodes of a zone that a roll has in flight, or may have.
func (s *state) inFlight(z int) uint8 {
	return s.zones[z][rolling] + s.zones[z][ending] + s.zones[z][unknown]
}

// toGo counts the drifted nodes of a zone that are not in flight, and not blocked for good.
func (s *state) toGo(z int) int { return s.free(z) + s.count(z, spent) + s.count(z, overdueSpent) }

// free counts the drifted nodes that nothing blocks, overdue or not.
func (s *state) free(z int) int { return s.count(z, free) + s.count(z, overdue) }

// disrupting counts the nodes that use up what overdue nodes may: in flight for whatever reason, or not Ready.
func (s *state) disrupting() (n int) {
	for z := range s.zones {
		n += int(s.zones[z][rolling] + s.zones[z][consolidating] + s.zones[z][unknown] + s.zones[z][unready])
	}
	return n
}

// most is how many nodes of a zone may start, if it is its turn. While the window is closed that is one overdue node, if nothing else is
// in flight.
func (f *fleet) most(s *state, z int) int {
	if s.open {
		return min(s.free(z), f.room(s, z))
	}
	return max(0, min(s.count(z, overdue), f.room(s, z), 1-s.disrupting()))
}

// room is how many more nodes of a zone the budget allows.
func (f *fleet) room(s *state, z int) int {
	counted := int(s.size(z) - s.zones[z][ending])
	limit := map[string]int{"1": 1, "2": 2, "50%": (counted + 1) / 2}[f.limit]
	return max(0, limit-int(s.zones[z][rolling]+s.zones[z][consolidating]+s.zones[z][unknown]))
}

// stuck reports whether a zone has nothing in flight, and none of its nodes could start.
func (f *fleet) stuck(s *state, z int) bool {
	return s.inFlight(z) == 0 && (s.free(z) == 0 || f.room(s, z) == 0 || s.paused(z))
}

// holds reports whether a roll that is at a position may not leave it.
func (f *fleet) holds(s *state, at position) bool {
	z := int(at.zone)
	switch {
	case z >= len(f.names) || s.size(z) == 0:
		return false
	case s.inFlight(z) > 0 || s.zones[z][unready] > 0 && !f.options.Unsettled:
		return true
	}
	if s.paused(z) && s.toGo(z) > 0 {
		return false // it is skipped
	}
	over := at.idle == idleLong && f.options.Patience != candidate.Forever
	return s.toGo(z) > 0 && !(f.stuck(s, z) && over)
}

// alone reports whether nothing is in flight in any other zone.
func (f *fleet) alone(s *state, z int) bool {
	for other := range f.names {
		if other != z && s.inFlight(other) > 0 {
			return false
		}
	}
	return true
}

// wrong returns what is wrong with a choice, or "".
func (f *fleet) wrong(s *state, c choice) string {
	if text := f.unsafe(s, c); text != "" {
		return text
	}
	if c.allowed > 0 && c.zone != int(s.truth.zone) && f.holds(s, s.truth) {
		return "ORDER: the roll leaves a zone that is not done"
	}
	if text := f.forgetful(s, c); text != "" {
		return text
	}
	return f.lazy(s, c)
}

// forgetful: a zone that is paused is not done, and spends no patience.
func (f *fleet) forgetful(s *state, c choice) string {
	z := int(s.roll.zone)
	if f.forget || z >= len(f.names) || !s.paused(z) || s.toGo(z) == 0 || c.allowed > 0 {
		return ""
	}
	for other := range f.names {
		if s.inFlight(other) > 0 {
			return "" // the roll may be there
		}
	}
	switch {
	case int(c.roll.zone) != z:
		return "PAUSE: a zone that is paused is taken for done"
	case c.roll.idle != busy:
		return "PAUSE: a zone that is paused spends its patience"
	}
	return ""
}

// unsafe: no two zones at once, no limit exceeded, nothing outside the window.
func (f *fleet) unsafe(s *state, c choice) string {
	switch {
	case c.allowed == 0:
		return ""
	case c.mixed:
		return "SAFETY: nodes of two zones start at once"
	case !f.alone(s, c.zone):
		return "SAFETY: nodes start in a zone while nodes are in flight in another"
	case c.allowed > f.room(s, c.zone):
		return "SAFETY: more nodes start than the budget allows"
	case !s.open && c.allowed > f.most(s, c.zone):
		return "SAFETY: nodes start outside the window that are not overdue, or too many"
	case s.paused(c.zone):
		return "SAFETY: nodes start in a zone that is paused"
	}
	return ""
}

// lazy: if anything is allowed, as much is as the limits leave; the first zone is that of the oldest node, overdue ones first.
func (f *fleet) lazy(s *state, c choice) string {
	if c.allowed > 0 && c.allowed < f.most(s, c.zone) {
		return "WORK: more nodes of the zone could start"
	}
	at := s.roll
	if f.forget {
		at.zone = nowhere
	}
	for i := range s.inOrder() {
		z := int(s.line[i].zone)
		if s.paused(z) || f.room(s, z) == 0 || !f.alone(s, z) || f.holds(s, at) && z != int(at.zone) {
			continue
		}
		if f.most(s, z) == 0 {
			return "" // the window is closed, and it is the turn of a zone whose nodes are not overdue, or something is in flight
		}
		switch {
		case c.allowed == 0:
			return "WORK: nothing starts, and something could"
		case c.zone != z && !f.holds(s, at):
			return "WORK: the turn is not that of the oldest node"
		}
		break
	}
	return ""
}

// follow moves the true roll as a choice does: into the zone where nodes are allowed; or, if the last zone is done, to
// the zone with nodes in flight.
func (f *fleet) follow(s *state, c choice) position {
	at := s.truth
	if c.allowed > 0 {
		return position{zone: uint8(c.zone)}
	}
	if at.zone == lost {
		return at
	}
	if !f.holds(s, at) {
		for z := range f.names {
			if s.inFlight(z) > 0 {
				return position{zone: uint8(z)}
			}
		}
		if at.zone == nowhere || s.size(int(at.zone)) == 0 || s.toGo(int(at.zone)) == 0 {
			return position{zone: nowhere}
		}
	}
	switch z := int(at.zone); {
	case !f.stuck(s, z), s.paused(z) && s.toGo(z) > 0:
		at.idle = busy
	case at.idle == busy:
		at.idle = idleNow
	}
	return at
}

// done reports whether everything is replaced that can be, and the roll value is gone.
func (f *fleet) done(s *state) bool {
	if s.roll.zone != nowhere {
		return false
	}
	for z := range f.names {
		if s.toGo(z) > 0 || s.inFlight(z) > 0 {
			return false
		}
	}
	return true
}
