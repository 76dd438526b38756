package planner

import (
	"cmp"
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

	took map[string][]measurement // by step
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

// has reports whether a step is measured: what only still lasts says little of others.
func (m *measured) has(step string) bool { return len(ended(m.took[step])) > 0 }

// known returns whether how long something takes is given, or measured.
func (m *measured) known(given func(flag string) bool) func(flag string) bool {
	return func(flag string) bool { return given(flag) || m.has(flag) }
}

// see reads the timestamps of a snapshot.
func (m *measured) see(all []manifest.Milestones, now time.Time) {
	for _, s := range all {
		m.claims[s.Claim] = &sighting{Milestones: s, last: now}
	}
	m.took = map[string][]measurement{}
	for _, name := range slices.Sorted(maps.Keys(m.claims)) {
		s := m.claims[name]
		if s.last.Before(now) && s.gone.IsZero() {
			s.gone = now
		}
		m.took["launch"] = append(m.took["launch"], s.launch(m.began, now)...)
		if !m.held[s.Node] {
			m.took["drain"] = append(m.took["drain"], s.drain(m.began, now, m.queues[s.Node])...)
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

// model returns a model with the measured drains and launches, from the first on that is over. Those that go on are as far as they are at a
// time.
func (m *measured) model(given plan.Model, isGiven func(flag string) bool, now time.Time) plan.Model {
	if !m.has("drain") && !m.has("launch") {
		return given
	}
	begun, before := m.begun(now), map[string]plan.Takes{"drain": given.Drain, "launch": given.Launch}
	given.Unsure = func(p plan.Model) plan.Model {
		for step, takes := range map[string]*plan.Takes{"drain": &p.Drain, "launch": &p.Launch} {
			if m.has(step) {
				*takes = begun[step].takes(newLearned(m.took[step], before[step], isGiven(step), p.Seed))
			}
		}
		return p
	}
	return given
}

// begun is for how long a step has gone on, by node. The launch of a replacement is that of the node that waits for it, and of the new one.
type begun map[string]time.Duration

// begun returns what has begun of each step.
func (m *measured) begun(now time.Time) map[string]begun {
	drains, launches := begun{}, begun{}
	for _, s := range m.claims {
		switch {
		case !s.gone.IsZero() || m.held[s.Node]:
		case !s.Deleted.IsZero():
			drains[s.Node] = max(now.Sub(s.Deleted)-m.queues[s.Node], 0)
		case !s.Disrupted.IsZero():
			launches[s.Node] = now.Sub(s.Disrupted)
		case s.Initialized.IsZero() && !s.Created.IsZero():
			launches[s.Node] = now.Sub(s.Created)
		}
	}
	return map[string]begun{"drain": drains, "launch": launches}
}

// takes returns how long a step takes, with what is left for nodes with which it goes on.
func (b begun) takes(l *learned) plan.Takes {
	return func(n candidate.Node, begins time.Time, chance float64) time.Duration {
		if since, found := b[n.Name]; found && (n.InFlight() || n.Phase.Joining()) {
			return rest(l.of(n, begins), since, chance)
		}
		return at(l.of(n, begins), chance)
	}
}

// String describes how long the finished ones took, and the unfinished ones have lasted so far; "": nothing is measured yet.
func (m *measured) String() string {
	var texts, unfinished []string
	for _, of := range durations {
		step := of.name
		if times := ended(m.took[step]); len(times) > 0 {
			text := fmt.Sprintf("%s of up to %s", count(len(times), step, of.several), display.Rough(times[len(times)-1]))
			if half := times[(len(times)-1)/2]; len(times) > 1 {
				text += ", half of them up to " + display.Rough(half)
			}
			texts = append(texts, text)
		}
		if last := only(m.took[step], func(m measurement) bool { return !m.ends }); len(last) > 0 {
			longest := slices.MaxFunc(last, func(a, b measurement) int { return cmp.Compare(a.took, b.took) })
			unfinished = append(unfinished, fmt.Sprintf("%s of up to %s so far", count(len(last), step, of.several), display.Rough(longest.took)))
		}
	}
	return strings.Join(append(texts, unfinished...), "; ")
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
