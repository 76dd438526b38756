package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
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
	held   map[string]bool          // nodes whose drains something holds or held up: these say nothing of how long others drain

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
	m := &measured{began: now, claims: map[string]*sighting{}, queues: map[string]time.Duration{}, held: map[string]bool{}}
	for _, n := range nodes {
		for _, c := range n.Conditions {
			if !c.Since.IsZero() && c.Since.Before(m.began) {
				m.began = c.Since
			}
		}
	}
	return m
}

// measure returns what a single snapshot shows of a roll.
func measure(cluster *manifest.Cluster, in disruptkit.Input) *measured {
	m := newMeasured(in.Nodes, in.Now)
	m.watch(cluster, in)
	return m
}

// watch reads a snapshot, and what holds up drains in it.
func (m *measured) watch(cluster *manifest.Cluster, in disruptkit.Input) {
	for _, n := range in.Nodes {
		if n.InFlight() && len(plan.Holds(in, n, in.Now)) > 0 {
			m.held[n.Name] = true
		}
	}
	m.see(cluster.Milestones(), in.Now)
}

// known returns whether how long something takes is given, or measured.
func (m *measured) known(given func(flag string) bool) func(flag string) bool {
	return func(flag string) bool {
		all := map[string][]measurement{"drain": m.drains, "launch": m.launches}
		return given(flag) || len(ended(all[flag])) > 0
	}
}

// see reads the timestamps of a snapshot.
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
		if !m.held[s.Node] {
			m.drains = append(m.drains, s.drain(m.began, now, m.queues[s.Node])...)
		}
	}
}

// launch measures the launch of a NodeClaim that was created after a roll began.
func (s *sighting) launch(began, now time.Time) []measurement {
	switch {
	case s.Created.IsZero() || !s.Created.After(began):
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

// model returns a model with the measured drains and launches, from the first on that is over. What only still lasts says little of
// others. Those that go on are as far as they are at a time.
func (m *measured) model(given plan.Model, isGiven func(flag string) bool, now time.Time) plan.Model {
	learn := func(all []measurement) bool { return len(ended(all)) > 0 }
	if !learn(m.drains) && !learn(m.launches) {
		return given
	}
	begun := m.begun(now)
	given.Unsure = func(p plan.Model) plan.Model {
		if learn(m.drains) {
			p.Drain = begun.drain(newLearned(m.drains, given.Drain, isGiven("drain"), p.Seed))
		}
		if learn(m.launches) {
			p.Launch = begun.launch(newLearned(m.launches, given.Launch, isGiven("launch"), p.Seed))
		}
		return p
	}
	return given
}

// begun is for how long drains, and launches of replacements, have gone on, by node. The launch of a replacement is that of the node
// that waits for it, and of the new one.
type begun struct{ drains, launches map[string]time.Duration }

func (m *measured) begun(now time.Time) begun {
	b := begun{map[string]time.Duration{}, map[string]time.Duration{}}
	for _, s := range m.claims {
		switch {
		case !s.gone.IsZero() || m.held[s.Node]:
		case !s.Deleted.IsZero():
			b.drains[s.Node] = max(now.Sub(s.Deleted)-m.queues[s.Node], 0)
		case !s.Disrupted.IsZero():
			b.launches[s.Node] = now.Sub(s.Disrupted)
		case s.Initialized.IsZero() && !s.Created.IsZero():
			b.launches[s.Node] = now.Sub(s.Created)
		}
	}
	return b
}

// drain returns how long nodes drain, with what is left for those that do.
func (b begun) drain(drains *learned) plan.Takes {
	return func(n candidate.Node, begins time.Time, chance float64) time.Duration {
		if since, found := b.drains[n.Name]; found && n.InFlight() {
			return rest(drains.of(n, begins), since, chance)
		}
		return at(drains.of(n, begins), chance)
	}
}

// launch returns how long launches take, with what is left for those that go on.
func (b begun) launch(launches *learned) plan.Takes {
	return func(n candidate.Node, begins time.Time, chance float64) time.Duration {
		if since, found := b.launches[n.Name]; found && (n.InFlight() || n.Phase.Joining()) {
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
