package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A Need has the changes of budgets with which a pool is done by a time.
type Need struct {
	Pool string
	// Changes are enough, each by itself, the one that saves most first. One step less would not be enough: one node,
	// one percent, or a quarter of an hour of a window. If no change of a single budget is enough, the only Change is
	// of several budgets. None: no change of budgets is enough.
	Changes []Change
	// Unlimited is when the pool is done if no budget limits it, in nine of ten draws. Zero: not within the horizon.
	// If there are no Changes, that is too late.
	Unlimited time.Time
	// Alone is why there are no Changes: each cause that takes too long even if nothing else blocks nodes, with how
	// long the pool takes then (Wait.For), the longest first. If the pool is not done within the horizon, that is the
	// length of the whole plan. A Wait with CodeDrain is for all launches and drains. Alone is empty if only several
	// causes together take too long.
	Alone []Wait
}

// A Change is a Trial of other budgets of a pool.
type Change struct {
	Trial
	Budgets budget.Set // the pool's, all of them
}

// Needed finds the least changes of budgets with which each pool is done by a time. A pool is done when all of its
// nodes are done that would be disrupted without budgets. Needed returns a Need for each pool that is too late. It
// tries each change, and returns none that the engine of the input's dialect rejects. R must be the result of [Sample]
// for the same input and options.
//
// Nodes that are disrupted only because they expire do not count: budgets do not change that.
//
// If there are ten draws or more, a change must be enough in nine of ten of them, chosen from the earliest to the
// latest. Comparisons are with the draw in the middle.
//
// Needed runs ten plans for each budget of a pool that is too late, and a hundred or so for each budget that matters.
// With fewer draws, it runs as many fewer.
func Needed(in disruptkit.Input, o Options, r Range, by time.Time) (needs []Need) {
	o.Observe = nil
	if o.Model.Expires != nil {
		o.Model.Expires = nil
		r = Sample(in, o, len(r.Draws))
	}
	o.Model.Seed = r.Seed
	seeds := make([]uint64, min(len(r.Draws), leastDraws)) // the slowest first, since these tell soonest
	for i := range seeds {
		seeds[i] = r.Draws[len(r.Draws)*(len(seeds)-i)/len(seeds)-1].Seed
	}
	for _, pool := range in.Pools {
		if r.Plan.pool(pool.Name).Nodes == 0 {
			continue
		}
		s := search{in: in, o: o, p: r.Plan, by: by, pool: pool, seeds: seeds}
		s.unlimited = s.p.with(s.limitless(), in, o)
		s.goal = s.unlimited.pool(pool.Name).Done
		if !s.enough(make(choices, len(pool.Budgets.Budgets()))) {
			needs = append(needs, s.need())
		}
	}
	return needs
}

// pool returns a pool of a plan.
func (p Plan) pool(name string) Pool {
	i := slices.IndexFunc(p.Pools, func(pool Pool) bool { return pool.Name == name })
	if i < 0 {
		return Pool{Name: name}
	}
	return p.Pools[i]
}

// A search is for changes with which a pool is done by a time.
type search struct {
	in        disruptkit.Input
	o         Options
	p         Plan
	by        time.Time
	pool      disruptkit.Pool
	seeds     []uint64
	unlimited Plan
	goal      int // how many nodes are to be done
}

// change returns the change of the pool's budgets to others.
func (s search) change(to budget.Set, text string) change {
	return ofPool(s.pool.Name, text, func(p *disruptkit.Pool) { p.Budgets = to })
}

// limitless returns the change that removes all budgets of the pool.
func (s search) limitless() change { return s.change(limitless(s.pool.Budgets), "") }

// done reports whether the pool is done by then.
func (s search) done(p Plan) bool {
	pool := p.pool(s.pool.Name)
	return pool.ToGo == 0 && pool.Done >= s.goal && !pool.Finish.After(s.by)
}

func (s search) need() Need {
	n := Need{Pool: s.pool.Name}
	n.Unlimited = s.finish(s.limitless())
	if n.Unlimited.IsZero() || n.Unlimited.After(s.by) {
		n.Alone = s.alone()
		return n
	}
	list := s.pool.Budgets.Budgets()
	for i, b := range list {
		of := make(choices, len(list))
		if of[i].out = true; !s.enough(of) {
			continue
		}
		before := len(n.Changes)
		for _, l := range s.ladders(b) {
			if s.climb(of, i, l) {
				n.Changes = s.add(n.Changes, of)
			}
		}
		if len(n.Changes) == before {
			of[i] = choice{out: true}
			n.Changes = s.add(n.Changes, of)
		}
	}
	if len(n.Changes) == 0 {
		n.Changes = s.add(n.Changes, s.several())
	}
	slices.SortStableFunc(n.Changes, func(a, b Change) int { return a.Comparison.order(b.Comparison) })
	return n
}

// several chooses among several budgets. It begins without any, and adds one after the other: unchanged if that is
// still enough, or else changed as little as possible.
func (s search) several() choices {
	of := slices.Repeat(choices{{out: true}}, len(s.pool.Budgets.Budgets()))
	for i := range of {
		if of[i] = (choice{}); s.enough(of) {
			continue
		}
		up := func(l ladder) bool { return s.climb(of, i, l) }
		if !slices.ContainsFunc(s.ladders(s.pool.Budgets.Budgets()[i]), up) {
			of[i] = choice{out: true}
		}
	}
	return of
}

// climb chooses the first step of a ladder that is enough, with the other choices unchanged, and reports whether there
// is one that the engine accepts. The unchanged budget is not enough.
func (s search) climb(of choices, i int, l ladder) bool {
	fails, works := 0, l.steps
	if of[i] = l.choice(works); works == 0 || !s.enough(of) {
		return false
	}
	for works-fails > 1 {
		half := fails + (works-fails)/2
		if of[i] = l.choice(half); s.enough(of) {
			works = half
		} else {
			fails = half
		}
	}
	of[i] = l.choice(works)
	return admitted(s.in.Dialect, s.pool.Budgets, s.set(of))
}

// A choice is a change of a budget. The zero choice leaves it unchanged.
type choice struct {
	out bool
	to  *budget.Budget
}

// choices are changes of the budgets of a pool, by position.
type choices []choice

// set returns the pool's budgets with choices.
func (s search) set(of choices) budget.Set {
	set := s.pool.Budgets
	for i := len(of) - 1; i >= 0; i-- {
		switch c := of[i]; {
		case c.out:
			set, _ = WithoutBudget(set, i)
		case c.to != nil:
			set, _ = WithBudget(set, i, *c.to)
		}
	}
	return set
}

// enough reports whether the pool is done by then with choices.
func (s search) enough(of choices) bool {
	c, late := s.change(s.set(of), ""), 0
	for _, seed := range s.seeds {
		s.o.Model.Seed = seed
		if !s.done(s.p.with(c, s.in, s.o)) {
			late++
		}
		if late > len(s.seeds)/10 {
			return false
		}
	}
	return true
}

// finish returns by when the pool is done in nine of ten draws with a change. Zero: not within the horizon.
func (s search) finish(c change) time.Time {
	var finishes []time.Time
	for _, seed := range s.seeds {
		s.o.Model.Seed = seed
		pool := s.p.with(c, s.in, s.o).pool(s.pool.Name)
		if pool.ToGo > 0 || pool.Done < s.goal {
			pool.Finish = time.Time{}
		}
		finishes = append(finishes, pool.Finish)
	}
	slices.SortFunc(finishes, inOrder)
	return finishes[len(finishes)-1-len(finishes)/10]
}

// add adds choices as a change, with its effect, if the engine accepts them.
func (s search) add(to []Change, of choices) []Change {
	set := s.set(of)
	if !admitted(s.in.Dialect, s.pool.Budgets, set) {
		return to
	}
	var texts []string
	for i, c := range of {
		switch {
		case c.out:
			texts = append(texts, outText(s.pool, i))
		case c.to != nil:
			texts = append(texts, otherText(s.pool, i, *c.to))
		}
	}
	text := strings.Join(texts, ", and ")
	with := s.p.with(s.change(set, text), s.in, s.o)
	return append(to, Change{Trial{text, Adjusts, Compare(s.p, with)}, set})
}

// A ladder is a list of changes of a budget. Each step allows more nodes.
type ladder struct {
	steps int
	at    func(step int) budget.Budget
}

func (l ladder) choice(step int) choice {
	b := l.at(step)
	return choice{to: &b}
}

// ladders returns the ladders of a budget: more nodes, and less time in which it limits them.
func (s search) ladders(b budget.Budget) []ladder {
	n, percent, ok := number(b)
	nodes := ladder{at: func(step int) budget.Budget {
		other := b
		other.Nodes = strconv.Itoa(n+step) + percent
		return other
	}}
	switch {
	case ok && percent != "":
		nodes.steps = max(100-n, 0)
	case ok:
		for i := range s.in.Nodes {
			if s.in.Nodes[i].Pool == s.pool.Name {
				nodes.steps++
			}
		}
		nodes.steps = max(nodes.steps-n, 0)
	}
	lasts, err := time.ParseDuration(b.Duration)
	window := ladder{at: func(step int) budget.Budget { return widened(b, time.Duration(step)*windowStep) }}
	switch {
	case err != nil || lasts <= 0:
	case b.Outside:
		window.steps = int(longestWindow / windowStep)
	default:
		window.steps = int((lasts - 1) / windowStep)
	}
	return []ladder{nodes, window}
}

const (
	windowStep    = 15 * time.Minute
	longestWindow = 7 * 24 * time.Hour
)

// alone returns what takes too long even if nothing else blocks nodes of the pool.
func (s search) alone() (all []Wait) {
	var holds []hold
	var removed []change
	for _, h := range s.unlimited.held() {
		if c, ok := without(s.in, h); ok && h.pool == s.pool.Name {
			holds, removed = append(holds, h), append(removed, c)
		}
	}
	keeping := func(kept int) change {
		return change{pool: s.pool.Name, apply: func(in disruptkit.Input) disruptkit.Input {
			in = s.limitless().apply(in)
			for i, other := range removed {
				if i != kept {
					in = other.apply(in)
				}
			}
			return in
		}}
	}
	add := func(w Wait, c change) {
		finish := s.finish(c)
		if finish.IsZero() {
			finish = s.p.Horizon
		}
		if finish.After(s.by) {
			w.For = finish.Sub(s.p.From)
			all = append(all, w)
		}
	}
	if add(Wait{Code: CodeDrain}, keeping(-1)); len(all) > 0 {
		return s.left(all, s.p.with(keeping(-1), s.in, s.o))
	}
	for i, h := range holds {
		add(h.Wait, keeping(i))
	}
	slices.SortStableFunc(all, func(a, b Wait) int { return cmp.Compare(b.For, a.For) })
	return all
}

// left returns what takes too long in a plan from which everything removable was removed, if that is not launches and
// drains: something that no change removes, such as a wave that bakes. Several such causes may only together take too
// long.
func (s search) left(drains []Wait, p Plan) []Wait {
	left := slices.DeleteFunc(p.pool(s.pool.Name).Clock, func(w Wait) bool { return w.Gate == "" })
	switch len(left) {
	case 0:
		return drains
	case 1:
		left[0].For = drains[0].For
		return left
	}
	return nil
}

// admitted reports whether an engine accepts a Set instead of another one. Karpenter's API server rejects some budgets,
// and drops unknown fields.
func admitted(d dialect.Dialect, before, after budget.Set) bool {
	if d != dialect.Karpenter {
		return len(after.Warnings()) <= len(before.Warnings())
	}
	rejected, dropped := refused(after.In(d))
	_, already := refused(before.In(d))
	return rejected == 0 && dropped <= already
}

// refused counts what Karpenter's API server rejects and drops of a Set in Karpenter's dialect.
func refused(s budget.Set) (rejected, dropped int) {
	for _, w := range admission.Warnings(s) {
		switch w.Code {
		case candidate.CodeRejected:
			rejected++
		case candidate.CodeNoEffect:
			dropped++
		}
	}
	return rejected, dropped
}
