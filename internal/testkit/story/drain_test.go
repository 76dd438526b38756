package story_test

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
)

// drain evicts all pods of nodes in flight that may be evicted now, one after the other.
func (s *scenario) drain(argument string) (string, error) {
	if argument != "" {
		return "", fmt.Errorf("%q does not belong here: a drain is of all nodes in flight", strings.TrimSpace(argument))
	}
	told := s.clock() + "\n"
	for i := range s.nodes {
		n := &s.nodes[i]
		for j := range n.Pods {
			p := &n.Pods[j]
			if n.Leaving != candidate.Draining || p.Inactive {
				continue
			}
			blockers := drain.Gate(s.rules(), *n, s.podsOf(*n)[j], s.now)
			if len(blockers) == 0 {
				p.Inactive = true
				told += fmt.Sprintf("%s/%s leaves %s\n", p.Namespace, p.Name, n.Name)
				continue
			}
			told += fmt.Sprintf("%s/%s stays on %s:\n", p.Namespace, p.Name, n.Name)
			for _, b := range blockers {
				told += scenarioWrapped("  - " + b.String())
			}
		}
	}
	for _, b := range s.pdbs {
		if pods, unavailable := s.counts(b); unavailable > b.maxUnavailable {
			told += fmt.Sprintf("! PDB %s/%s is violated: %d of %d pods are unavailable, maxUnavailable is %d\n",
				b.Namespace, b.Name, unavailable, pods, b.maxUnavailable)
		}
	}
	return told, nil
}

// mark marks a node for deletion, which begins its termination grace period.
func (s *scenario) mark(n *candidate.Node, reason candidate.Reason) {
	s.goesDown(n)
	n.Leaving, n.DisruptedFor = candidate.Draining, reason
	if s.grace > 0 {
		n.Deadline = s.now.Add(s.grace)
	}
}
