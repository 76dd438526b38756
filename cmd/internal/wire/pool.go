package wire

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Pool has the numbers of a pool, or of a group of pools, for a reason.
type Pool struct {
	Name       string           `json:"name"`
	Reason     candidate.Reason `json:"reason"` // the one asked for, or a child that candidates have
	Nodes      int              `json:"nodes"`
	Disrupting int              `json:"disrupting"`
	Missing    int              `json:"missing,omitzero"`
	Allowed    *int             `json:"allowed"`   // null is unlimited
	Remaining  *int             `json:"remaining"` // null with it
	Binding    []int            `json:"binding"`   // positions in spec.disruption.budgets
	Until      *time.Time       `json:"until"`
	Topology   []Topology       `json:"topology"`
	Blockers   []Blocker        `json:"blockers"`            // what blocks all of its nodes
	MayStart   *int             `json:"mayStart,omitempty"`  // how many more starts paces allow now; absent: they limit none
	NextStart  *time.Time       `json:"nextStart,omitempty"` // from when on paces allow the next, if they allow none now
	Wave       *Wave            `json:"wave,omitempty"`      // where its roll in waves stands, where there is one
	Spread     *Spread          `json:"spread,omitempty"`    // the roll that a budget spreads, where there is one
}

// A Spread is a roll whose starts a budget spreads.
type Spread struct {
	Budget int        `json:"budget"` // position in spec.disruption.budgets
	Since  *time.Time `json:"since"`
	Left   int        `json:"left"` // candidates
	Next   *time.Time `json:"next"` // null is never
	End    *time.Time `json:"end"`  // null is never
}

// A Wave is where a roll in waves stands.
type Wave struct {
	Wave  int        `json:"wave"`
	Of    int        `json:"of"`
	Nodes *int       `json:"nodes"` // null is no limit
	InUse int        `json:"inUse"`
	Since *time.Time `json:"since"` // since when it bakes
	Until *time.Time `json:"until"`
}

// A Topology is what a budget with a topology key lets each domain do.
type Topology struct {
	Budget     int        `json:"budget"` // position in spec.disruption.budgets
	Key        string     `json:"key"`
	Sequential bool       `json:"sequential"`
	Active     *string    `json:"active"` // whose turn it is; null is nobody's
	GivesWay   *time.Time `json:"givesWay"`
	Domains    []Domain   `json:"domains"`
}

// A Domain is a zone, a rack, and so on.
type Domain struct {
	Name      string `json:"name"` // "" are the nodes without the label
	Nodes     int    `json:"nodes"`
	Allowed   int    `json:"allowed"`
	Remaining int    `json:"remaining"`
	InFlight  int    `json:"inFlight"`
	Rolling   int    `json:"rolling"`
	ToGo      int    `json:"toGo"`
	Free      int    `json:"free"`
	Unready   int    `json:"unready"`
}

// NewPool returns the JSON of a PoolDecision.
func NewPool(p disruptkit.PoolDecision) Pool {
	pool := Pool{
		Name: p.Pool, Reason: p.Reason,
		Nodes: p.Nodes, Disrupting: p.Disrupting, Missing: p.Missing,
		Allowed:   Number(p.Allowance.Nodes),
		Remaining: Number(p.Remaining),
		Binding:   slices.AppendSeq([]int{}, p.Allowance.Binding.All()),
		Until:     Time(p.Until),
		Topology:  Each(p.Topology, newTopology),
		Blockers:  Each(p.Blockers, NewBlocker),
		NextStart: Time(p.NextStart),
	}
	if p.MayStart.Binding != 0 {
		pool.MayStart = &p.MayStart.Nodes
	}
	if w := p.Wave; w != nil {
		pool.Wave = &Wave{w.Wave, w.Of, Number(w.Nodes), w.InUse, Time(w.Since), Time(w.Until)}
	}
	if s := p.Spread; s != nil {
		pool.Spread = &Spread{s.Budget, Time(s.Since), s.Left, Time(s.Next), Time(s.End)}
	}
	return pool
}

func newTopology(s topology.Selection) Topology {
	t := Topology{
		Budget: s.Budget, Key: s.Key, Sequential: s.Sequential,
		GivesWay: Time(s.GivesWay),
		Domains:  Each(s.Domains, newDomain),
	}
	if s.Chosen {
		t.Active = &s.Active
	}
	return t
}

func newDomain(d topology.Domain) Domain {
	return Domain{
		Name:  d.Name,
		Nodes: d.Nodes, Allowed: d.Allowed, Remaining: d.Remaining, InFlight: d.InFlight,
		Rolling: d.Rolling, ToGo: d.ToGo, Free: d.Free, Unready: d.Unready,
	}
}

// Number returns a number of nodes, and null where there is no limit.
func Number(n int) *int {
	if n == budget.Unlimited {
		return nil
	}
	return &n
}
