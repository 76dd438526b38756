package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/plan"
)

// A measurement is how long a drain or a launch has taken, or how long it has lasted so far.
type measurement struct {
	pool string
	took time.Duration
	ends bool // it is over
}

// measured are the launches and drains of a roll, from the timestamps of its NodeClaims. An end without a timestamp is between two
// snapshots.
type measured struct {
	began  time.Time // of the roll
	claims map[string]*sighting
	queues map[string]time.Duration // by node: how long a plan says that its pods wait for PodDisruptionBudgets

	drains, launches []measurement
}

// A sighting is what snapshots show of a NodeClaim.
type sighting struct {
	manifest.Milestones
	last time.Time // that it was seen
	gone time.Time // when it was missed first; zero: it is there
}

// newMeasured returns what is measured of a roll that began when the first of the nodes in a snapshot had a reason to go, or now.
func newMeasured(nodes []candidate.Node, now time.Time) *measured {
	m := &measured{began: now, claims: map[string]*sighting{}, queues: map[string]time.Duration{}}
	for _, n := range nodes {
		for _, c := range n.Conditions {
			if !c.Since.IsZero() && c.Since.Before(m.began) {
				m.began = c.Since
			}
		}
	}
	return m
}

// see reads a snapshot.
func (m *measured) see(all []manifest.Milestones, now time.Time) {
	for _, s := range all {
		m.claims[s.Claim] = &sighting{Milestones: s, last: now}
	}
	m.drains, m.launches = nil, nil
	for _, name := range slices.Sorted(maps.Keys(m.claims)) {
		s := m.claims[name]
		if s.last.Before(now) && s.gone.IsZero() {
			s.gone = now
		}
		m.launches = append(m.launches, s.launch(m.began, now)...)
		m.drains = append(m.drains, s.drain(m.began, now, m.queues[s.Node])...)
	}
}

// launch measures the launch of a NodeClaim that was created during a roll.
func (s *sighting) launch(began, now time.Time) []measurement {
	switch {
	case s.Created.IsZero() || s.Created.Before(began):
		return nil
	case !s.Initialized.IsZero():
		return []measurement{{s.Pool, s.Initialized.Sub(s.Created), true}}
	case s.gone.IsZero():
		return []measurement{{s.Pool, now.Sub(s.Created), false}}
	}
	return []measurement{{s.Pool, s.last.Sub(s.Created), false}}
}

// drain measures the drain of a NodeClaim that was deleted during a roll, without how long its pods wait for others. If too long a
// time lies between the snapshots, nothing is measured.
func (s *sighting) drain(began, now time.Time, queue time.Duration) []measurement {
	from := s.Deleted
	switch {
	case from.IsZero() && s.gone.IsZero() || !from.IsZero() && from.Before(began):
		return nil
	case s.gone.IsZero():
		return []measurement{{s.Pool, max(now.Sub(from)-queue, 0), false}}
	case from.IsZero() && s.Initialized.IsZero():
		return nil // its launch has failed
	case from.IsZero():
		from = s.last // or later
	}
	least, unsure := s.last.Sub(from), s.gone.Sub(s.last)
	if unsure > max(least, leastUnsure) {
		return nil
	}
	return []measurement{{s.Pool, max(least+unsure/2-queue, 0), true}}
}

// leastUnsure is the error that a measurement may always have.
const leastUnsure = time.Minute

// expect records how long the pods of each node that has not started wait for others, in a plan.
func (m *measured) expect(p plan.Plan) {
	for _, n := range p.Nodes {
		if n.Start.After(p.From) {
			m.queues[n.Name] = n.Queue.For
		}
	}
}

// model returns a model with the measured drains and launches, whose nodes in flight continue from now.
func (m *measured) model(given plan.Model, isGiven func(flag string) bool, now time.Time) plan.Model {
	known := m.inFlight(now)
	if len(m.drains)+len(m.launches)+len(known.starting) == 0 {
		return given // nothing is measured, or begun
	}
	of := func(seed uint64) (drain, launch plan.Takes) {
		drains := newLearned(m.drains, given.Drain, isGiven("drain"), seed)
		launches := newLearned(m.launches, given.Launch, isGiven("launch"), seed)
		return known.drain(drains, launches, given.DrainFirst), known.launch(launches)
	}
	given.Unsure = func(p plan.Model) plan.Model {
		p.Drain, p.Launch = of(p.Seed)
		return p
	}
	return given
}

// inFlight are the nodes on their way, by name, and for how long they have been.
type inFlight struct{ draining, starting, launching map[string]time.Duration }

func (m *measured) inFlight(now time.Time) inFlight {
	f := inFlight{map[string]time.Duration{}, map[string]time.Duration{}, map[string]time.Duration{}}
	for _, s := range m.claims {
		switch {
		case !s.gone.IsZero():
		case !s.Deleted.IsZero():
			f.draining[s.Node] = max(now.Sub(s.Deleted)-m.queues[s.Node], 0)
		case !s.Disrupted.IsZero():
			f.starting[s.Node] = now.Sub(s.Disrupted)
		case s.Initialized.IsZero() && !s.Created.IsZero():
			f.launching[s.Node] = now.Sub(s.Created)
		}
	}
	return f
}

// drain returns how long nodes drain, with what is left for those that do, and the launch before it that is not over.
func (f inFlight) drain(drains, launches *learned, first bool) plan.Takes {
	return func(n candidate.Node, begins time.Time, chance float64) time.Duration {
		since, found := f.draining[n.Name]
		if found && n.InFlight() {
			return rest(drains.of(n, begins), since, chance)
		}
		takes := at(drains.of(n, begins), chance)
		if since, found = f.starting[n.Name]; found && n.InFlight() && !first {
			takes += rest(launches.of(n, begins), since, chance)
		}
		return takes
	}
}

// launch returns how long launches take, with what is left for replacements that are there.
func (f inFlight) launch(launches *learned) plan.Takes {
	return func(n candidate.Node, begins time.Time, chance float64) time.Duration {
		if since, found := f.launching[n.Name]; found && n.Phase.Joining() {
			return rest(launches.of(n, begins), since, chance)
		}
		return at(launches.of(n, begins), chance)
	}
}

// String describes what is measured; "" is nothing yet.
func (m *measured) String() string { return strings.Join(m.told(over), "; ") }

// whole describes what is measured, including what still lasts.
func (m *measured) whole() string {
	return strings.Join(slices.Concat(m.told(over), m.told(lasts)), "; ")
}

// told joins descriptions of drains and of launches.
func (m *measured) told(tell func(one, several string, all []measurement) []string) []string {
	return slices.Concat(tell("drain", "drains", m.drains), tell("launch", "launches", m.launches))
}

// over describes how long the finished ones took, if there are any.
func over(one, several string, all []measurement) []string {
	times := ended(all)
	switch n := len(times); n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("1 %s of %s", one, display.Rough(times[0]))}
	default:
		return []string{fmt.Sprintf("%d %s of %s to %s, half of them up to %s", n, several,
			display.Rough(times[0]), display.Rough(times[n-1]), display.Rough(times[(n-1)/2]))}
	}
}

// lasts describes how long the unfinished ones have lasted, if there are any.
func lasts(one, several string, all []measurement) []string {
	n, longest := 0, time.Duration(0)
	for _, m := range all {
		if !m.ends {
			n, longest = n+1, max(longest, m.took)
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("1 %s that has lasted for %s so far", one, display.Rough(longest))}
	}
	return []string{fmt.Sprintf("%d %s that have lasted for up to %s so far", n, several, display.Rough(longest))}
}

// ended returns how long the finished ones took, in order.
func ended(all []measurement) (times []time.Duration) {
	for _, m := range all {
		if m.ends {
			times = append(times, m.took)
		}
	}
	slices.Sort(times)
	return times
}
