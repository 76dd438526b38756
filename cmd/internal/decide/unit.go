package decide

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// becauseOf names the node of its unit because of which a candidate is disrupted.
func becauseOf(c candidate.Candidate) string {
	return "because of " + wording.Quote(c.Because) + " of its unit"
}

// unit describes the unit with which the node is disrupted; "": it is disrupted alone.
func (s stay) unit() string {
	if s.node.Unit == "" {
		return ""
	}
	var others []string
	for i := range s.in.Nodes {
		if n := &s.in.Nodes[i]; n.Unit == s.node.Unit && n.Name != s.node.Name {
			others = append(others, wording.Quote(n.Name))
		}
	}
	if len(others) == 0 {
		return ""
	}
	return "Its unit " + wording.Quote(s.node.Unit) + " is disrupted together: the node, " + wording.Some(others, mostUsers) + "."
}
