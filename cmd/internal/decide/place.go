package decide

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A place is where a candidate stands in line: the candidates of its NodePool for the reason that is asked, in the order in which they are
// judged.
type place struct {
	Position int  `json:"position"` // from 1
	Of       int  `json:"of"`
	AtOnce   *int `json:"atOnce"` // how many nodes of the NodePool may be disrupted at once; null: there is no such limit
	ahead    []string
}

// newPlace returns the place of a candidate in the line of a decision; nil: it is not in line.
func newPlace(in disruptkit.Input, d disruptkit.Decision, of candidate.Candidate) *place {
	var p place
	for c := range disruptkit.Open(in, d.Reason).Candidates() {
		if c.Pool != of.Pool {
			continue
		}
		if p.Of++; p.Position == 0 && c.Node == of.Node && c.Reason == of.Reason {
			p.Position = p.Of
		}
		if p.Position == 0 {
			p.ahead = append(p.ahead, c.Node)
		}
	}
	i := slices.IndexFunc(d.Pools, func(n disruptkit.PoolDecision) bool { return n.Pool == of.Pool && n.Reason == of.Reason })
	if i < 0 || p.Position == 0 {
		return nil
	}
	if !of.Overdue { // the limits of its pool do not block one that is
		p.AtOnce = wire.Number(d.Pools[i].Allowance.Nodes)
	}
	return &p
}

// mostAhead is how many of the nodes that are ahead in line are named.
const mostAhead = 3

// text returns "Number 2 of 40 in line, after node-a; at most 4 of them at once", and nothing if the candidate is not in line, or alone.
func (p *place) text() string {
	if p == nil || p.Of == 1 {
		return ""
	}
	text := fmt.Sprintf("Number %d of %d in line", p.Position, p.Of)
	if len(p.ahead) > 0 {
		text += ", after " + wording.List(p.ahead, mostAhead, wording.Quote)
	}
	switch {
	case p.AtOnce == nil:
	case *p.AtOnce == 0:
		text += "; none of them now"
	default:
		text += fmt.Sprintf("; at most %d of them at once", *p.AtOnce)
	}
	return text
}
