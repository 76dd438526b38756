package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// CodeNodeLimit is the code of blockers and waits of nodes whose static pool has as many nodes as it may
// (Model.Static).
const CodeNodeLimit candidate.Code = "node-limit"

// sizes are how many nodes static pools with a limit have, in the order of the pools.
type sizes map[string]*size

// A size is of the nodes of a pool that are there, and of those of them that will be gone.
type size struct {
	most, nodes int
	ends        []time.Time
}

// newSizes returns the sizes of the pools of a fleet.
func newSizes(f *fleet) sizes {
	all := sizes{}
	if f.model.Static == nil {
		return all
	}
	for _, p := range f.in.Pools {
		if is, most := f.model.Static(p.Name); is && most > 0 {
			all[p.Name] = &size{most: most}
		}
	}
	for i := range f.in.Nodes {
		if s := all[f.in.Nodes[i].Pool]; s != nil {
			s.nodes++
		}
	}
	return all
}

// left returns how many more nodes a pool may have at a time, and when it may have one more. Zero: unknown.
func (s *size) left(now time.Time) (left int, next time.Time) {
	s.ends = slices.DeleteFunc(s.ends, func(end time.Time) bool {
		if end.After(now) {
			next = schedule.First(next, end)
			return false
		}
		s.nodes--
		return true
	})
	return max(0, s.most-s.nodes), next
}

// static reports whether a pool has a fixed number of nodes.
func (m Model) static(pool string) bool {
	if m.Static == nil {
		return false
	}
	static, _ := m.Static(pool)
	return static
}

// drainsFirst reports whether a node drains before its replacement is launched. Otherwise its pool has both meanwhile.
func (f *fleet) drainsFirst(n *candidate.Node, deleted bool) bool {
	if s := f.sizes[n.Pool]; s != nil {
		if left, _ := s.left(f.in.Now); left == 0 {
			return true
		}
	}
	return f.model.DrainFirst && !deleted
}

// resize records that a node is disrupted.
func (f *fleet) resize(pool string, k course, first bool) {
	s := f.sizes[pool]
	if s == nil || !k.replaced || first {
		return // its replacement replaces it in the count
	}
	s.nodes++
	if !k.gone.IsZero() {
		s.ends = append(s.ends, k.gone)
	}
}

// keepLimits removes from a decision's Allowed the nodes whose static pools would exceed their limits.
func (f *fleet) keepLimits(d *disruptkit.Decision) {
	if len(f.sizes) == 0 {
		return
	}
	taken := map[string]int{}
	withhold(d, func(c candidate.Candidate, may bool) (b candidate.Blocker, holds bool) {
		s := f.sizes[c.Pool]
		if s == nil || !candidate.Drifted.Covers(c.Reason) {
			return b, false
		}
		if left, _ := s.left(d.Now); left > taken[c.Pool] || left == 0 && f.model.TerminateFirst {
			if may {
				taken[c.Pool]++
			}
			return b, false
		}
		return s.blocker(d.Now, taken[c.Pool]), true
	})
}

// blocker blocks a node while its pool may have no more nodes, after some that start now.
func (s *size) blocker(now time.Time, starting int) candidate.Blocker {
	_, next := s.left(now)
	if starting > 0 && next.IsZero() { // when those are gone is not known yet
		next = now.Add(1)
	}
	return candidate.Blocker{
		Gate: candidate.GateNode, Code: CodeNodeLimit, Until: next,
		Message: fmt.Sprintf("its NodePool may have %d nodes (spec.limits.nodes), and has as many: Karpenter launches "+
			"no replacement of a static NodePool beyond that; raise the limit", s.most),
	}
}
