package report

import "github.com/disruptkit/disruptkit/candidate"

// A hold is one thing that blocks a node now.
type hold struct {
	pool, node string
	gate       candidate.Gate
	code       candidate.Code
	pod        string // the pod that blocks the node, if any
}

// going returns the nodes that nothing blocks: those in flight, and those that a decision allows.
func (s *summary) going() map[string]bool {
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
	return goes
}

// holds returns, without duplicates, what blocks the nodes that no decision allows. Nothing blocks nodes in
// flight.
func (s *summary) holds() (all []hold) {
	goes, seen := s.going(), map[hold]bool{}
	for _, d := range s.decisions {
		for _, c := range d.Blocked {
			if goes[c.Node] || s.pool(c.Pool) == nil {
				continue
			}
			for _, b := range c.Blockers {
				h := hold{c.Pool, c.Node, b.Gate, b.Code, b.Pod}
				if !seen[h] {
					seen[h] = true
					all = append(all, h)
				}
			}
		}
	}
	return all
}

// heldPods counts pods that wait for their schedule. It counts each pod once.
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

// blockedNodes counts blocked nodes by gate and code. It counts a node once even if several of its pods have the same
// blocker.
func blockedNodes(holds []hold) []Sample {
	all := newSeries("nodepool", "gate", "code")
	seen := map[hold]bool{}
	for _, h := range holds {
		h.pod = ""
		if !seen[h] {
			seen[h] = true
			all.add(1, h.pool, string(h.gate), string(h.code))
		}
	}
	return all.samples()
}
