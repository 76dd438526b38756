package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Moves estimates how often pods move until the plan ends. Pods is how many leave a node at least once, and moves is
// how often they do together. A pod lands on any node of its pool that is Ready and not in flight, each as likely as
// the others: real schedulers look at room as well. Nodes that start within soon are left out as long as there are
// others, as with a PreferNoSchedule taint on them (disruptkit.Decision.Soon). Nodes are those of the input.
func (p Plan) Moves(nodes []candidate.Node, soon time.Duration) (pods int, moves float64) {
	ends := map[string]*Node{}
	for _, list := range [][]Node{p.Nodes, p.Expiring} {
		for i := range list {
			ends[list[i].Name] = &list[i]
		}
	}
	hosts := map[string][]*host{} // by pool
	for i := range nodes {
		n := &nodes[i]
		h := &host{end: &Node{}, closed: !n.Ready() || n.InFlight()}
		for j := range n.Pods {
			if !n.Pods[j].Stays {
				h.pods++
			}
		}
		if end, there := ends[n.Name]; there {
			h.end = end
			if !end.Gone.IsZero() {
				pods += int(h.pods)
			}
			if end.Replacement != "" && !end.Ready.IsZero() {
				hosts[n.Pool] = append(hosts[n.Pool], &host{end: &Node{}, since: end.Ready})
			}
		}
		hosts[n.Pool] = append(hosts[n.Pool], h)
	}
	for _, all := range hosts {
		moves += scatter(all, soon)
	}
	return pods, moves
}

// A host is a node on which pods are: one of the input, or a replacement.
type host struct {
	end    *Node     // when it starts and is gone; empty: it stays
	since  time.Time // when a replacement is Ready
	closed bool      // no pod lands on it
	pods   float64   // the expected number
}

// scatter moves the pods of each node of a pool that is gone to the others, and returns how many moves that takes.
func scatter(hosts []*host, soon time.Duration) (moves float64) {
	leaving := slices.DeleteFunc(slices.Clone(hosts), func(h *host) bool { return h.end.Gone.IsZero() })
	slices.SortStableFunc(leaving, func(a, b *host) int { return a.end.Gone.Compare(b.end.Gone) })
	var open, last []*host
	for _, from := range leaving {
		open, last = open[:0], last[:0]
		at := from.end.Gone
		for _, h := range hosts {
			switch start := h.end.Start; {
			case h.closed || h.since.After(at) || !start.IsZero() && !start.After(at):
			case !start.IsZero() && !start.After(at.Add(soon)):
				last = append(last, h)
			default:
				open = append(open, h)
			}
		}
		if len(open) == 0 {
			open = last
		}
		for _, h := range open {
			h.pods += from.pods / float64(len(open))
		}
		moves, from.pods = moves+from.pods, 0
	}
	return moves
}
