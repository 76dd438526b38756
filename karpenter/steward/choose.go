package steward

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

// methods are the reasons for which Karpenter disrupts nodes, in the order in which they are asked: broken nodes first, as in Karpenter;
// then drift, which people wait for, and what has expired; consolidation only saves money.
var methods = []candidate.Reason{candidate.Unhealthy, candidate.Drifted, candidate.Expired, candidate.Empty, candidate.Underutilized}

// A choice is what may go now, and the input as it is once that is in flight.
type choice struct {
	recording *replay.Recorder
	in        disruptkit.Input
	nodes     []chosen
	next      time.Time // when time alone may change what may go; zero: never
}

// A chosen node may go now for every reason for which Karpenter could take it.
type chosen struct {
	name, pool string
	reasons    []candidate.Reason // methods
}

// choose chooses among the nodes that may. Karpenter does not say for which reason it takes a released node. So a node is chosen only
// if it may go for all its reasons, for each of them also when all others that are chosen have gone. Repair is apart: it has a veto of
// its own, so a node that is chosen for repair goes for nothing else.
func choose(recording *replay.Recorder, in disruptkit.Input, may func(*candidate.Node) bool) choice {
	c := choice{recording: recording, in: in}
	c.withhold(func(n *candidate.Node) bool { return !may(n) })
	c.withholdClosed()
	for _, reason := range methods {
		// Turns of zones go on by decisions on drift, whether a node has drifted or not.
		if reason == candidate.Drifted || slices.ContainsFunc(c.in.Nodes, func(n candidate.Node) bool { return has(&n, reason) }) {
			c.ask(reason)
		}
	}
	return c
}

// notChosen keeps a node from taking a place.
var notChosen = candidate.Blocker{Gate: candidate.GateNode, Code: "not-chosen", Message: "it is not its turn to be released"}

// withhold keeps nodes from being chosen.
func (c *choice) withhold(which func(*candidate.Node) bool) { c.in = without(c.in, which) }

func without(in disruptkit.Input, which func(*candidate.Node) bool) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if n := &in.Nodes[i]; which(n) {
			n.Blockers = append(slices.Clip(n.Blockers), notChosen)
		}
	}
	return in
}

// withholdClosed withholds nodes of which one of several reasons may not go now, whatever the others do.
func (c *choice) withholdClosed() {
	if !slices.ContainsFunc(c.in.Nodes, func(n candidate.Node) bool { return mixed(&n) }) {
		return
	}
	closed := map[string]bool{}
	for _, reason := range methods[1:] {
		d := disruptkit.Open(c.in, reason).Close()
		c.recording.Record(c.in, d)
		free := map[string]bool{}
		for _, f := range d.Free {
			free[f.Node] = true
		}
		for _, b := range d.Blocked {
			closed[b.Node] = closed[b.Node] || !free[b.Node]
		}
	}
	c.withhold(func(n *candidate.Node) bool { return closed[n.Name] && mixed(n) })
}

// mostTries bounds how often a decision is made again without nodes that may not go for another of their reasons. Then all nodes with
// several reasons wait.
const mostTries = 20

// ask chooses nodes for a reason.
func (c *choice) ask(reason candidate.Reason) {
	for try := 1; ; try++ {
		d := c.recording.Decide(c.in, reason)
		c.next = sooner(c.next, d.NextChange)
		clash := c.clashes(d)
		if len(clash) == 0 {
			c.take(d)
			return
		}
		c.withhold(func(n *candidate.Node) bool { return clash[n.Name] || try >= mostTries && mixed(n) })
	}
}

// clashes returns the allowed nodes that may not go for another of their reasons, together with all others that are allowed.
func (c *choice) clashes(d disruptkit.Decision) map[string]bool {
	if d.Reason == candidate.Unhealthy {
		return nil
	}
	allowed := map[string]bool{}
	for _, a := range d.Allowed {
		allowed[a.Node] = true
	}
	clash := map[string]bool{}
	for _, other := range methods[1:] {
		concerned := func(n *candidate.Node) bool { return allowed[n.Name] && has(n, other) }
		if other == d.Reason || !slices.ContainsFunc(c.in.Nodes, func(n candidate.Node) bool { return concerned(&n) }) {
			continue
		}
		in := without(c.in, func(n *candidate.Node) bool { return !concerned(n) })
		for i := range in.Nodes {
			n := &in.Nodes[i]
			if concerned(n) {
				clash[n.Name] = true // unless it may go
			} else if allowed[n.Name] {
				n.Leaving = max(n.Leaving, candidate.Draining)
			}
		}
		for _, a := range c.recording.Decide(in, other).Allowed {
			allowed[a.Node] = true
			delete(clash, a.Node)
		}
		if len(clash) > 0 {
			return clash
		}
	}
	return clash
}

// take chooses what a decision allows. Why a node with several reasons goes is not known until Karpenter has taken it: it counts for
// all of them.
func (c *choice) take(d disruptkit.Decision) {
	c.in = c.in.Apply(d)
	several := map[string]bool{}
	at := map[string]int{}
	for _, a := range d.Allowed {
		at[a.Node] = len(c.nodes)
		c.nodes = append(c.nodes, chosen{name: a.Node, pool: a.Pool, reasons: []candidate.Reason{d.Reason}})
	}
	if d.Reason == candidate.Unhealthy {
		return
	}
	for i := range c.in.Nodes {
		n := &c.in.Nodes[i]
		if which, is := at[n.Name]; is {
			if c.nodes[which].reasons = voluntary(n); mixed(n) {
				several[n.Name], n.DisruptedFor = true, ""
			}
		}
	}
	c.in.Memory = edited(c.in.Memory, func(_ string, s budget.Start) (budget.Start, bool) {
		if several[s.Node] && s.At.Equal(c.in.Now) {
			s.Reason = ""
		}
		return s, true
	})
}

// edited returns memories with their starts changed, or left out.
func edited(
	memory map[string]disruptkit.Memory, edit func(key string, s budget.Start) (_ budget.Start, keep bool),
) map[string]disruptkit.Memory {
	after := make(map[string]disruptkit.Memory, len(memory))
	for key, m := range memory {
		var starts []budget.Start
		for _, s := range m.Starts {
			if s, keep := edit(key, s); keep {
				starts = append(starts, s)
			}
		}
		slices.SortFunc(starts, budget.Start.Compare)
		m.Starts = starts
		after[key] = m
	}
	return after
}

// vacated returns memories without the places that some nodes hold, as if they had not started. Those that soak stay.
func vacated(memory map[string]disruptkit.Memory, which func(node string) bool) map[string]disruptkit.Memory {
	after := maps.Clone(memory)
	for key, m := range after {
		m.Soak.Places = slices.DeleteFunc(slices.Clone(m.Soak.Places), func(one budget.Place) bool {
			return (one.Since.IsZero() || !one.Seen) && which(one.Node)
		})
		after[key] = m
	}
	return after
}

// has reports whether a node has a reason of a method.
func has(n *candidate.Node, method candidate.Reason) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return method.Covers(c.Reason) })
}

// voluntary returns the methods other than repair of which a node has a reason.
func voluntary(n *candidate.Node) (reasons []candidate.Reason) {
	for _, method := range methods[1:] {
		if has(n, method) {
			reasons = append(reasons, method)
		}
	}
	return reasons
}

// mixed reports whether Karpenter could take a node for one of several reasons.
func mixed(n *candidate.Node) bool { return len(n.Conditions) > 1 && len(voluntary(n)) > 1 }

// sooner returns the earlier of two times; zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
