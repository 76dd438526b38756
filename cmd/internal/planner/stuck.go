package planner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// A stuck is nodes that make no progress, and why.
type stuck struct {
	Nodes []string  `json:"nodes"`
	Code  string    `json:"code"`           // what they have in common: the gate and the code of a blocker, or one of the following
	Why   string    `json:"message"`        // of the first of them
	Since time.Time `json:"since,omitzero"` // absent: unknown

	unlike []string // the others for which it is something else, each with what it is
	held   bool     // they are to go, so that only looking again shows whether it lasts
}

// What keeps nodes that nothing blocks.
const (
	stuckDrain   = "drain"
	stuckOver    = "grace-period" // which is over
	stuckLaunch  = "launch"
	stuckUnready = "not-ready"
)

// join adds a stuck node to others that are stuck for the same.
func (s *stuck) join(all []stuck) []stuck {
	i := slices.IndexFunc(all, func(o stuck) bool { return o.Code == s.Code })
	if i < 0 {
		return append(all, *s)
	}
	o := &all[i]
	o.Nodes = append(slices.Clip(o.Nodes), s.Nodes...)
	if s.Why != o.Why {
		o.unlike = append(slices.Clip(o.unlike), wording.Quote(s.Nodes[0])+": "+s.Why)
	}
	if s.Since.Before(o.Since) {
		o.Since = s.Since
	}
	return all
}

// The methods below define which nodes are stuck, as in the help of status.

// long reports whether something has lasted for so long that it is stuck.
func (c *census) long(since time.Time) bool {
	return !since.IsZero() && c.in.Now.Sub(since) > c.stuckAfter
}

// member returns a node with why it is stuck, if it is. Nodes to go are last.
func (c *census) member(n *candidate.Node, k kind) member {
	m := member{Node: n, kind: k}
	switch k {
	case isToGo:
		m.start = c.planned[n.Name]
		if m.stuck = c.held(m.start, n.Pool); m.stuck != nil && !n.Ready() {
			if _, unready := c.unready(n); unready != nil {
				m.stuck = unready
			}
		}
	case isGoing:
		m.stuck = c.going(n)
	case isUnready:
		m.since, m.stuck = c.unready(n)
	}
	if (k == isGoing || k == isUnready) && m.stuck == nil {
		c.givesBack(n)
	}
	if s := m.stuck; s != nil {
		s.Nodes = []string{n.Name}
		if !s.Since.IsZero() {
			s.Since = s.Since.In(c.in.Now.Location())
		}
	}
	return m
}

// givesBack records that a node will give back what it uses.
func (c *census) givesBack(n *candidate.Node) {
	c.moves[n.Pool] = true
	var v candidate.PodVerdict
	pdbs := c.in.Rules.PDBs()
	c.pods.Judge(&v, n, &candidate.Condition{})
	for _, u := range v.Uses {
		pdb := pdbs[u.PDB]
		c.frees[pdb.Namespace+"/"+pdb.Name] = true
	}
}

// rolling returns the pools that still roll in the second half of the plan, or that only time blocks at its end, and those that share a policy
// with them.
func (c *census) rolling() map[string]bool {
	rolls, p := map[string]bool{}, c.plans.Plan
	half := p.From.Add(p.Horizon.Sub(p.From) / 2)
	for _, n := range p.Nodes {
		waits := n.Outcome == plan.Open && !slices.ContainsFunc(n.Blockers, lasts)
		rolls[n.Pool] = rolls[n.Pool] || waits || n.Outcome == plan.Done && n.End().After(half)
	}
	for _, g := range c.in.Groups {
		if slices.ContainsFunc(g.Pools, func(pool string) bool { return rolls[pool] }) {
			for _, pool := range g.Pools {
				rolls[pool] = true
			}
		}
	}
	return rolls
}

// lasts reports whether time alone does not lift a blocker.
func lasts(b candidate.Blocker) bool { return b.Until.IsZero() }

// mostChanges is how many changes of decisions are looked at, at most.
const mostChanges = 50

// endless returns a node as planned if a plan had no end. A plan ends at its horizon where windows recur. If nothing of the pool rolls then, a
// node that is still to go is never gone unless time lifts all that blocks it once the budgets allow any.
func (c *census) endless(n plan.Node, rolls map[string]bool) plan.Node {
	if n.Outcome != plan.Open || c.plans.Plan.Stopped || rolls[n.Pool] {
		return n
	}
	closed := func(b candidate.Blocker) bool {
		return b.Code == candidate.CodeAllowsNone && b.Gate != candidate.GatePod
	}
	at := c.in.Now
	for range mostChanges {
		d := c.decision(asked{at, n.Reason.Method()})
		blockers, blocked := d.blockers[n.Name]
		if !blocked {
			return n
		}
		if !slices.ContainsFunc(blockers, closed) {
			n.Blockers = slices.Clone(blockers)
			slices.SortStableFunc(n.Blockers, func(a, b candidate.Blocker) int { return cmp.Compare(a.Until.Unix(), b.Until.Unix()) }) // zero is first
			break
		}
		if at = d.next; at.IsZero() {
			break
		}
	}
	if slices.ContainsFunc(n.Blockers, lasts) {
		n.Outcome = plan.Never
		n = named(c.cluster, c.in, plan.Plan{Nodes: []plan.Node{n}}).Nodes[0]
	}
	return n
}

// asked is a decision.
type asked struct {
	at     time.Time
	reason candidate.Reason
}

// An outcome is what blocks each node by a decision, and when that may next change.
type outcome struct {
	blockers map[string][]candidate.Blocker
	next     time.Time
}

// decision returns what is decided at a time, if all else is as it is now.
func (c *census) decision(a asked) outcome {
	o, known := c.later[a]
	if !known {
		in := c.in
		in.Now = a.at
		d := c.cluster.Decide(in, a.reason)
		o = outcome{map[string][]candidate.Blocker{}, d.NextChange}
		for _, b := range d.Blocked {
			if _, there := o.blockers[b.Node]; !there {
				o.blockers[b.Node] = b.Blockers
			}
		}
		c.later[a] = o
	}
	return o
}

// held returns why a node that is to go is stuck; nil: it is not. To a plan, what is used up now is used up for good, but nodes that are
// not stuck give back what they use.
func (c *census) held(n plan.Node, pool string) *stuck {
	if n.Outcome != plan.Never {
		return nil
	}
	forGood := func(b candidate.Blocker) bool { return lasts(b) && !c.givenBack(b, pool) }
	if len(n.Blockers) > 0 && !slices.ContainsFunc(n.Blockers, forGood) {
		return nil
	}
	return &stuck{Code: heldBy(n), Why: why(n), Since: c.moved[pool], held: true}
}

// givenBack reports whether a blocker is that nodes use up something which others give back: those of the pool or of the group whose budget it
// is, or those on which pods have the PodDisruptionBudget.
func (c *census) givenBack(b candidate.Blocker, pool string) bool {
	switch moves := func(pool string) bool { return c.moves[pool] }; {
	case b.Gate == candidate.GatePod && (b.Code == candidate.CodeAllowsNone || b.Code == candidate.CodeExhausted):
		return moves(pool) || b.Source != nil && slices.ContainsFunc(b.Source.PDBs, func(name string) bool { return c.frees[name] })
	case b.Code != candidate.CodeExhausted && b.Code != candidate.CodeReserved:
		return false
	case b.Source != nil && b.Source.Group != "":
		return slices.ContainsFunc(c.in.Groups, func(g disruptkit.Group) bool { return g.Name == b.Source.Group && slices.ContainsFunc(g.Pools, moves) })
	default:
		return moves(pool)
	}
}

// heldBy returns the gate and the code of what blocks a node.
func heldBy(n plan.Node) string {
	if len(n.Blockers) == 0 {
		return "unknown"
	}
	return string(n.Blockers[0].Gate) + "/" + string(n.Blockers[0].Code)
}

// unready returns since when a node is not Ready, and why it is stuck; nil: it has not been so for long.
func (c *census) unready(n *candidate.Node) (since time.Time, _ *stuck) {
	since, why := n.Created, "it was created, and is not Ready"
	if at := c.cluster.Standing(*n).Since; !at.IsZero() {
		since, why = at, "it is not Ready, and uses up budgets"
	}
	if !c.long(since) {
		return since, nil
	}
	return since, &stuck{Code: stuckUnready, Why: why, Since: since}
}

// going returns why a node in progress is stuck; nil: it is not.
func (c *census) going(n *candidate.Node) *stuck {
	m := c.claims[n.Name]
	switch planned := c.planned[n.Name]; {
	case planned.Drains():
		return &stuck{Code: stuckDrain, Why: why(planned), Since: m.Deleted}
	case !m.Deleted.IsZero():
		if !c.long(m.Deleted) || n.Deadline.After(c.in.Now) {
			return nil
		}
		if over := Outlived(n, c.in.Now); over != "" {
			return &stuck{Code: stuckOver, Why: over, Since: m.Deleted}
		}
		why := fmt.Sprintf("its drain takes longer than %s", wording.Duration(c.stuckAfter))
		for _, b := range c.pods.Blockers(n, candidate.Condition{}) {
			if b.Until.IsZero() {
				why += ": " + b.Message
				break
			}
		}
		return &stuck{Code: stuckDrain, Why: why, Since: m.Deleted}
	case c.long(m.Disrupted):
		return &stuck{Code: stuckLaunch, Why: fmt.Sprintf("its replacement has not been Ready for longer than %s", wording.Duration(c.stuckAfter)), Since: m.Disrupted}
	}
	return nil
}
