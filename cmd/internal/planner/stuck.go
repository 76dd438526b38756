package planner

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// A stuck is nodes that make no progress, and why.
type stuck struct {
	nodes  []string
	code   string    // what they have in common: the gate and the code of a blocker, or one of the following
	why    string    // of the first of them
	unlike []string  // the others for which it is something else, each with what it is
	since  time.Time // zero: unknown
	held   bool      // they are to go, so that only looking again shows whether it lasts
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
	i := slices.IndexFunc(all, func(o stuck) bool { return o.code == s.code })
	if i < 0 {
		return append(all, *s)
	}
	o := &all[i]
	o.nodes = append(slices.Clip(o.nodes), s.nodes...)
	if s.why != o.why {
		o.unlike = append(slices.Clip(o.unlike), wording.Quote(s.nodes[0])+": "+s.why)
	}
	if s.since.Before(o.since) {
		o.since = s.since
	}
	return all
}

// A law defines which nodes are stuck, as in the help of status.
type law struct {
	after   time.Duration
	now     time.Time
	pods    *candidate.PodGate // of drains
	pdbs    []candidate.PDB
	cluster *manifest.Cluster
	planned map[string]plan.Node
	claims  map[string]manifest.Milestones // by node
	moved   map[string]time.Time           // by pool
	moves   map[string]bool                // the pools with a node that is not Ready or in progress, and not stuck
	frees   map[string]bool                // the PodDisruptionBudgets of the pods on these nodes
	groups  []disruptkit.Group
}

func newLaw(l *looker, s snapshot, p plan.Plan) *law {
	w := &law{after: l.stuckAfter, now: s.in.Now, cluster: s.cluster, pdbs: s.in.Rules.PDBs(), planned: map[string]plan.Node{}, claims: map[string]manifest.Milestones{}, moved: l.moved,
		moves: map[string]bool{}, frees: map[string]bool{}, groups: s.in.Groups}
	rules := s.in.Rules
	rules.Dialect = dialect.Disruptkit // the API server asks the PodDisruptionBudgets of each pod
	w.pods = candidate.OpenPods(rules, w.now)
	for _, n := range p.Nodes {
		w.planned[n.Name] = n
	}
	for pool, began := range l.began {
		w.moved[pool] = schedule.Last(w.moved[pool], began)
	}
	for _, m := range s.cluster.Milestones() {
		w.claims[m.Node] = m
		for _, at := range []time.Time{m.Created, m.Disrupted, m.Deleted} {
			w.moved[m.Pool] = schedule.Last(w.moved[m.Pool], at)
		}
	}
	return w
}

// long reports whether something has lasted for so long that it is stuck.
func (w *law) long(since time.Time) bool { return !since.IsZero() && w.now.Sub(since) > w.after }

// member returns a node with why it is stuck, if it is. Nodes to go are last.
func (w *law) member(n *candidate.Node, k kind) member {
	m := member{name: n.Name, pool: n.Pool, zone: n.Labels[zoneLabel], kind: k}
	switch k {
	case isToGo:
		m.start = w.planned[n.Name]
		m.stuck = w.held(m.start, n.Pool)
	case isGoing:
		m.stuck = w.going(n)
	case isUnready:
		m.since, m.stuck = w.unready(n)
	}
	if (k == isGoing || k == isUnready) && m.stuck == nil {
		w.moves[n.Pool] = true
		var v candidate.PodVerdict
		w.pods.Judge(&v, n, &candidate.Condition{})
		for _, u := range v.Uses {
			pdb := w.pdbs[u.PDB]
			w.frees[pdb.Namespace+"/"+pdb.Name] = true
		}
	}
	if s := m.stuck; s != nil {
		s.nodes = []string{n.Name}
		if !s.since.IsZero() {
			s.since = s.since.In(w.now.Location())
		}
	}
	return m
}

// held returns why a node that is to go is stuck; nil: it is not. To a plan, what is used up now is used up for good, but nodes that are
// not stuck give back what they use.
func (w *law) held(n plan.Node, pool string) *stuck {
	if n.Outcome != plan.Never {
		return nil
	}
	lasts := func(b candidate.Blocker) bool { return b.Until.IsZero() && !w.givenBack(b, pool) }
	if len(n.Blockers) > 0 && !slices.ContainsFunc(n.Blockers, lasts) {
		return nil
	}
	return &stuck{code: heldBy(n), why: why(n), since: w.moved[pool], held: true}
}

// givenBack reports whether a blocker is that nodes use up something which others give back: those of the pool or of the group whose budget it
// is, or those on which pods have the PodDisruptionBudget.
func (w *law) givenBack(b candidate.Blocker, pool string) bool {
	switch moves := func(pool string) bool { return w.moves[pool] }; {
	case b.Gate == candidate.GatePod && (b.Code == candidate.CodeAllowsNone || b.Code == candidate.CodeExhausted):
		return moves(pool) || b.Source != nil && slices.ContainsFunc(b.Source.PDBs, func(name string) bool { return w.frees[name] })
	case b.Code != candidate.CodeExhausted && b.Code != candidate.CodeReserved:
		return false
	case b.Source != nil && b.Source.Group != "":
		return slices.ContainsFunc(w.groups, func(g disruptkit.Group) bool { return g.Name == b.Source.Group && slices.ContainsFunc(g.Pools, moves) })
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
func (w *law) unready(n *candidate.Node) (since time.Time, _ *stuck) {
	since, why := n.Created, "it was created, and is not Ready"
	if at := w.cluster.Standing(*n).Since; !at.IsZero() {
		since, why = at, "it is not Ready, and uses up budgets"
	}
	if !w.long(since) {
		return since, nil
	}
	return since, &stuck{code: stuckUnready, why: why, since: since}
}

// going returns why a node in progress is stuck; nil: it is not.
func (w *law) going(n *candidate.Node) *stuck {
	m := w.claims[n.Name]
	switch planned := w.planned[n.Name]; {
	case planned.Drains():
		return &stuck{code: stuckDrain, why: why(planned), since: m.Deleted}
	case !m.Deleted.IsZero():
		if !w.long(m.Deleted) || n.Deadline.After(w.now) {
			return nil
		}
		if over := Outlived(n, w.now); over != "" {
			return &stuck{code: stuckOver, why: over, since: m.Deleted}
		}
		why := fmt.Sprintf("its drain takes longer than %s", wording.Duration(w.after))
		for _, b := range w.pods.Blockers(n, candidate.Condition{}) {
			if b.Until.IsZero() {
				why += ": " + b.Message
				break
			}
		}
		return &stuck{code: stuckDrain, why: why, since: m.Deleted}
	case w.long(m.Disrupted):
		return &stuck{code: stuckLaunch, why: fmt.Sprintf("its replacement has not been Ready for longer than %s", wording.Duration(w.after)), since: m.Disrupted}
	}
	return nil
}
