package metrics

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/schedule"
)

// mostSlots are how many squares a row has at the most.
const mostSlots = 24

// A poolView is a NodePool on the page.
type poolView struct {
	Name, Nodes, Disrupted string
	Reasons                []reasonView
	Budgets                []budgetView
	Active                 string // how many of its budgets are active
}

// A reasonView is a row of a pool: what may be disrupted for a reason.
type reasonView struct {
	Reason, Allowed, InUse, Remaining, Until string
	State                                    string // open, full, over or closed; also a class
	Slots                                    []slot
	More                                     int // slots that are not drawn
}

// A slot is a square: a node that may be disrupted at once, in use or not, or one that is too many.
type slot struct{ Class string }

// A budgetView is an active budget, as the status of the NodePool has it.
type budgetView struct{ Of, InUse, Remaining string }

// pool returns the view of a pool, as seen at a time.
func (p picture) pool(status *report.PoolStatus, at clock) poolView {
	v := poolView{Name: wording.Quote(status.Pool), Nodes: wording.Count(status.Nodes, "node"), Disrupted: "none disrupted yet"}
	if !status.LastDisruptionTime.IsZero() {
		v.Disrupted = fmt.Sprintf("%d disrupted, the last %s", status.TotalDisrupted, at.day(status.LastDisruptionTime))
	}
	for _, d := range p.decided(status.Pool) {
		v.Reasons = append(v.Reasons, reasonOf(d, at))
	}
	for _, b := range status.ActiveBudgets {
		of := wording.Quote(cmp.Or(b.Method, "all"))
		if b.Reason != "" {
			of += ":" + wording.Quote(b.Reason)
		}
		v.Budgets = append(v.Budgets, budgetView{of, fmt.Sprint(b.Nodes), fmt.Sprint(b.Remaining)})
	}
	all, active := p.budgets(status.Pool)
	v.Active = fmt.Sprintf("%d of %s active", active, wording.Count(all, "budget"))
	return v
}

// decided returns the numbers of a pool, by reason. Where several decisions have the same, the last knows most.
func (p picture) decided(pool string) []disruptkit.PoolDecision {
	var all []disruptkit.PoolDecision
	for _, decision := range slices.Backward(p.decisions) {
		for _, d := range decision.Pools {
			known := slices.ContainsFunc(all, func(k disruptkit.PoolDecision) bool { return k.Reason == d.Reason })
			if d.Pool == pool && !known {
				all = append(all, d)
			}
		}
	}
	slices.SortFunc(all, func(a, b disruptkit.PoolDecision) int { return cmp.Compare(a.Reason, b.Reason) })
	return all
}

// budgets returns how many budgets a pool has, and how many of them are active.
func (p picture) budgets(name string) (all, active int) {
	for _, pool := range p.in.Pools {
		if pool.Name != name {
			continue
		}
		for _, b := range pool.Budgets.Limits() {
			all++
			if p.in.Now.IsZero() || schedule.InWindow(b.Window, p.in.Now) {
				active++
			}
		}
	}
	return all, active
}

func reasonOf(d disruptkit.PoolDecision, at clock) reasonView {
	allowed, inUse := d.Allowance.Nodes, d.Disrupting
	v := reasonView{Reason: wording.Quote(report.Details(d.Reason)), InUse: fmt.Sprint(inUse), Until: at.until(d.Until)}
	if allowed == budget.Unlimited {
		v.Allowed, v.Remaining, v.State = "no limit", "no limit", "open"
		allowed = inUse // that is all there is to draw
	} else {
		v.Allowed, v.Remaining = fmt.Sprint(allowed), fmt.Sprint(d.Remaining)
		v.State = state(allowed, inUse)
	}
	for i := range max(allowed, inUse) {
		switch {
		case i == mostSlots:
			v.More = max(allowed, inUse) - i
			return v
		case i < min(allowed, inUse):
			v.Slots = append(v.Slots, slot{"used"})
		case i < allowed:
			v.Slots = append(v.Slots, slot{"free"})
		default:
			v.Slots = append(v.Slots, slot{"excess"})
		}
	}
	return v
}

func state(allowed, inUse int) string {
	switch {
	case inUse > allowed:
		return "over"
	case allowed == 0:
		return "closed"
	case inUse == allowed:
		return "full"
	}
	return "open"
}
