package disruptkit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
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

// status returns the status of a pool.
func (s *summary) status(p *pool, started map[string][]candidate.Reason) PoolStatus {
	status, _ := s.last(p.Name)
	status.Nodes, status.ActiveBudgets = p.nodes, nil
	for _, b := range s.budgets(p) {
		if !b.Active || b.TopologyKey != "" { // what is left of each zone is not one number
			continue
		}
		for _, r := range named(b.Reasons) {
			method, child := parts(r)
			status.ActiveBudgets = append(status.ActiveBudgets, ActiveBudget{method, child, b.InUse, b.Remaining()})
		}
	}
	if n := len(started[p.Name]); n > 0 {
		status.TotalDisrupted += n
		status.LastDisruptionTime = s.in.Now
	}
	status.Exceeded = nil
	for _, b := range s.budgets(p) {
		if b.Exceeded() {
			status.Exceeded = append(status.Exceeded, describe(p.Budgets, b))
		}
	}
	status.Reasons = slices.Clone(status.Reasons)
	for _, d := range s.decisions {
		for _, decided := range d.Pools {
			if decided.Pool == p.Name {
				status.set(ReasonStatus{decided.Reason, decided.Allowance.Nodes, decided.Disrupting, s.closed(p, decided.Reason)})
			}
		}
	}
	return status
}

// closed reports whether the budgets of a pool let no node go for a reason, even if it had one. (A percentage rounds up: of one
// node or more it is at least 1, unless it is 0%.)
func (s *summary) closed(p *pool, reason candidate.Reason) bool {
	allowance, _ := budget.AllowedByReason(p.Budgets, s.in.Now, max(p.nodes, 1), reason)
	return allowance.Nodes == 0
}

// describe names a budget: "budgets[0] is 10% (Drifted)".
func describe(set budget.Set, b budget.Status) string {
	written := set.Budgets()
	switch {
	case b.Index < 0:
		return fmt.Sprintf("%d budgets are too many", len(written))
	case set.Broken().Has(b.Index):
		return set.Place(b.Index) + " is broken"
	}
	return fmt.Sprintf("%s is %s", set.Place(b.Index), written[b.Index])
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

// The JSON of a status.
type (
	poolStatusJSON struct {
		Disruption disruptionJSON `json:"disruption"`
		Resources  resourcesJSON  `json:"resources"`
	}
	disruptionJSON struct {
		ActiveBudgets      []activeBudgetJSON `json:"activeBudgets"`
		TotalDisrupted     string             `json:"totalDisruptedNodes"`
		LastDisruptionTime *time.Time         `json:"lastDisruptionTime,omitempty"`
	}
	activeBudgetJSON struct {
		Method    string `json:"method,omitempty"`
		Reason    string `json:"reason,omitempty"`
		Nodes     string `json:"nodes"`
		Remaining string `json:"remainingBudget"`
	}
	resourcesJSON struct {
		Nodes int `json:"nodes"`
	}
)

// MarshalJSON encodes what belongs into the status of a NodePool.
func (p PoolStatus) MarshalJSON() ([]byte, error) {
	s := poolStatusJSON{
		Disruption: disruptionJSON{ActiveBudgets: []activeBudgetJSON{}, TotalDisrupted: strconv.Itoa(p.TotalDisrupted)},
		Resources:  resourcesJSON{p.Nodes},
	}
	for _, b := range p.ActiveBudgets {
		s.Disruption.ActiveBudgets = append(s.Disruption.ActiveBudgets,
			activeBudgetJSON{b.Method, b.Reason, strconv.Itoa(b.Nodes), strconv.Itoa(b.Remaining)})
	}
	if t := p.LastDisruptionTime; !t.IsZero() {
		t = t.UTC().Truncate(time.Second)
		s.Disruption.LastDisruptionTime = &t
	}
	return json.Marshal(s)
}

// UnmarshalJSON decodes the status of a NodePool; the name of the pool is not in it. Null leaves it as it is, by
// convention.
func (p *PoolStatus) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	var s poolStatusJSON
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(data, &s); {
	case errors.As(err, &wrongType):
		return fmt.Errorf("status of a NodePool: field %q: a JSON %s is not what belongs there", wrongType.Field, wrongType.Value)
	case err != nil:
		return fmt.Errorf("status of a NodePool: %w", err)
	}
	var errs []error
	number := func(field, text string) int {
		n, err := strconv.Atoi(cmp.Or(text, "0"))
		if err != nil || n < 0 {
			errs = append(errs, fmt.Errorf("status of a NodePool: %s %.100q is no number of nodes: write one such as \"5\"", field, text))
		}
		return n
	}
	status := PoolStatus{Pool: p.Pool, Nodes: number("nodes", strconv.Itoa(s.Resources.Nodes)),
		TotalDisrupted: number("totalDisruptedNodes", s.Disruption.TotalDisrupted)}
	for _, b := range s.Disruption.ActiveBudgets {
		status.ActiveBudgets = append(status.ActiveBudgets,
			ActiveBudget{b.Method, b.Reason, number("nodes", b.Nodes), number("remainingBudget", b.Remaining)})
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if t := s.Disruption.LastDisruptionTime; t != nil {
		status.LastDisruptionTime = *t
	}
	*p = status
	return nil
}

// unlimited returns a number as people read it.
func unlimited(n int) string {
	if n == budget.Unlimited {
		return "any number"
	}
	return strconv.Itoa(n)
}
