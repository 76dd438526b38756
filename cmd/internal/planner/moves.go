package planner

import (
	"fmt"
	"time"
)

// soon is the time of steward run --taint-soon that plans compare with none.
const soon = time.Hour

// jsonMoves is how often pods move while the plan lasts: an estimate.
type jsonMoves struct {
	Pods    int     `json:"pods"`    // that leave a node
	Moves   float64 `json:"moves"`   // how often they do together
	Tainted float64 `json:"tainted"` // how often they do if the steward taints what is next
	Within  float64 `json:"within"`  // the seconds of its --taint-soon
}

// moves returns how often pods move.
func (p planned) moves() jsonMoves {
	pods, moves := p.plan.Moves(p.in.Nodes, 0)
	_, tainted := p.plan.Moves(p.in.Nodes, soon)
	return jsonMoves{pods, moves, tainted, soon.Seconds()}
}

// moving describes how often pods move, if some move more than once.
func (p planned) moving() string {
	m := p.moves()
	each := func(moves float64) string { return fmt.Sprintf("%.1f", moves/float64(m.Pods)) }
	if m.Pods == 0 || each(m.Moves) == each(float64(m.Pods)) {
		return ""
	}
	return fmt.Sprintf("Each of %d pods moves %s times on average, and %s times with steward run --taint-soon 1h: an estimate, since "+
		"pods may land on any Ready node of their pool.", m.Pods, each(m.Moves), each(m.Tainted))
}
