package report

import "github.com/disruptkit/disruptkit/candidate"

// A hold is a thing that holds back a node now.
type hold struct {
	pool, node string
	gate       candidate.Gate
	code       string
	pod        string // whose it is, if any
}

// holds returns what holds back the nodes that no decision lets go, each once. Nodes in flight are on their way: nothing
// holds them back any more.
func (s *summary) holds() (all []hold) {
	goes := map[string]bool{}
	for i := range s.in.Nodes {
		if n := &s.in.Nodes[i]; n.InFlight() {
			goes[n.Name] = true
		}
	}
	for _, d := range s.decisions {
		for _, c := range d.Allowed {
			goes[c.Node] = true
		}
	}
	seen := map[hold]bool{}
	for _, d := range s.decisions {
		for _, c := range d.Blocked {
			if goes[c.Node] || s.pool(c.Pool) == nil {
				continue
			}
			for _, b := range c.Blockers {
				h := hold{c.Pool, c.Node, b.Gate, b.Code, b.Pod}
				if !b.Later && !seen[h] {
					seen[h] = true
					all = append(all, h)
				}
			}
		}
	}
	return all
}

// heldPods counts each pod once, whether one schedule holds it back or several.
func (s *summary) heldPods(holds []hold) []Sample {
	all := newSeries("nodepool")
	for _, p := range s.pools {
		all.add(0, p.Name)
	}
	for _, h := range holds {
		if h.gate == candidate.GatePod && h.code == candidate.CodeOutsideSchedule {
			all.add(1, h.pool)
		}
	}
	return all.samples()
}

// blockedNodes counts each node once for each gate and code, however many of its pods say the same.
func blockedNodes(holds []hold) []Sample {
	all := newSeries("nodepool", "gate", "code")
	seen := map[hold]bool{}
	for _, h := range holds {
		h.pod = ""
		if !seen[h] {
			seen[h] = true
			all.add(1, h.pool, string(h.gate), h.code)
		}
	}
	return all.samples()
}
