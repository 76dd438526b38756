package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A PoolStatus is what the status of a NodePool says about disruption. Its JSON form is that of the
// disruption-controls-by-method RFC, in which numbers are strings. Totals can be read back from it after a restart.
type PoolStatus struct {
	Pool               string
	Nodes              int // the number of nodes that count
	ActiveBudgets      []ActiveBudget
	TotalDisrupted     int       // of nodes, for all methods
	LastDisruptionTime time.Time // when the last one was first seen in flight; zero: none was
	// Reasons and Exceeded are not in the JSON. So the first report after a restart has no events other than
	// EventBudgetExceeded.
	Reasons  []ReasonStatus
	Exceeded []string // active budgets that are exceeded: "budgets[0] is 1 (Drifted)"
}

// An ActiveBudget is an active budget for a whole pool, with one of the reasons that it names. A budget that names
// several reasons appears once for each, every time with all of its nodes.
type ActiveBudget struct {
	Method    string // "" means all
	Reason    string // a child of the method; "" means all
	Nodes     int    // nodes that count against it
	Remaining int    // how many more nodes it allows
}

// A ReasonStatus is what is allowed for a reason that a decision was about.
type ReasonStatus struct {
	Reason     candidate.Reason
	Allowed    int  // nodes, or budget.Unlimited
	Disrupting int  // nodes that count against Allowed
	Closed     bool // no node could be disrupted, however many nodes the pool had (10% of 0 nodes is 0, but not closed)
}

// last returns the previous status of a pool.
func (s *summary) last(pool string) (status PoolStatus, known bool) {
	for _, p := range s.previous.Pools {
		if p.Pool == pool {
			return p, true
		}
	}
	return PoolStatus{Pool: pool}, false
}

// status returns the status of a pool. Started has the reasons of its newly started nodes.
func (s *summary) status(p pool, started []candidate.Reason) PoolStatus {
	status, _ := s.last(p.Name)
	status.Nodes, status.ActiveBudgets, status.Exceeded = p.Nodes, nil, nil
	for _, b := range p.statuses {
		if b.exceeded() {
			status.Exceeded = append(status.Exceeded, p.describe(b))
		}
		if !b.active || b.Key != "" || b.Per > 0 { // zones have a number each, and a pace counts starts
			continue
		}
		for _, r := range named(b.Reasons) {
			method, child := parts(r)
			status.ActiveBudgets = append(status.ActiveBudgets, ActiveBudget{method, child, b.inUse, b.remaining()})
		}
	}
	if n := len(started); n > 0 {
		status.TotalDisrupted += n
		status.LastDisruptionTime = s.in.Now
	}
	status.Reasons = slices.Clone(status.Reasons)
	for _, d := range s.decisions {
		for _, decided := range d.Pools {
			if decided.Pool == p.Name {
				status.set(ReasonStatus{decided.Reason, decided.Allowance.Nodes, decided.Disrupting,
					p.closed(decided.Reason)})
			}
		}
	}
	return status
}

// set adds or replaces a reason.
func (p *PoolStatus) set(r ReasonStatus) {
	i, found := slices.BinarySearchFunc(p.Reasons, r.Reason,
		func(r ReasonStatus, reason candidate.Reason) int { return cmp.Compare(r.Reason, reason) })
	if found {
		p.Reasons[i] = r
	} else {
		p.Reasons = slices.Insert(p.Reasons, i, r)
	}
}

// reason returns the previous status of a reason.
func (p PoolStatus) reason(reason candidate.Reason) (r ReasonStatus, known bool) {
	i := slices.IndexFunc(p.Reasons, func(r ReasonStatus) bool { return r.Reason == reason })
	if i < 0 {
		return r, false
	}
	return p.Reasons[i], true
}
