package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Range is how sure a plan is if its durations depend on chance. It has many draws; each is a plan.
type Range struct {
	// Plan is the draw in the middle: half of all draws finish by then. Run makes the same plan with Model.Seed = Seed.
	Plan Plan
	Seed uint64
	// Draws are all draws, in order of their finish. There is one if nothing depends on chance.
	Draws  []Draw
	Finish Spread      // of Draw.Finish
	Pools  []PoolRange // by name
}

// A Draw is a plan of Run with one seed.
type Draw struct {
	Seed   uint64    // Model.Seed of the plan. Exported for a look at one draw: Run plans it again.
	Finish time.Time // Plan.Finish; zero: some nodes do not start within the horizon, or none is disrupted
	// Node is the node that is done last; "" if Finish is zero.
	Node string
	// PDB is the PodDisruptionBudget for which that node waits longest, before it starts and while it drains, as
	// "namespace/name"; "" if it waits for none.
	PDB string

	groups []Group // Plan.Groups, for Range.Spread
}

// A Spread has the times by which one in ten, half, and nine in ten of all draws finish. So eight in ten finish between
// Early and Late. Zero: fewer draws than that finish, because some nodes do not start within the horizon, or no node is
// disrupted.
type Spread struct {
	Early  time.Time `json:"early,omitzero"`
	Middle time.Time `json:"middle,omitzero"`
	Late   time.Time `json:"late,omitzero"`
}

// A PoolRange is when a pool finishes.
type PoolRange struct {
	Name   string
	Finish Spread
}

const (
	mostDraws  = 200
	leastDraws = 10 // fewer have no tenth
	// aDecision is how much more effort a decision is, whatever it is about, than each node in it.
	aDecision = 40
)

// drawnEffort is how much effort all draws are together: some seconds. It is a variable for tests.
var drawnEffort = 4_000_000

// Sample makes many plans, with the seeds from Model.Seed on. Draws is how many at most. 0 or less means 200, or fewer
// if a plan takes long, as with thousands of nodes, but at least 10. If nothing in the model depends on chance, Sample
// makes one plan.
func Sample(in disruptkit.Input, o Options, draws int) Range {
	varies := false
	watched := o
	watched.Model = o.Model.watched(&varies)
	first, work := run(in, watched)
	if draws <= 0 {
		effort := max(work+aDecision*first.Decisions, 1)
		draws = min(max(drawnEffort/effort, leastDraws), mostDraws)
	}
	if !varies {
		draws = 1
	}
	r := Range{Draws: []Draw{drawn(first, o.Model.Seed)}}
	other := o
	for range draws - 1 {
		other.Model.Seed++
		p, _ := run(in, other)
		r.Draws = append(r.Draws, drawn(p, other.Model.Seed))
	}
	slices.SortStableFunc(r.Draws, func(a, b Draw) int { return inOrder(a.Finish, b.Finish) })
	r.Finish = r.Spread(func(Group) bool { return true })
	for _, pool := range first.Pools {
		r.Pools = append(r.Pools, PoolRange{pool.Name, r.Spread(func(g Group) bool { return g.Pool == pool.Name })})
	}
	r.Plan, r.Seed = first, r.Draws[tenths(len(r.Draws), 5)].Seed
	if draws > 1 {
		o.Model.Seed = r.Seed
		r.Plan, _ = run(in, o)
	}
	r.Plan.warn(in, o)
	return r
}

// Spread returns by when the nodes of some groups are done by themselves, as far as they are.
func (r Range) Spread(of func(Group) bool) Spread {
	finishes := make([]time.Time, len(r.Draws))
	for i, d := range r.Draws {
		for _, g := range d.groups {
			if !of(g) || g.OnlyExpire > 0 {
				continue
			}
			if g.ToGo > 0 {
				finishes[i] = time.Time{}
				break
			}
			finishes[i] = schedule.Last(finishes[i], g.Finish)
		}
	}
	return spread(finishes)
}

// watched returns a model that records whether anything in it depends on chance.
func (m Model) watched(varies *bool) Model {
	*varies = m.Unsure != nil
	for _, t := range []*Takes{&m.Launch, &m.Drain, &m.Recovery, &m.Eviction} {
		*t = t.watched(varies)
	}
	return m
}

// watched returns a Takes that records whether it depends on chance.
func (t Takes) watched(varies *bool) Takes {
	if t == nil {
		return nil
	}
	return func(n candidate.Node, at time.Time, chance float64) time.Duration {
		*varies = *varies || t.of(n, at, 0, 0) != t.of(n, at, 0, highest)
		return t(n, at, chance)
	}
}

// drawn returns a plan as a draw.
func drawn(p Plan, seed uint64) Draw {
	d := Draw{Seed: seed, groups: p.Groups}
	if p.Finish.IsZero() || slices.ContainsFunc(p.Pools, func(pool Pool) bool { return pool.ToGo > 0 }) {
		return d
	}
	d.Finish = p.Finish
	i := slices.IndexFunc(p.Nodes, func(n Node) bool { return !n.OnlyExpires() && n.End().Equal(p.Finish) })
	last := p.Nodes[i]
	d.Node = last.Name
	longest := time.Duration(0)
	for _, w := range append(slices.Clone(last.Waits), last.Queue) {
		if w.PDB != "" && w.For > longest {
			d.PDB, longest = w.PDB, w.For
		}
	}
	return d
}

// A named is a node of a pool.
type named struct{ pool, name string }

// spread returns the spread of some times.
func spread(times []time.Time) Spread {
	times = slices.SortedFunc(slices.Values(times), inOrder)
	at := func(n int) time.Time { return times[tenths(len(times), n)] }
	return Spread{at(1), at(5), at(9)}
}

// tenths returns the position up to which there are n tenths of a list, if not a few more.
func tenths(length, n int) int { return (length*n+9)/10 - 1 }

// inOrder orders times. Zero, never, comes last.
func inOrder(a, b time.Time) int {
	switch {
	case a.IsZero() && !b.IsZero():
		return 1
	case b.IsZero() && !a.IsZero():
		return -1
	}
	return a.Compare(b)
}
