package plan_test

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/probe"
)

// naive plans slowly and obviously: it decides on the whole fleet at each step, and lists the fleet anew each time.
type naive struct {
	in     disruptkit.Input
	model  plan.Model // with all of its fields
	lives  []*life
	memory map[string]disruptkit.Memory
}

// A life is what becomes of a node.
type life struct {
	node                           candidate.Node
	reason                         candidate.Reason
	before                         bool // in flight at the beginning
	start, ready, gone, recovering time.Time
	waits                          map[string]time.Duration // by gate and code
}

func newNaive(in disruptkit.Input, m plan.Model) *naive {
	w := &naive{in: in, model: m, memory: in.Memory}
	for _, n := range in.Nodes {
		l := &life{node: n, waits: map[string]time.Duration{}}
		if n.Leaving != candidate.Staying {
			l.before, l.start, l.gone = true, in.Now, in.Now.Add(m.Drain(n, in.Now))
			if n.Deadline.After(in.Now) && n.Deadline.Before(l.gone) {
				l.gone = n.Deadline
			}
			l.recovering = l.gone
		}
		w.lives = append(w.lives, l)
	}
	return w
}

func (w *naive) run(steps int) {
	for i := range steps {
		now := w.in.Now.Add(time.Duration(i) * w.model.Every)
		if !w.step(now) {
			return
		}
	}
}

// step decides, and reports whether any node is still to start.
func (w *naive) step(now time.Time) bool {
	said, stays := map[*life]string{}, map[*life]bool{}
	for _, reason := range w.model.Reasons {
		nodes, owners := w.nodes(now)
		in := w.in
		in.Now, in.Pools, in.Nodes, in.Memory = now, w.pools(now), nodes, w.memory
		d := disruptkit.Decide(in, reason)
		for _, c := range d.Blocked {
			i := slices.IndexFunc(nodes, func(n candidate.Node) bool { return is(n, c) })
			if i < 0 || owners[i] == nil {
				continue
			}
			b := plan.Decisive(c.Blockers)
			if l := owners[i]; said[l] == "" || stays[l] && !plan.Stays(b) {
				said[l], stays[l] = string(b.Gate)+"/"+string(b.Code), plan.Stays(b)
			}
		}
		for _, c := range d.Allowed {
			i := slices.IndexFunc(nodes, func(n candidate.Node) bool { return is(n, c) })
			w.begin(owners[i], c.Reason, now)
			nodes[i].Leaving = candidate.Draining // another may have its name
		}
		w.memory = d.Memory
	}
	for l, key := range said {
		if l.start.IsZero() {
			l.waits[key] += w.model.Every
		}
	}
	return slices.ContainsFunc(w.lives, func(l *life) bool { return l.start.IsZero() && len(l.node.Conditions) > 0 })
}

// is reports whether a node is that of a candidate, and still to start.
func is(n candidate.Node, c candidate.Candidate) bool {
	return n.Name == c.Node && n.Pool == c.Pool && n.Leaving == candidate.Staying &&
		slices.ContainsFunc(n.Conditions, func(k candidate.Condition) bool { return k.Reason == c.Reason })
}

func (w *naive) begin(l *life, reason candidate.Reason, now time.Time) {
	l.reason, l.start = reason, now
	l.ready = now.Add(w.model.Launch(l.node, now))
	drains := l.ready
	replaced := reason.Method() != candidate.Empty && reason.Method() != candidate.Underutilized
	if !replaced {
		l.ready, drains = time.Time{}, now
	}
	if w.model.DrainFirst {
		drains = now
	}
	drain := w.model.Drain(l.node, drains)
	for _, c := range l.node.Conditions {
		if c.Reason == reason && c.Bound != nil && candidate.Unhealthy.Covers(reason) {
			drain = min(drain, *c.Bound)
			break
		} else if c.Reason == reason {
			break
		}
	}
	l.gone = drains.Add(drain)
	l.recovering = l.gone
	if w.model.DrainFirst && replaced {
		l.ready = l.gone.Add(w.model.Launch(l.node, l.gone))
		l.recovering = l.ready
	}
	l.recovering = l.recovering.Add(w.model.Recovery(l.node, l.recovering))
}

// nodes lists the fleet at a time, and whose life each node is part of; nil: it is not to go.
func (w *naive) nodes(now time.Time) (nodes []candidate.Node, owners []*life) {
	add := func(n candidate.Node, l *life) {
		nodes, owners = append(nodes, n), append(owners, l)
	}
	for _, l := range w.lives {
		n := l.node
		joined := w.in.Now.Add(w.model.Launch(n, w.in.Now))
		switch {
		case l.before:
		case !l.start.IsZero():
			n.Leaving, n.DisruptedFor = candidate.Draining, l.reason
		}
		if n.Rebooting && !l.before && !joined.After(now) && (l.start.IsZero() || !l.start.Before(joined)) {
			n.Rebooting, n.Phase, n.ReadySince = false, candidate.Running, joined
			var left []candidate.Condition
			for _, c := range n.Conditions {
				if !candidate.Unhealthy.Covers(c.Reason) {
					left = append(left, c)
				}
			}
			n.Conditions = left
		} else if n.Phase.Joining() && !l.node.InFlight() && len(n.Conditions) == 0 && !joined.After(now) {
			n.Phase, n.ReadySince = candidate.Running, joined
		}
		switch {
		case l.start.IsZero() || l.gone.After(now) || l.start.Equal(now) && !l.before: // what starts is not gone before the next step
			add(n, l)
		case l.recovering.After(now) && len(n.Pods) > 0:
			add(candidate.Node{Name: n.Name + " is gone", Leaving: candidate.Draining, Pods: n.Pods}, nil)
		}
		if !l.ready.IsZero() {
			r := candidate.Node{Name: n.Name + " is new", Pool: n.Pool, Labels: n.Labels, Phase: candidate.Launched}
			if !l.ready.After(now) && !l.start.Equal(now) {
				r.Phase, r.ReadySince = candidate.Running, l.ready
			}
			add(r, nil)
		}
	}
	return nodes, owners
}

func (w *naive) pools(now time.Time) []disruptkit.Pool {
	pools := slices.Clone(w.in.Pools)
	for i := range pools {
		for _, o := range w.model.Outages {
			if open, _ := o.Window.Until(now); open && (len(o.Pools) == 0 || slices.Contains(o.Pools, pools[i].Name)) {
				v := probe.Verdict{Probe: "outage", Code: candidate.CodeDenied, Cause: o.Why} // its message is what orders blockers
				pools[i].Verdicts = append(slices.Clone(pools[i].Verdicts), v)
			}
		}
	}
	return pools
}
