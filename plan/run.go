package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// Options say what to plan, and how far ahead. The zero Options are good defaults.
type Options struct {
	Model Model
	// Horizon is how far ahead to plan. 0 means 90 days; below 0, nothing is planned.
	Horizon time.Duration
	// Decisions limits the number of decisions, and so the work, whatever the windows. 0 or less means 100,000, or
	// fewer if they are on many nodes: 20,000 on 10,000 nodes. Of nodes that differ only in names and ages, only a few
	// count here. A plan that reaches the limit is Stopped at Plan.Horizon.
	// Exported for servers that plan what strangers send: it bounds their work.
	Decisions int
	// Decide makes the decisions; nil means disruptkit.Decide. Set it for an autoscaler with further limits of its own.
	// The function must be deterministic. Its answer for a pool must not depend on other pools, except through
	// PodDisruptionBudgets. Run calls it again at its NextChange.
	Decide func(disruptkit.Input, candidate.Reason) disruptkit.Decision
	// Alike is for a Decide that answers nodes alike if they differ only in their names, ages, costs and ranks: what
	// blocks one of them also blocks those behind it in line, and a node counts for as many as it stands for
	// (candidate.Node.StandsFor), as with disruptkit.Decide. The windows that it goes by are those of the pools'
	// budgets. Then decisions are on a few nodes in place of many. Else they are on all nodes, which takes minutes in
	// large fleets.
	Alike bool
	// Observe, if not nil, is called with each decision and its input. Independent pools are planned one after
	// another, so time may go backwards between calls. Observe must neither modify nor keep the nodes. A decision may
	// omit nodes with the same answer as others or as before, and allow nodes that start later because of Model.Pass.
	Observe func(disruptkit.Input, disruptkit.Decision)

	only *named // for Expect: plan what matters to this node, until it starts
	work int    // for Expect: the sum of the nodes of all decisions, at most
}

const (
	defaultHorizon   = 90 * 24 * time.Hour
	defaultDecisions = 100_000
	defaultWork      = 200_000_000 // the sum of the nodes of all decisions
	zoneLabel        = "topology.kubernetes.io/zone"
)

// mostWork is a variable for tests.
var mostWork = defaultWork

// Run plans from in.Now on. It is a pure function if the functions in Options are. It always ends.
//
// Run skips decisions that cannot differ from the last one: until a node starts or ends, it continues at
// Decision.NextChange, and where a window of a budget opens or closes. It also decides on a few nodes in place of many
// equal ones: see Options.Alike. Neither changes the plan.
func Run(in disruptkit.Input, o Options) Plan {
	p, _ := run(in, o)
	p.warn(in, o)
	return p
}

// run is Run without warnings, and returns the sum of the nodes of all decisions.
func run(in disruptkit.Input, o Options) (p Plan, nodes int) {
	p = Plan{From: in.Now, Horizon: in.Now.Add(cmp.Or(o.Horizon, defaultHorizon))}
	if o.Model.Unsure != nil {
		o.Model = o.Model.Unsure(o.Model)
	}
	o.Decisions = max(o.Decisions, 0)
	limit := cmp.Or(o.work, math.MaxInt)
	if o.Decisions == 0 {
		o.Decisions, limit = defaultDecisions, mostWork
	}
	o.Model.Reasons, o.Model.Pass = o.Model.reasons(in.Nodes), o.Model.pass(in)
	constant := o.Decide == nil
	o.Decide, o.Alike = o.decider(), o.Alike || constant
	in.Nodes = candidate.Digest(in.Rules, in.Nodes)
	in = united(steady(in))
	p.Assumptions, p.holding = o.Model.assumptions(in), newHolding(in, !constant)
	horizon, parts := p.Horizon, o.Model.parts(in)
	if o.only != nil {
		parts = slices.DeleteFunc(parts, func(in disruptkit.Input) bool { return !o.only.in(in.Nodes) })
	}
	all := make([]*simulation, 0, len(parts))
	for i, part := range parts {
		s := newSimulation(part, o, constant, horizon)
		s.holding = p.holding
		decisions, work := o.Decisions-p.Decisions, limit-nodes
		if i < len(parts)-1 { // no part may leave nothing to the others
			decisions, work = decisions-decisions/2, work-work/2
		}
		s.decisions, s.work = decisions, work
		s.run()
		p.Decisions += decisions - s.decisions
		nodes += work - s.work
		if !s.stopped.IsZero() && s.stopped.Before(p.Horizon) {
			p.Horizon, p.Stopped = s.stopped, true
		}
		all = append(all, s)
	}
	for _, s := range all {
		s.tell(&p, p.Horizon)
	}
	if p.Stopped {
		p.Assumptions = append(p.Assumptions, fmt.Sprintf("the plan ends at %s, after %d decisions: "+
			"something changes so often that it would take too many more", day(p.Horizon), p.Decisions))
	}
	p.sort()
	return p, nodes
}

// decider returns Decide, or its default.
func (o Options) decider() func(disruptkit.Input, candidate.Reason) disruptkit.Decision {
	if o.Decide == nil {
		return disruptkit.Decide
	}
	return o.Decide
}

// warn adds the warnings about the input. They need a decision on all of it, not on parts.
func (p *Plan) warn(in disruptkit.Input, o Options) {
	for _, reason := range o.Model.reasons(in.Nodes) {
		for _, w := range o.decider()(in, reason).Warnings {
			if !slices.Contains(p.Warnings, w) {
				p.Warnings = append(p.Warnings, w)
			}
		}
	}
}

// steady returns an input in which probes and breakers do not change their answers.
func steady(in disruptkit.Input) disruptkit.Input {
	hold := func(verdicts []probe.Verdict) []probe.Verdict {
		verdicts = slices.Clone(verdicts)
		for i := range verdicts {
			v := &verdicts[i]
			if !v.From.After(in.Now) {
				v.From = time.Time{}
			}
			if v.StaleAt.After(in.Now) {
				v.StaleAt = time.Time{}
			}
		}
		return verdicts
	}
	in.Verdicts = hold(in.Verdicts)
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		in.Pools[i].Verdicts = hold(in.Pools[i].Verdicts)
		if in.Dialect == dialect.Karpenter { // once, rather than in each decision
			in.Pools[i].Budgets = in.Pools[i].Budgets.In(in.Dialect)
		}
	}
	in.Groups = slices.Clone(in.Groups)
	for i := range in.Groups {
		in.Groups[i].Verdicts = hold(in.Groups[i].Verdicts)
	}
	return in
}

// A simulation is the state of a part of the fleet while time passes.
type simulation struct {
	Options
	*fleet
	*account
	diary
	holding   holding
	horizon   time.Time
	pools     []disruptkit.Pool              // without outages
	decisions int                            // how many it may still make
	work      int                            // of how many nodes its decisions may still be, together
	stopped   time.Time                      // when it reached a limit; zero: it did not
	last      []disruptkit.Decision          // at the last time
	started   []started                      // by these
	memories  []map[string]disruptkit.Memory // before each of these
	hindering []map[int32]hindrance          // likewise
	windows   time.Time                      // when the first window of a budget opens or closes; zero: never
	passed    bool                           // a pass has started something
	idle      int                            // how many of the events are expiries of nodes that are not to go
	expired   []Node                         // those of them that have expired
}

func newSimulation(in disruptkit.Input, o Options, constant bool, horizon time.Time) *simulation {
	s := &simulation{
		Options: o, fleet: newFleet(in, o.Model), account: newAccount(in, o.Model.Reasons), diary: newDiary(),
		horizon: horizon, pools: in.Pools,
	}
	s.constant, s.windows = constant, nextWindow(in.Pools, in.Now)
	for id := range in.Nodes {
		slot := s.slotOf[id]
		if k, goes := s.goesOn(id, slot); goes && slot >= 0 {
			s.starts(slot, in.Nodes[id].InFlightFor(), k, "", s.from)
			s.slots[slot].Start, s.slots[slot].InFlight = time.Time{}, true
		}
	}
	s.expectExpiries()
	if o.Alike && !noCrowds {
		s.crowd = newCrowd(s.fleet, s.account, o.Decide)
	}
	return s
}

// run makes decisions until nothing is left to do, nothing will change any more, or a limit is reached.
func (s *simulation) run() {
	now, over := s.from, false // over: nothing will change any more
	for s.toGo > 0 && now.Before(s.horizon) && s.decisions > 0 && s.work > 0 && !s.arrived() {
		s.pass(now)
		s.turnWindows(now)
		again, next := s.decide(now)
		next = schedule.First(next, s.nextEvent())
		if over = !again && (next.IsZero() || s.hopeless() && len(s.events) == s.idle); over {
			break
		}
		if !again && s.hopeless() { // time alone changes nothing
			next = s.nextEvent()
		} else {
			next = schedule.First(next, s.windows)
		}
		now = s.after(now, again, next)
	}
	switch {
	case now.After(s.horizon):
		now = s.horizon
	case s.toGo > 0 && !over:
		s.stopped = now
	}
	last := s.recall()
	s.pass(now)
	s.account.close(now, over, last)
}

// turnWindows notices that a window of a budget has opened or closed. Then other budgets may block the same nodes,
// although the number that they allow does not change (budget.Set.Until).
func (s *simulation) turnWindows(now time.Time) {
	if s.windows.IsZero() || s.windows.After(now) {
		return
	}
	s.windows = nextWindow(s.pools, now)
	s.crowd.forget()
}

// nextWindow returns when the next window of a budget opens or closes. Zero: never.
func nextWindow(pools []disruptkit.Pool, now time.Time) (next time.Time) {
	for _, p := range pools {
		for _, limit := range p.Budgets.Limits() {
			_, end := limit.Window.Until(now)
			next = schedule.First(next, end)
		}
	}
	return next
}

// pass applies all events up to a time.
func (s *simulation) pass(now time.Time) {
	for len(s.events) > 0 && !s.events[0].at.After(now) {
		s.apply(s.next())
	}
}

// apply applies an event.
func (s *simulation) apply(e event) {
	if e.what == expires {
		s.expire(e)
		return
	}
	s.happen(e)
	s.happens(e)
}

// after returns the time of the decision after one that starts a node or changes a memory (again), or of the first one
// at or after a time. Karpenter polls from the end of the last pass on.
func (s *simulation) after(now time.Time, again bool, next time.Time) time.Time {
	every, since := s.Model.every(), s.from
	if s.Model.Pass > 0 {
		since = now
	}
	switch {
	case again && s.passed:
		return now.Add(s.Model.Pass)
	case again:
		next = now.Add(every)
	}
	if late := next.Sub(since) % every; late > 0 {
		return next.Add(every - late)
	}
	return next
}

// decide makes the decisions at one time, and starts what they allow. It reports whether to decide again at the next
// time on the grid, and if not, when time alone changes a decision.
func (s *simulation) decide(now time.Time) (again bool, next time.Time) {
	s.in.Now = now
	next = s.putOutages(now)
	s.last, s.started, s.passed = s.last[:0], s.started[:0], false
	s.memories, s.hindering = s.memories[:0], s.hindering[:0]
	var ahead ahead // in the last decision: in a pass, those before it allow none
	for _, reason := range s.Model.Reasons {
		s.hinder(now)
		s.memories, s.hindering = append(s.memories, s.in.Memory), append(s.hindering, s.hindered)
		d := s.judge(reason)
		if s.Observe != nil {
			s.Observe(s.in, d)
		}
		s.note(d, s.budgetCause)
		ahead = s.ahead(d)
		if s.constant { // else all of them count
			s.holding.add(&d, ahead)
		}
		inPass := s.batch(d)
		for i, c := range d.Allowed {
			id, reason, found := s.waiting(c)
			if !found || s.slotOf[id] < 0 {
				continue // Options.Decide returned an unknown node
			}
			if !inPass(i) {
				s.leftOut = append(s.leftOut, s.slotOf[id])
				continue
			}
			s.started = append(s.started, started{len(s.last), id, len(s.at), s.in.Nodes[s.at[id]]})
			k, replacement := s.begin(id, s.slotOf[id], reason, s.deleted(c.Reason))
			s.starts(s.slotOf[id], c.Reason, k, replacement, now)
		}
		again = again || len(d.Allowed) > 0 || !alike(s.in.Memory, d.Memory)
		s.in.Memory = d.Memory
		next = schedule.First(next, d.NextChange)
		s.last = append(s.last, d)
		if s.passed = s.Model.Pass > 0 && len(d.Allowed) > 0; s.passed {
			break // one method acts in a pass
		}
	}
	s.read(s.last, ahead)
	if s.crowd != nil {
		s.crowd.tell(now)
	}
	s.record(now)
	return again, next
}

// judge makes a decision, on fewer nodes if possible.
func (s *simulation) judge(reason candidate.Reason) disruptkit.Decision {
	s.decisions--
	if s.crowd != nil {
		d, nodes := s.crowd.decide(s.in, reason)
		s.work -= nodes
		return d
	}
	s.work -= len(s.in.Nodes)
	return s.ask(s.in, s.ids, reason)
}

// ask makes a decision on nodes, given their ids, with what Karpenter checks beyond it.
func (s *simulation) ask(in disruptkit.Input, ids []int, reason candidate.Reason) disruptkit.Decision {
	if s.obstructs() {
		in.Nodes = slices.Clone(in.Nodes)
		s.obstruct(in.Nodes, ids, reason, in.Now)
	}
	d := s.Decide(in, reason)
	s.narrow(&d)
	return d
}

// A started is a node that started at the last time.
type started struct {
	by     int            // the position of the decision in simulation.last
	id     int            // of the node
	joined int            // the id of its replacement, if it has one, and no node otherwise
	before candidate.Node // as it was
}

// recall returns the decisions at the last time with all nodes that they were about, before anything else happens.
func (s *simulation) recall() []disruptkit.Decision {
	if s.crowd == nil || s.toGo == 0 { // nobody asks what blocks a node
		return s.last
	}
	for i := range s.last {
		before, later := map[int]candidate.Node{}, map[int]bool{} // by id; later nodes were not there yet
		for _, n := range s.started {
			if n.by >= i {
				before[n.id], later[n.joined] = n.before, true
			}
		}
		in, ids := s.in, []int(nil)
		in.Memory, in.Nodes, s.hindered = s.memories[i], nil, s.hindering[i]
		for at, id := range s.ids {
			if later[id] {
				continue
			}
			n, changed := before[id]
			if !changed {
				n = s.in.Nodes[at]
			}
			in.Nodes, ids = append(in.Nodes, n), append(ids, id)
		}
		s.last[i] = s.ask(in, ids, s.Model.Reasons[i])
	}
	return s.last
}

// alike reports whether two memories are equal.
func alike(a, b map[string]disruptkit.Memory) bool {
	for pool, m := range a {
		if !m.Equal(b[pool]) {
			return false
		}
	}
	for pool, m := range b {
		if !m.Equal(a[pool]) {
			return false
		}
	}
	return true
}

// putOutages adds the outages at a time to the pools, and returns when they next change.
func (s *simulation) putOutages(now time.Time) (next time.Time) {
	if len(s.Model.Outages) == 0 {
		return next
	}
	out := false
	for _, w := range s.Model.Outages {
		holds, change, _ := w.UntilAtLeast(now)
		out, next = out || holds, schedule.First(next, change)
	}
	s.in.Pools = slices.Clone(s.pools)
	for i := range s.in.Pools {
		if p := &s.in.Pools[i]; out {
			v := probe.Verdict{Probe: "outage", Code: candidate.CodeDenied, Cause: "an outage"}
			p.Verdicts = append(slices.Clip(p.Verdicts), v)
		}
	}
	return next
}

// tell adds the result of a simulation to a plan, with nodes that expire before an end.
func (s *simulation) tell(p *Plan, end time.Time) {
	s.expireUntil(end)
	for _, n := range s.expired {
		if n.Start.Before(end) {
			p.Expiring = append(p.Expiring, n)
		}
	}
	var nodes []Node
	for i := range s.slots {
		nodes = append(nodes, s.slots[i].Node)
	}
	pools := s.account.pools(nodes)
	p.Nodes, p.Pools = append(p.Nodes, nodes...), append(p.Pools, pools...)
	p.Groups = append(p.Groups, grouped(nodes)...)
	for _, pool := range pools {
		p.Finish = schedule.Last(p.Finish, pool.Finish)
		s.diary.finish(pool)
	}
	p.Turns, p.Closed = append(p.Turns, s.turns...), append(p.Closed, s.closings...)
}

// grouped returns Plan.Groups.
func grouped(nodes []Node) []Group {
	type key struct {
		pool, zone string
		reason     candidate.Reason
		expires    bool
	}
	at := map[key]int{}
	var groups []Group
	for i := range nodes {
		n := &nodes[i]
		k := key{n.Pool, n.Zone, n.Reason, n.OnlyExpires()}
		j, ok := at[k]
		if !ok {
			j = len(groups)
			at[k] = j
			groups = append(groups, Group{Pool: n.Pool, Zone: n.Zone, Reason: n.Reason})
		}
		g := &groups[j]
		g.add(n, farAway)
		g.Start, g.Finish = spanned(g.Start, g.Finish, n)
	}
	return groups
}

// farAway is later than everything in a plan.
var farAway = time.Unix(1<<40, 0)

// spanned extends the span from the first start to the last end by a node.
func spanned(start, finish time.Time, n *Node) (time.Time, time.Time) {
	return schedule.First(start, n.Start), schedule.Last(finish, n.End())
}

// sort puts all lists in order.
func (p *Plan) sort() {
	begin := func(n Node) time.Time {
		if n.Outcome != Done {
			return farAway
		}
		return n.Start
	}
	slices.SortFunc(p.Nodes, func(a, b Node) int {
		return cmp.Or(begin(a).Compare(begin(b)), strings.Compare(a.Pool, b.Pool), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(p.Expiring, func(a, b Node) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.Pool, b.Pool), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(p.Groups, func(a, b Group) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), strings.Compare(a.Zone, b.Zone), cmp.Compare(a.Reason, b.Reason))
	})
	slices.SortFunc(p.Pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(p.Turns, func(a, b Turn) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), strings.Compare(a.Key, b.Key), a.From.Compare(b.From))
	})
	slices.SortFunc(p.Closed, func(a, b Closing) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.Reason, b.Reason), a.From.Compare(b.From))
	})
}
