package steward

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

// methods are the reasons for which Karpenter disrupts nodes, in the order in which they are asked: broken nodes first, as in Karpenter;
// then what somebody asks for; drift, which people wait for, and what has expired; consolidation only saves money.
var methods = []candidate.Reason{
	candidate.Unhealthy, candidate.Requested, candidate.Drifted, candidate.Expired, candidate.Empty, candidate.Underutilized,
}

// has reports whether a node is one of those that are chosen.
func (c choice) has(node string) bool {
	return slices.ContainsFunc(c.nodes, func(n chosen) bool { return n.name == node })
}

// A choice is what may be disrupted now, and the input as it is once that is in flight.
type choice struct {
	recording *replay.Recorder
	in        disruptkit.Input
	nodes     []chosen
	next      time.Time // when time alone may change what may be disrupted; zero: never
}

// A chosen node may be disrupted now for every reason for which Karpenter could take it.
type chosen struct {
	name, pool string
	reasons    []candidate.Reason // methods
}

// choose chooses among the nodes that may. Karpenter does not say for which reason it takes a released node. So a node with several
// reasons is chosen only if nothing blocks it for any of them, and counts for all. Repair is apart: it has a veto of its own, so a node
// that is chosen for repair is disrupted for nothing else.
func choose(recording *replay.Recorder, in disruptkit.Input, may func(*candidate.Node) bool) choice {
	c := choice{recording: recording, in: in}
	c.withhold(func(n *candidate.Node) bool { return !may(n) })
	if slices.ContainsFunc(c.in.Nodes, func(n candidate.Node) bool { return has(&n, candidate.Unhealthy) }) {
		c.repair()
	}
	c.voluntary()
	return c
}

// repair chooses nodes to be repaired, whatever their units.
func (c *choice) repair() {
	d := c.recording.Decide(alone(c.in), candidate.Unhealthy)
	c.take(d, func(*candidate.Node) []candidate.Reason { return []candidate.Reason{candidate.Unhealthy} })
}

// voluntary chooses nodes for all other reasons, one method after the other.
func (c *choice) voluntary() {
	several := map[string]bool{}
	for i := range c.in.Nodes {
		if n := &c.in.Nodes[i]; engine.Several(n) {
			several[n.Name] = true
		}
	}
	c.withholdClosed(several)
	in := c.unrepaired()
	s := disruptkit.Open(in, "")
	for _, method := range methods[1:] {
		for one := range s.Candidates() {
			if !method.Covers(one.Reason) {
				continue
			}
			if several[one.Node] {
				one.Reason = "" // whichever Karpenter takes it for
			}
			s.Disrupt(one)
		}
	}
	d := s.Close()
	c.recording.Record(in, d)
	c.take(d, voluntary)
}

// unrepaired returns the input without reasons for repair.
func (c *choice) unrepaired() disruptkit.Input {
	in := c.in
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if n := &in.Nodes[i]; has(n, candidate.Unhealthy) {
			n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c candidate.Condition) bool {
				return candidate.Unhealthy.Covers(c.Reason)
			})
		}
	}
	return in
}

// notChosen keeps a node from using a slot.
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

// withholdClosed withholds nodes that something blocks for one of several reasons before any other is chosen, so that no zone waits for
// them.
func (c *choice) withholdClosed(several map[string]bool) {
	if len(several) == 0 {
		return
	}
	s := disruptkit.Open(c.unrepaired(), "")
	c.withhold(func(n *candidate.Node) bool {
		return several[n.Name] && len(s.Blockers(candidate.Candidate{Node: n.Name, Pool: n.Pool})) > 0
	})
}

// take chooses what a decision allows, each node for some methods.
func (c *choice) take(d disruptkit.Decision, reasons func(*candidate.Node) []candidate.Reason) {
	c.in, c.next = c.in.Apply(d), sooner(c.next, d.NextChange)
	nodes := map[string]*candidate.Node{}
	for i := range c.in.Nodes {
		nodes[c.in.Nodes[i].Name] = &c.in.Nodes[i]
	}
	for _, a := range d.Allowed {
		c.nodes = append(c.nodes, chosen{name: a.Node, pool: a.Pool, reasons: reasons(nodes[a.Node])})
	}
}

// edited returns memories with their starts changed, or left out.
func edited(
	memory map[string]disruptkit.Memory, edit func(key string, s disruptkit.Start) (_ disruptkit.Start, keep bool),
) map[string]disruptkit.Memory {
	after := make(map[string]disruptkit.Memory, len(memory))
	for key, m := range memory {
		var starts []disruptkit.Start
		for _, s := range m.Starts {
			if s, keep := edit(key, s); keep {
				starts = append(starts, s)
			}
		}
		slices.SortFunc(starts, disruptkit.Start.Compare)
		m.Starts = starts
		after[key] = m
	}
	return after
}

// vacated returns memories without the places that some nodes hold, as if they had not started. Those that soak stay.
func vacated(memory map[string]disruptkit.Memory, which func(node string) bool) map[string]disruptkit.Memory {
	after := maps.Clone(memory)
	for key, m := range after {
		m.Soak.Slots = slices.DeleteFunc(slices.Clone(m.Soak.Slots), func(one disruptkit.Slot) bool {
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

// sooner returns the earlier of two times; zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
