package disruptkit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// limited is a gate of a caller: until a time, so many nodes of each value of a label may be in flight at once.
type limited struct {
	label    string
	most     int
	now      time.Time
	opens    time.Time // zero: never
	inFlight map[string]int
}

func atMost(label string, most int, opens time.Time) func(disruptkit.Input) disruptkit.Gate {
	return func(in disruptkit.Input) disruptkit.Gate {
		g := &limited{label, most, in.Now, opens, map[string]int{}}
		for i := range in.Nodes {
			if n := &in.Nodes[i]; n.InFlight() {
				g.inFlight[n.Labels[label]]++
			}
		}
		return g
	}
}

func (g *limited) open() bool { return !g.opens.IsZero() && !g.now.Before(g.opens) }

func (g *limited) Blockers(_ candidate.Candidate, n *candidate.Node) []candidate.Blocker {
	if g.open() || g.inFlight[n.Labels[g.label]] < g.most {
		return nil
	}
	return []candidate.Blocker{{Gate: candidate.Gate(g.label), Code: "full", Message: "full", Until: g.opens}}
}

func (g *limited) Count(_ candidate.Candidate, n *candidate.Node, by int) {
	g.inFlight[n.Labels[g.label]] += by
}

func (g *limited) NextChange() (next time.Time) {
	if g.open() {
		return next
	}
	return g.opens
}

// gates are two limits, the first of which is gone some quarters of an hour after now, or never.
func gates(now time.Time, most, opens int) []func(disruptkit.Input) disruptkit.Gate {
	var at time.Time
	if opens > 0 {
		at = now.Add(time.Duration(opens) * 15 * time.Minute)
	}
	return []func(disruptkit.Input) disruptkit.Gate{atMost("rack", most, at), atMost("zone", most+1, time.Time{})}
}

func TestAGateOfTheCallerOnlyBlocksMore(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		plain := in
		plain.Gates = nil
		in.Gates = gates(in.Now, 1+len(in.Nodes)%3, len(in.Nodes)%4)
		s, disrupted := disruptkit.Open(plain, asked), map[string]bool{"": false}
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			if !isAmbiguous(in, c) && !disrupted[c.Unit] && !s.Disrupt(c) {
				return c.Node + " is allowed only with gates of the caller"
			}
			disrupted[c.Unit] = c.Unit != ""
		}
		return ""
	})
}

func TestTheOrderOfGatesOfTheCallerNeverMatters(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		in.Gates = gates(in.Now, 1+len(in.Nodes)%3, len(in.Nodes)%4)
		other := in
		other.Gates = slices.Clone(in.Gates)
		slices.Reverse(other.Gates)
		return cmp.Diff(disruptkit.Decide(in, asked), disruptkit.Decide(other, asked), cmp.Comparer(candidate.Blocker.Equal))
	})
}

func TestAGateThatBlocksNothingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		open := in
		open.Gates = []func(disruptkit.Input) disruptkit.Gate{atMost("rack", 1000, time.Time{})}
		if diff := cmp.Diff(disruptkit.Decide(in, ""), disruptkit.Decide(open, ""), cmp.Comparer(candidate.Blocker.Equal)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAGateOfTheCallerHasItsOwnBlockersAndTimes(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p"}}, Gates: gates(noon, 1, 2)}
	for _, name := range []string{"a", "b", "c"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "p", Phase: candidate.Running, Labels: map[string]string{"rack": "1", "zone": name},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted}},
		})
	}
	in.Nodes[0].Leaving = candidate.Draining // it uses up the limit of its rack
	s := disruptkit.Open(in, candidate.Drifted)
	said := s.Blockers(candidate.Candidate{Node: "b", Pool: "p", Reason: candidate.Drifted})
	want := candidate.Blocker{Gate: "rack", Code: "full", Message: "full", Until: noon.Add(30 * time.Minute)}
	if len(said) == 0 || !said[0].Equal(want) {
		t.Errorf("%v, want %v first", said, want)
	}
	if d := s.Close(); !d.NextChange.Equal(want.Until) {
		t.Errorf("the next change is at %v, want %v", d.NextChange, want.Until)
	}
}
