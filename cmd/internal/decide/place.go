package decide

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A place is where a candidate stands in line: the candidates of its NodePool for the reason that is asked, except nodes in flight, in the
// order in which they are judged.
type place struct {
	Position int `json:"position"` // from 1
	Of       int `json:"of"`
	ahead    []string
}

// newPlace returns the place of a candidate in the line of a decision; nil: it is not in line.
func newPlace(in disruptkit.Input, d disruptkit.Decision, of candidate.Candidate) *place {
	inFlight := map[string]bool{}
	for i := range in.Nodes {
		inFlight[in.Nodes[i].Name] = in.Nodes[i].InFlight()
	}
	var p place
	for c := range disruptkit.Open(in, d.Reason).Candidates() {
		if c.Pool != of.Pool || inFlight[c.Node] {
			continue
		}
		if p.Of++; p.Position == 0 && c.Node == of.Node && c.Reason == of.Reason {
			p.Position = p.Of
		}
		if p.Position == 0 {
			name := wording.Quote(c.Node)
			if slices.ContainsFunc(d.Allowed, func(a candidate.Candidate) bool { return a.Node == c.Node }) {
				name += " (allowed now)"
			}
			p.ahead = append(p.ahead, name)
		}
	}
	if p.Position == 0 {
		return nil
	}
	return &p
}

// mostAhead is how many of the nodes that are ahead in line are named.
const mostAhead = 3

// text returns "Number 2 of 40 in the line of its NodePool, after node-a (allowed now)", and nothing if the candidate is not in line, or alone.
func (p *place) text() string {
	if p == nil || p.Of == 1 {
		return ""
	}
	text := fmt.Sprintf("Number %d of %d in the line of its NodePool", p.Position, p.Of)
	if len(p.ahead) > 0 {
		text += ", after " + wording.Some(p.ahead, mostAhead)
	}
	return text
}
