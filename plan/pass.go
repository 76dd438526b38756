package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// PassOf returns how long a pass of Karpenter takes that starts a drifted node, by the number of nodes of the cluster,
// for Model.Pass if nothing is measured: a second, because Karpenter waits until the cloud has accepted the launch, and
// checks each second; and 1.5 milliseconds for each node, as measured with ten pods a node (docs/evidence.md). It is
// longer if the cloud takes longer to accept a launch, or with more pods. (Karpenter: Cluster.Synced,
// Controller.Reconcile.)
func PassOf(nodes int) time.Duration {
	return time.Second + time.Duration(max(nodes, 0))*passPerNode
}

// pass returns Pass, or its default for an input.
func (m Model) pass(in disruptkit.Input) time.Duration {
	if m.Pass == 0 && in.Dialect == dialect.Karpenter {
		return PassOf(len(in.Nodes))
	}
	return m.Pass
}

// startsOne reports whether a pass starts one drifted node of all pools but static ones, the first in line.
func (m Model) startsOne() bool { return m.Pass > 0 && !m.Batched }

// startsOneOf reports whether a pass of Karpenter starts at most one node of a pool with a reason, the first in line
// that is allowed. Then it does not matter how many of the others budgets allow.
func (f *fleet) startsOneOf(pool string, reason candidate.Reason) bool {
	return f.model.startsOne() && f.in.Dialect == dialect.Karpenter && candidate.Drifted.Covers(reason) &&
		!f.model.static(pool)
}

// ahead counts, by pool, the nodes that a decision allows although a pass starts at most one of them. Karpenter's
// budgets are the same for all of them. A decision on few nodes in place of many counts at least two if there are two.
type ahead map[string]int

// of returns the count for a candidate that a pass may start with them.
func (a ahead) of(c *candidate.Candidate) int {
	if !candidate.Drifted.Covers(c.Reason) {
		return 0
	}
	return a[c.Pool]
}

func (s *simulation) ahead(d disruptkit.Decision) ahead {
	ahead := ahead{}
	for i := range d.Allowed {
		if c := &d.Allowed[i]; s.startsOneOf(c.Pool, c.Reason) {
			ahead[c.Pool]++
		}
	}
	return ahead
}

const passPerNode = 1500 * time.Microsecond

// batch returns which allowed nodes start in one pass: those of static pools, which Karpenter checks first; else all up
// to the first drifted one.
func (s *simulation) batch(d disruptkit.Decision) func(i int) bool {
	if !s.Model.startsOne() {
		return func(int) bool { return true }
	}
	static := func(c candidate.Candidate) bool { return candidate.Drifted.Covers(c.Reason) && s.Model.static(c.Pool) }
	if slices.ContainsFunc(d.Allowed, static) {
		return func(i int) bool { return static(d.Allowed[i]) }
	}
	drifted := slices.IndexFunc(d.Allowed,
		func(c candidate.Candidate) bool { return candidate.Drifted.Covers(c.Reason) })
	return func(i int) bool { return drifted < 0 || i <= drifted }
}
