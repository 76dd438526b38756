package report

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

// blockedNodes counts the nodes that no decision allows by gate and code of what blocks them. It counts a node once for
// each of them. Nothing blocks nodes in flight.
func (s *summary) blockedNodes() []Sample {
	type hold struct{ node, pool, gate, code string }
	all, goes, seen := newSeries("nodepool", "gate", "code"), s.going(), map[hold]bool{}
	for _, d := range s.decisions {
		for _, c := range d.Blocked {
			if goes[c.Node] || s.pool(c.Pool) == nil {
				continue
			}
			for _, b := range c.Blockers {
				if h := (hold{c.Node, c.Pool, string(b.Gate), string(b.Code)}); !seen[h] {
					seen[h] = true
					all.add(1, h.pool, h.gate, h.code)
				}
			}
		}
	}
	return all.samples()
}
