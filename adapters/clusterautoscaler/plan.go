package main

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/candidate"
)

// A hold says whether cluster-autoscaler may take a node away, as far as annotations tell.
type hold int

const (
	open    hold = iota // it may
	held                // it may not, because of this program
	theirs              // it may not, because of somebody else
	foreign             // it may, and somebody else has written so: nothing can hold it
)

// A view is what is known of a cluster at one time.
type view struct {
	Input        disruptkit.Input // without memory; Conditions are there for nodes that could be scaled down
	Holds        map[string]hold  // by node
	State        cluster.State    // as stored; Nodes has the end of each release
	Lasts, Grace time.Duration    // of a release, and after it
}

// A plan is what to store, and then to write.
type plan struct {
	State    cluster.State
	Hold     []string // nodes
	Release  []string // nodes: only after all of Hold is written
	Decision disruptkit.Decision
	Next     time.Time // when time alone changes the plan
}

// decide is pure. A node that cluster-autoscaler may take counts as in flight: while it is not held, and for a grace after that, since
// cluster-autoscaler may have looked at it before.
//
//	held ──release──▶ released ──taken by cluster-autoscaler──▶ gone
//	  ▲                  │
//	  └─ grace ◀─ held ◀─┘  the release ends, or the node may go no more
func decide(v view) plan {
	now := v.Input.Now
	p := plan{State: cluster.State{Nodes: map[string]time.Time{}}}
	stays := v.stays()
	for i := range v.Input.Nodes {
		n := &v.Input.Nodes[i]
		until, loose := v.State.Nodes[n.Name]
		switch hold := v.Holds[n.Name]; {
		case n.Pool == "" || hold == foreign:
			continue
		case hold == open && loose && stays[n.Name]: // it is released
		case hold == open:
			p.Hold, until, loose = append(p.Hold, n.Name), now, true
		case loose && until.After(now): // it is held sooner than it was to be
			until = now
		}
		if end := until.Add(v.Grace); loose && end.After(now) {
			p.State.Nodes[n.Name] = until
			p.Next = sooner(sooner(p.Next, until, now), end, now)
		}
	}
	in := v.with(p.State.Nodes)
	p.Decision = disruptkit.Decide(in, "")
	p.State.Memory = p.Decision.Memory
	p.Next = sooner(p.Next, p.Decision.NextChange, now)
	for _, c := range p.Decision.Allowed {
		until := now.Add(v.Lasts)
		if !c.Until.IsZero() && c.Until.Before(until) {
			until = c.Until
		}
		p.State.Nodes[c.Node] = until.UTC().Truncate(time.Second)
		p.Release = append(p.Release, c.Node)
		p.Next = sooner(p.Next, until, now)
	}
	return p
}

// stays returns the released nodes that may still be disrupted: those that Decide would allow if they were not released yet, beside all others that
// may be taken.
func (v view) stays() map[string]bool {
	others := maps.Clone(v.State.Nodes)
	released := map[string]bool{}
	for name, until := range v.State.Nodes {
		if until.After(v.Input.Now) {
			delete(others, name)
			released[name] = true
		}
	}
	in := v.with(others)
	in.Memory = map[string]disruptkit.Memory{}
	for pool, m := range v.State.Memory { // a release does not count against itself
		m.Starts = slices.DeleteFunc(slices.Clone(m.Starts), func(s disruptkit.Start) bool { return released[s.Node] })
		in.Memory[pool] = m
	}
	for i := range in.Nodes {
		if !released[in.Nodes[i].Name] {
			in.Nodes[i].Conditions = nil
		}
	}
	may := map[string]bool{}
	for _, c := range disruptkit.Decide(in, "").Allowed {
		may[c.Node] = true
	}
	for _, n := range in.Nodes { // one that goes is not held in its way
		may[n.Name] = may[n.Name] || released[n.Name] && n.InFlight()
	}
	return may
}

// with returns the input with nodes in flight, and its memory.
func (v view) with(loose map[string]time.Time) disruptkit.Input {
	in := v.Input
	in.Memory = v.State.Memory
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		_, goes := loose[n.Name]
		n.DoNotDisrupt = n.DoNotDisrupt || v.Holds[n.Name] == theirs
		if !n.InFlight() && (goes || v.Holds[n.Name] == foreign) {
			n.Leaving = candidate.Draining
			if len(n.Conditions) > 0 {
				n.DisruptedFor = n.Conditions[0].Reason
			}
		}
	}
	return in
}

// sooner returns the earlier of two times, leaving out those that are zero or not after now.
func sooner(a, b, now time.Time) time.Time {
	if !b.After(now) || !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}
