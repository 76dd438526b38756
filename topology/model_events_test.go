package topology_test

import "fmt"

// steps yields everything that may happen next. Descriptions are made only for stories.
func (f *fleet) steps(s *state, c choice, yield func(what func() string, to state)) {
	if f.calm {
		f.calmEvents(s, c, yield)
		return
	}
	f.decisions(s, c, yield)
	for z := range f.names {
		f.zoneEvents(s, z, yield)
	}
	for i := range s.line[:s.n] {
		f.lineEvents(s, i, yield)
	}
	f.otherEvents(s, yield)
	if f.pauses {
		f.pauseEvents(s, yield)
	}
}

// pauseEvents: somebody pauses a zone, or no longer does.
func (f *fleet) pauseEvents(s *state, yield func(func() string, state)) {
	for z, name := range f.names {
		after := *s
		after.pause ^= 1 << z
		yield(func() string {
			return name + map[bool]string{true: " is paused", false: " is no longer paused"}[after.paused(z)]
		}, after)
	}
}

// calmEvents: nodes drift, all that may go starts, and everything in flight is replaced at once.
func (f *fleet) calmEvents(s *state, c choice, yield func(func() string, state)) {
	for z, name := range f.names {
		if s.zones[z][ready] > 0 {
			after := *s
			after.zones[z][ready]--
			after.append(z)
			yield(func() string { return "a node of " + name + " drifts" }, after)
		}
		if n := s.zones[z][rolling]; n > 0 {
			after := *s
			after.zones[z][rolling], after.zones[z][ready] = 0, after.zones[z][ready]+n
			yield(func() string { return "what is in flight in " + name + " is replaced" }, after)
		}
	}
	var all state
	f.decisions(s, c, func(_ func() string, to state) { all = to })
	yield(func() string { return f.tell(c, c.allowed) }, all)
}

// decisions: some of what is allowed starts, also none. The roll value is stored before.
func (f *fleet) decisions(s *state, c choice, yield func(func() string, state)) {
	to := *s
	to.roll, to.truth = c.roll, f.follow(s, c)
	for started := 0; ; started++ {
		after := to
		yield(func() string { return f.tell(c, started) }, after)
		if started == c.allowed {
			return
		}
		to.start(c.zone)
	}
}

func (f *fleet) tell(c choice, started int) string {
	switch {
	case c.allowed == 0:
		return "decide: nothing is allowed"
	case started == 0:
		return fmt.Sprintf("decide: %d of %s allowed, and the caller starts none", c.allowed, f.names[c.zone])
	}
	return fmt.Sprintf("decide: %d of %s allowed, and %d start", c.allowed, f.names[c.zone], started)
}

// zoneEvents: what nodes may become that do not stand in the line.
func (f *fleet) zoneEvents(s *state, z int, yield func(func() string, state)) {
	name := f.names[z]
	becomes := func(from, to kind, format string) {
		if s.zones[z][from] == 0 {
			return
		}
		after := *s
		after.zones[z][from]--
		if to < kinds {
			after.zones[z][to]++
		}
		yield(func() string { return fmt.Sprintf(format, name) }, after)
	}
	const leaves = kinds
	becomes(rolling, ending, "the instance of a node of %s terminates")
	becomes(ending, ready, "a node of %s is replaced")
	becomes(ending, unready, "a node of %s is replaced by one that is not Ready")
	becomes(ready, consolidating, "a node of %s is consolidated")
	becomes(consolidating, leaves, "the consolidated node of %s is gone")
	becomes(ready, unknown, "a node of %s is deleted, nobody knows why")
	becomes(unknown, leaves, "the deleted node of %s is gone")
	becomes(ready, unready, "a node of %s is no longer Ready")
	becomes(unready, ready, "a node of %s is Ready again")
	for _, from := range [...]kind{ready, unready} {
		if s.zones[z][from] > 0 {
			after := *s
			after.zones[z][from]--
			after.append(z)
			yield(func() string { return "a node of " + name + " drifts" }, after)
		}
	}
	if s.size(z) < f.nodes {
		for _, k := range [...]kind{ready, unready} {
			after := *s
			after.zones[z][k]++
			yield(func() string { return "a node joins in " + name }, after)
		}
	}
}

// lineEvents: what drifted nodes may become.
func (f *fleet) lineEvents(s *state, i int, yield func(func() string, state)) {
	name := f.names[s.line[i].zone]
	becomes := func(is standing, what string) {
		if s.line[i].is != is {
			after := *s
			after.line[i].is = is
			yield(func() string { return fmt.Sprintf(what, name) }, after)
		}
	}
	switch s.line[i].is {
	case free:
		becomes(spent, "a PDB of a drifted node of %s is spent")
		becomes(forGood, "a drifted node of %s is annotated do-not-disrupt")
		if f.overdue {
			becomes(overdue, "a drifted node of %s is overdue")
		}
	case overdue:
		becomes(overdueSpent, "a PDB of an overdue node of %s is spent")
		becomes(forGood, "an overdue node of %s is annotated do-not-disrupt")
	case overdueSpent:
		becomes(overdue, "an overdue node of %s is free again")
	case spent:
		becomes(free, "a drifted node of %s is free again")
		if f.overdue {
			becomes(overdueSpent, "a drifted node of %s, whose PDB is spent, is overdue")
		}
	default:
		becomes(free, "a drifted node of %s is free again")
	}
	for _, k := range [...]kind{consolidating, unknown} {
		after := *s
		after.take(i)
		after.zones[s.line[i].zone][k]++
		yield(func() string {
			return fmt.Sprintf("a drifted node of %s is deleted: %s", name, [...]string{consolidating: "consolidation", unknown: "nobody knows why"}[k])
		}, after)
	}
}

// otherEvents: time, windows, and restarts that lose the roll value or find another.
func (f *fleet) otherEvents(s *state, yield func(func() string, state)) {
	after := *s
	after.open = !s.open
	yield(func() string {
		return map[bool]string{true: "the window opens", false: "the window closes"}[after.open]
	}, after)
	if s.roll.idle == idleNow || s.truth.idle == idleNow {
		passed := *s
		for _, p := range [...]*position{&passed.roll, &passed.truth} {
			if p.idle == idleNow {
				p.idle = idleLong
			}
		}
		yield(func() string { return "a quarter of an hour passes" }, passed)
	}
	if f.forget {
		return
	}
	for zone := range uint8(lost) {
		if int(zone) >= len(f.names) && zone < maxZones {
			continue
		}
		for idle := range uint8(idles) {
			if zone == nowhere && idle != busy {
				continue
			}
			forged := *s
			forged.roll, forged.truth = position{zone, idle}, position{zone: lost}
			yield(func() string { return "a restart, and the roll value is now: " + forged.roll.text(f.names) }, forged)
		}
	}
}
