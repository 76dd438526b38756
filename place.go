package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
)

// A place is what candidates take from each other, and what a decision knows of it so far: what a pool's budgets allow, or a
// PDB.
//
//	may go now:  n1 n2 n3 ──▶ the first leaves when its window closes, or its budget falls
//	cannot now:  n4 n5    ──▶ the first comes when what holds it back lifts, or somebody leaves
type place struct {
	leaves time.Time // when the first of those that may go now no longer may
	comes  time.Time // when the first of those that cannot may
	coming int       // how many of those there are
}

// leave notes that one that may go now no longer may at a time, if ever.
func (p *place) leave(at time.Time) { p.leaves = until.First(p.leaves, at) }

// come notes that one that cannot go now may at a time.
func (p *place) come(at time.Time) {
	p.comes = until.First(p.comes, at)
	p.coming++
}

// A chance is when a candidate that is held back may go at the earliest, if it may.
type chance struct {
	at time.Time
	ok bool
}

func (c *chance) wait(at time.Time) {
	c.at, c.ok = until.Latest(c.at, at), c.ok && !at.IsZero()
}
