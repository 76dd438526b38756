package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A history is a simulated roll: what became of each node, and what the decisions said meanwhile.
type history struct {
	scenario
	sequential bool
	budgets    []budget.Budget
	slots      []slot
	moments    []moment          // by time; each holds until the next
	stays      map[string]string // the nodes that stay for good, and why
}

// title says what the roll shows.
func (h *history) title() string {
	if h.sequential {
		return "One zone at a time"
	}
	return "The same fleet without zones' turns (plain budget)"
}

// A moment is what the controller saw before it slept.
type moment struct {
	at     time.Time
	open   bool              // the window is
	zones  []zoneState       // in the order of zoneSizes
	says   candidate.Blocker // what the next node to go waits for; none if no node has to go
	heldUp bool              // although the window is open, and fewer nodes are in flight than the limit
}

// A zoneState counts the machines of a zone.
type zoneState struct {
	zone                                     string
	nodes, replaced, inFlight, toGo, blocked int // blocked are those that a PDB or an annotation holds back
}

// record adds a moment.
func (h *history) record(d disruptkit.Decision, c *cluster) {
	m := moment{at: d.Now.In(h.start.Location()), open: d.Pools[0].Allowance.Nodes > 0}
	blockers := map[string][]candidate.Blocker{}
	for _, b := range d.Blocked {
		blockers[b.Node] = now(b)
		if i := slices.IndexFunc(b.Blockers, isForGood); i >= 0 {
			h.stays[b.Node] = b.Blockers[i].Message
		}
	}
	for _, z := range zoneSizes {
		m.zones = append(m.zones, count(z.zone, c.slots, blockers, d.Now))
	}
	m.says = h.next(d, c)
	m.heldUp = m.open && m.says.Code != "" && m.inFlight() < limitNodes
	h.moments = append(h.moments, m)
}

// inFlight returns how many nodes are.
func (m moment) inFlight() int {
	n := 0
	for _, z := range m.zones {
		n += z.inFlight
	}
	return n
}

// begun returns how many nodes were ever started.
func (m moment) begun() int {
	n := m.inFlight()
	for _, z := range m.zones {
		n += z.replaced
	}
	return n
}

// zonesInFlight returns in how many zones nodes are.
func (m moment) zonesInFlight() int {
	n := 0
	for _, z := range m.zones {
		if z.inFlight > 0 {
			n++
		}
	}
	return n
}

// count counts the slots of a zone.
func count(zone string, slots []slot, blockers map[string][]candidate.Blocker, now time.Time) zoneState {
	z := zoneState{zone: zone}
	for _, s := range slots {
		if s.zone != zone {
			continue
		}
		z.nodes++
		switch {
		case s.replaced(now):
			z.replaced++
		case s.inFlight(now):
			z.inFlight++
		case slices.ContainsFunc(blockers[s.old], isOfNode):
			z.blocked++
		default:
			z.toGo++
		}
	}
	return z
}

// next returns what the oldest node of the zone whose turn it is waits for. Where none is to go there, it is the oldest
// of the others, and it waits for its turn.
func (h *history) next(d disruptkit.Decision, c *cluster) candidate.Blocker {
	zones := map[string]string{}
	for _, s := range c.slots {
		if !s.inFlight(d.Now) {
			zones[s.old] = s.zone
		}
	}
	var others candidate.Blocker
	for _, b := range d.Blocked {
		zone, waits := zones[b.Node]
		switch {
		case !waits || slices.ContainsFunc(b.Blockers, isForGood):
		case !h.sequential || zone == turn(d):
			return b.Blockers[0]
		case others.Code == "":
			blockers := now(b)
			others = blockers[len(blockers)-1]
			if i := slices.IndexFunc(blockers, isClosed); i >= 0 {
				others = blockers[i]
			}
		}
	}
	return others
}

// turn returns the zone whose turn it is, if any.
func turn(d disruptkit.Decision) string {
	for _, s := range d.Pools[0].Topology {
		if s.Chosen {
			return s.Active
		}
	}
	return ""
}

// now returns what holds a candidate back now.
func now(c candidate.Candidate) []candidate.Blocker {
	return slices.DeleteFunc(slices.Clone(c.Blockers), func(b candidate.Blocker) bool { return b.Later })
}

func isForGood(b candidate.Blocker) bool { return b.ForGood }
func isClosed(b candidate.Blocker) bool {
	return b.Gate == candidate.GateBudget && b.Code == candidate.CodeAllowsNone
}
func isOfNode(b candidate.Blocker) bool {
	return b.Gate == candidate.GateNode || b.Gate == candidate.GatePod
}

// at returns the moment that holds at a time.
func (h *history) at(t time.Time) moment {
	i, found := slices.BinarySearchFunc(h.moments, t, func(m moment, t time.Time) int { return m.at.Compare(t) })
	if !found {
		i = max(0, i-1)
	}
	return h.moments[i]
}

// end returns when the last node was gone.
func (h *history) end() time.Time {
	end := h.start
	for _, s := range h.slots {
		if s.gone.After(end) {
			end = s.gone
		}
	}
	return end
}

// started returns the slots that were started, in that order.
func (h *history) started() []slot {
	started := slices.DeleteFunc(slices.Clone(h.slots), func(s slot) bool { return !s.begun() })
	slices.SortStableFunc(started, func(a, b slot) int {
		return cmp.Or(a.started.Compare(b.started), a.drifted.Compare(b.drifted), cmp.Compare(a.old, b.old))
	})
	return started
}

// A span is a time with an end.
type span struct{ from, to time.Time }

// closed returns when the window was closed.
func (h *history) closed() []span {
	var spans []span
	open := true
	for _, m := range h.moments {
		switch {
		case open && !m.open:
			spans = append(spans, span{m.at, m.at})
		case !open:
			spans[len(spans)-1].to = m.at
		}
		open = m.open
	}
	return spans
}
