package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A PoolStatus is what the status of a NodePool says of disruption. Its JSON is that of the
// disruption-controls-by-method RFC, from which totals can be read back after a restart: numbers of disruption are
// text there.
type PoolStatus struct {
	Pool               string
	Nodes              int // that are counted
	ActiveBudgets      []ActiveBudget
	TotalDisrupted     int       // nodes, of all methods
	LastDisruptionTime time.Time // when the last of them was first seen in flight; zero: none was
	// Reasons and Exceeded are not in the JSON: after a restart, the first report has no events but EventBudgetExceeded.
	Reasons  []ReasonStatus
	Exceeded []string // the active budgets that allow fewer nodes than go for them: "budgets[0] is 1 (Drifted)"
}

// An ActiveBudget is a budget for a whole pool that is active, for one of the reasons that it names. One that names
// several is there as often, each time with all of its nodes.
type ActiveBudget struct {
	Method    string // "" is all
	Reason    string // a child of the method; "" is all
	Nodes     int    // that use it up
	Remaining int    // how many more it lets go
}

// A ReasonStatus is how much is allowed for a reason that a decision was about.
type ReasonStatus struct {
	Reason     candidate.Reason
	Allowed    int  // or budget.Unlimited
	Disrupting int  // what uses that up
	Closed     bool // no node could go, however many the pool had: 10% of no nodes are none, but that is no closed window
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

// status returns the status of a pool, of which nodes have been started for some reasons.
func (s *summary) status(p pool, started []candidate.Reason) PoolStatus {
	status, _ := s.last(p.Name)
	status.Nodes, status.ActiveBudgets, status.Exceeded = p.Nodes, nil, nil
	for _, b := range p.statuses {
		if b.Exceeded() {
			status.Exceeded = append(status.Exceeded, p.describe(b))
		}
		if !b.Active || b.TopologyKey != "" || b.Per > 0 { // what is left of each zone is not one number, and a pace is of starts
			continue
		}
		for _, r := range named(b.Reasons) {
			method, child := parts(r)
			status.ActiveBudgets = append(status.ActiveBudgets, ActiveBudget{method, child, b.InUse, b.Remaining()})
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
				status.set(ReasonStatus{decided.Reason, decided.Allowance.Nodes, decided.Disrupting, p.closed(decided.Reason)})
			}
		}
	}
	return status
}

// set adds or replaces a reason.
func (p *PoolStatus) set(r ReasonStatus) {
	i, found := slices.BinarySearchFunc(p.Reasons, r.Reason, func(r ReasonStatus, reason candidate.Reason) int { return cmp.Compare(r.Reason, reason) })
	if found {
		p.Reasons[i] = r
	} else {
		p.Reasons = slices.Insert(p.Reasons, i, r)
	}
}

// reason returns what was known of a reason.
func (p PoolStatus) reason(reason candidate.Reason) (r ReasonStatus, known bool) {
	i := slices.IndexFunc(p.Reasons, func(r ReasonStatus) bool { return r.Reason == reason })
	if i < 0 {
		return r, false
	}
	return p.Reasons[i], true
}
