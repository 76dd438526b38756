package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A slot is a node that is to go, or is in flight.
type slot struct {
	Node
	clock    *clock
	phase    phase
	key      int // in waits: what it waits for, or its phase; -1: nothing yet
	since    time.Time
	hopeless bool // it waits for something that never changes, or its drain never ends
	read     int  // the last reading that had it
	said     said // its result
	pod      podSaid
	many     int       // how many nodes it is the account of
	shares   *template // which has its account instead; nil: none
}

type phase int8

const (
	waits phase = iota
	flies
	ended
)

// group returns the counts of the pool's clock that include the slot.
func (s *slot) group() map[int]int {
	switch {
	case s.hopeless:
		return s.clock.stuck
	case s.phase == flies:
		return s.clock.flying
	}
	return s.clock.waiting
}

// asked returns the first of the plan's reasons that a node has.
func asked(n *candidate.Node, reasons []candidate.Reason) (reason candidate.Reason, asked bool) {
	for _, r := range reasons {
		for _, c := range n.Conditions {
			if r.Covers(c.Reason) {
				return c.Reason, true
			}
		}
	}
	return "", false
}

// anyCovers reports whether one of some reasons covers another one.
func anyCovers(reasons []candidate.Reason, other candidate.Reason) bool {
	return slices.ContainsFunc(reasons, func(r candidate.Reason) bool { return r.Covers(other) })
}

// deadline returns when a node becomes overdue for one of the plan's reasons, as in Decide.
func deadline(in disruptkit.Input, n *candidate.Node, pool budget.Set, reasons []candidate.Reason) (first time.Time) {
	if in.Dialect == dialect.Karpenter || goes(n) {
		return first
	}
	for _, c := range n.Conditions {
		c.Deadline = pool.DeadlineOf(c)
		if c.HasDeadline() && anyCovers(reasons, c.Reason) {
			first = schedule.First(first, c.Deadline)
		}
	}
	return first
}
