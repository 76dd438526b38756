package plan_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
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
	stuck                          bool                     // its drain never ends
	deleted                        bool                     // it has expired
	waits                          map[string]time.Duration // by gate and code
	waiting                        string                   // for what, at the last step
	heard                          time.Time                // when that was
}

func newNaive(in disruptkit.Input, m plan.Model) *naive {
	w := &naive{in: in, model: m, memory: in.Memory}
	for _, n := range in.Nodes {
		l := &life{node: n, waits: map[string]time.Duration{}}
		if n.Leaving != candidate.Staying {
			l.before, l.start = true, in.Now
			l.gone, l.stuck = w.drainsOn(n)
			l.recovering = l.gone.Add(m.Recovery(n, l.gone, 0))
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
	w.expire(w.in.Now.Add(time.Duration(steps) * w.model.Every))
}

// expire allows nodes that expire up to a time.
func (w *naive) expire(now time.Time) {
	for _, l := range w.lives {
		if w.model.Expires == nil || l.before || !l.start.IsZero() || l.node.Pool == "" {
			continue
		}
		if at := w.model.Expires(l.node); !at.IsZero() && !at.After(now) {
			if at.Before(w.in.Now) {
				at = w.in.Now
			}
			if l.waiting != "" { // since its last result, and not for a whole step
				l.waits[l.waiting] += at.Sub(l.heard) - w.model.Every
			}
			w.delete(l, candidate.Expired, at)
			l.deleted = true
		}
	}
}

// delete lets a node drain at once.
func (w *naive) delete(l *life, reason candidate.Reason, at time.Time) {
	l.reason, l.start = reason, at
	l.ready = at.Add(w.model.Launch(l.node, at, 0))
	l.gone, l.stuck = w.drained(l.node, at, true)
	if l.stuck {
		return
	}
	l.recovering = l.gone
	if l.ready.After(l.gone) {
		l.recovering = l.ready
	}
	l.recovering = l.recovering.Add(w.model.Recovery(l.node, l.recovering, 0))
}

// drained returns when a node is gone whose drain begins at a time, or that it never ends. It waits for pods if the node
// was deleted, or if a grace period ends it.
func (w *naive) drained(n candidate.Node, at time.Time, deleted bool) (gone time.Time, stuck bool) {
	grace := time.Duration(0)
	if w.model.Grace != nil {
		grace = w.model.Grace(n)
	}
	gone, stuck = w.emptied(n, at, deleted || grace > 0, false)
	if end := at.Add(grace); grace > 0 && (stuck || end.Before(gone)) {
		return end, false
	}
	return gone, stuck
}

// emptied returns when a node is gone whose drain begins at a time, if no grace period ends it, or that it never is.
func (w *naive) emptied(n candidate.Node, at time.Time, waits, begun bool) (gone time.Time, stuck bool) {
	free := at
	if waits {
		for _, b := range w.drainBlockers(n, at) {
			if w.recovers(b, begun) {
				continue
			}
			if b.Until.IsZero() {
				stuck = true
			} else if b.Until.After(free) {
				free = b.Until
			}
		}
	}
	gone = free.Add(w.model.Drain(n, at, 0))
	if w.model.Terminates != nil && w.model.Terminates(n).After(gone) {
		gone = w.model.Terminates(n)
	}
	return gone, stuck
}

// recovers reports whether the PodDisruptionBudget of a blocker allows something again, or may do so.
func (w *naive) recovers(b candidate.Blocker, begun bool) bool {
	if w.model.Recovers == nil || b.Code != candidate.CodeAllowsNone {
		return false
	}
	recovers, known := w.model.Recovers(b.Source.PDBs[0])
	return recovers || begun && !known
}

// drainsOn returns when a node is gone that is in flight at the beginning, or that it never is. Pods hold up its drain
// until its grace period ends, and not while its instance terminates.
func (w *naive) drainsOn(n candidate.Node) (gone time.Time, stuck bool) {
	at, end := w.in.Now, n.Deadline
	grace := time.Duration(0)
	if w.model.Grace != nil {
		grace = w.model.Grace(n)
	}
	since, begun := time.Time{}, true
	if w.model.Begun != nil {
		since, begun = w.model.Begun(n)
	}
	if !begun {
		at = at.Add(w.model.Launch(n, at, 0))
		if w.model.Expires != nil && n.Pool != "" {
			if expiry := w.model.Expires(n); !expiry.IsZero() && expiry.Before(at) {
				if at = expiry; at.Before(w.in.Now) {
					at = w.in.Now
				}
			}
		}
		if end.IsZero() && grace > 0 {
			end = at.Add(grace)
		}
	}
	if n.Leaving == candidate.Terminating || !end.IsZero() && !end.After(w.in.Now) {
		return at.Add(w.model.Drain(n, at, 0)), false
	}
	gone, stuck = w.emptied(n, at, true, true)
	left := slices.ContainsFunc(n.Pods, func(p candidate.Pod) bool { return !p.Inactive && !p.Unevictable })
	if begun && !left && !since.IsZero() {
		over := since.Add(w.model.Drain(n, at, 0))
		if w.model.Terminates != nil && w.model.Terminates(n).After(over) {
			over = w.model.Terminates(n)
		}
		if over.After(w.in.Now) {
			gone = over
		}
	}
	if !end.IsZero() && (stuck || end.Before(gone)) {
		return end, false
	}
	return gone, stuck
}

// drainBlockers returns what pods hold up an eviction: the rules of pods are those of a decision on a fleet of this node
// alone, which has no grace period.
func (w *naive) drainBlockers(n candidate.Node, at time.Time) (held []candidate.Blocker) {
	n = candidate.Node{Name: n.Name, Pool: "alone", Phase: candidate.Running, Pods: n.Pods, PodsUnknown: false,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted}}}
	in := disruptkit.Input{Now: at, Pools: []disruptkit.Pool{{Name: "alone"}}, Nodes: []candidate.Node{n}, Rules: w.in.Rules}
	in.Rules.Dialect = dialect.Disruptkit // whatever Karpenter considers, the API server asks the PDBs of each pod
	for _, c := range disruptkit.Decide(in, candidate.Drifted).Blocked {
		for _, b := range c.Blockers {
			switch b.Code {
			case candidate.CodeDoNotDisrupt, candidate.CodeAllowsNone, candidate.CodeSeveralPDBs, candidate.CodeInvalidPDB:
				if b.Gate == candidate.GatePod {
					held = append(held, b)
				}
			}
		}
	}
	return held
}

// step decides, and reports whether any node is still to start.
func (w *naive) step(now time.Time) bool {
	w.expire(now)
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
			l.waiting, l.heard = key, now
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
	if w.in.Dialect == dialect.Karpenter && candidate.Expired.Covers(reason) {
		w.delete(l, reason, now)
		return
	}
	l.reason, l.start = reason, now
	l.ready = now.Add(w.model.Launch(l.node, now, 0))
	drains := l.ready
	replaced := reason.Method() != candidate.Empty && reason.Method() != candidate.Underutilized
	if !replaced {
		l.ready, drains = time.Time{}, now
	}
	if w.model.DrainFirst {
		drains = now
	}
	if w.model.Expires != nil && replaced && !w.model.DrainFirst {
		if at := w.model.Expires(l.node); !at.IsZero() && at.Before(drains) {
			if drains = at; at.Before(now) {
				drains = now
			}
		}
	}
	l.gone, _ = w.drained(l.node, drains, false)
	for _, c := range l.node.Conditions {
		if c.Reason == reason && c.Bound != nil && candidate.Unhealthy.Covers(reason) {
			l.gone = drains.Add(min(w.model.Drain(l.node, drains, 0), *c.Bound))
			break
		} else if c.Reason == reason {
			break
		}
	}
	l.recovering = l.gone
	if w.model.DrainFirst && replaced {
		l.ready = l.gone.Add(w.model.Launch(l.node, l.gone, 0))
		l.recovering = l.ready
	}
	if l.ready.After(l.recovering) {
		l.recovering = l.ready
	}
	l.recovering = l.recovering.Add(w.model.Recovery(l.node, l.recovering, 0))
}

// nodes lists the fleet at a time, and whose life each node is part of; nil: it is not to go.
func (w *naive) nodes(now time.Time) (nodes []candidate.Node, owners []*life) {
	add := func(n candidate.Node, l *life) {
		nodes, owners = append(nodes, n), append(owners, l)
	}
	for i, l := range w.lives {
		n := l.node
		own := fmt.Sprintf("%s, life %d", n.Name, i) // nodes of several pools may share a name; what comes of them may not
		joined := w.in.Now.Add(w.model.Launch(n, w.in.Now, 0))
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
		case l.stuck || l.start.IsZero() || l.gone.After(now) || l.start.Equal(now) && !l.before && !l.deleted: // what starts is not gone before the next step
			add(n, l)
		case l.recovering.After(now) && len(n.Pods) > 0:
			add(candidate.Node{Name: own + ", is gone", Leaving: candidate.Draining, Pods: n.Pods}, nil)
		}
		if !l.ready.IsZero() {
			r := candidate.Node{Name: own + ", is new", Pool: n.Pool, Labels: n.Labels, Phase: candidate.Launched}
			if !l.ready.After(now) && (l.deleted || !l.start.Equal(now)) {
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
			if open, _ := o.Until(now); open {
				v := probe.Verdict{Probe: "outage", Code: candidate.CodeDenied, Cause: "an outage"} // its message is what orders blockers
				pools[i].Verdicts = append(slices.Clone(pools[i].Verdicts), v)
				break
			}
		}
	}
	return pools
}
