package signals

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// NextChange returns when the first answer goes stale, or a pause begins or ends.
func (g *Gate) NextChange() (next time.Time) {
	for v := range g.all() {
		next = until.First(next, v.NextChange(g.fleet.Now))
	}
	for _, p := range g.pauses.all {
		_, change := p.State(g.fleet.Now)
		next = until.First(next, change)
	}
	return next
}

// Ends returns when the first pause begins that concerns the request.
func (g *Gate) Ends(r *gate.Request) (end time.Time) {
	for p := range g.concerning(r) {
		_, change := p.State(g.fleet.Now)
		end = until.First(end, change)
	}
	return end
}

// Foresee returns the pauses that hold at a later time. One that holds now and has lifted by then is not among them.
func (g *Gate) Foresee(r *gate.Request, at time.Time, _ *gate.Chances) (after []candidate.Blocker) {
	for p, blockers := range g.concerning(r) {
		if holds, _ := p.State(at); holds {
			b := blockers[0]
			b.Message, b.Later = "after that, "+b.Message, true
			after = append(after, b)
		}
	}
	return after
}
