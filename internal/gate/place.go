package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
)

// A Place is something that requests compete for: what the budgets of a scope allow, or what a PodDisruptionBudget
// does.
type Place struct {
	Leaves time.Time // when the first request that goes now no longer may, and leaves its place; zero: never
	Comes  time.Time // when the first request that is blocked now may go, and comes to take a place; zero: never
}

// Leave notes that a request goes now, and leaves its place at a time; zero: never.
func (p *Place) Leave(at time.Time) { p.Leaves = until.First(p.Leaves, at) }

// Come notes that a request is blocked now, and comes to take a place at a time.
func (p *Place) Come(at time.Time) { p.Comes = until.First(p.Comes, at) }
