package plan

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A fleet is the nodes of a part as an API server would list them, and what is to happen to them.
type fleet struct {
	in     disruptkit.Input
	model  Model
	places map[string][]int // where the nodes of a name are in in.Nodes
	events events
	count  int // of all events so far
}

// newFleet returns the fleet at the beginning. It has nodes of its own.
func newFleet(in disruptkit.Input, m Model) *fleet {
	f := &fleet{in: in, model: m, places: make(map[string][]int, len(in.Nodes))}
	f.in.Nodes = slices.Clone(in.Nodes)
	for i := range f.in.Nodes {
		f.places[f.in.Nodes[i].Name] = append(f.places[f.in.Nodes[i].Name], i)
	}
	return f
}

// An event is what happens to a node at a time.
type event struct {
	at     time.Time
	number int // of events at the same time, the first comes first
	what   happening
	node   string
	slot   int // the position of the node whose fate it is in account.slots; -1: none
	course course
}

type happening int8

const (
	joins     happening = iota // the node joins, and is Ready
	leaves                     // the node is gone
	recovers                   // the pods of a node that is gone are Ready again
	forgotten                  // the node stays, but the disruption is over: it has rebooted
)

// events are a heap, the next first.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return cmp.Or(e[i].at.Compare(e[j].at), cmp.Compare(e[i].number, e[j].number)) < 0
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (f *fleet) expect(e event) {
	e.number = f.count
	f.count++
	heap.Push(&f.events, e)
}

// nextEvent returns when something next happens; zero: nothing does.
func (f *fleet) nextEvent() (next time.Time) {
	if len(f.events) > 0 {
		next = f.events[0].at
	}
	return next
}

// goesOn foresees what becomes of a node that is in flight, reboots or joins at the beginning. It reports when it is gone, if it goes.
func (f *fleet) goesOn(n *candidate.Node, slot int) (gone time.Time, ends bool) {
	now := f.in.Now
	switch {
	case goes(n):
		gone = now.Add(f.model.drain(*n, now))
		if n.Deadline.After(now) && n.Deadline.Before(gone) {
			gone = n.Deadline
		}
		f.expect(event{at: gone, what: leaves, node: n.Name, slot: slot, course: course{recovered: gone}})
		return gone, true
	case n.Rebooting:
		f.expect(event{at: now.Add(f.model.launch(*n, now)), what: forgotten, node: n.Name, slot: -1})
	case !n.Initialized && len(n.Conditions) == 0:
		f.expect(event{at: now.Add(f.model.launch(*n, now)), what: joins, node: n.Name, slot: -1})
	}
	return gone, false
}

// begin starts a candidate that may go, and returns what is to happen to it, and the name of its replacement.
func (f *fleet) begin(c candidate.Candidate, slot int) (k course, replacement string) {
	now := f.in.Now
	n := f.waiting(c.Node, c.Pool)
	condition := candidate.Condition{Reason: c.Reason}
	if i := slices.IndexFunc(n.Conditions, func(k candidate.Condition) bool { return k.Reason == c.Reason }); i >= 0 {
		condition = n.Conditions[i]
	}
	k = f.model.course(*n, condition, now)
	if k.replaced {
		replacement = f.unused(n.Name + " (new)")
		f.expect(event{at: k.ready, what: joins, node: replacement, slot: slot, course: k})
	}
	f.expect(event{at: k.gone, what: leaves, node: n.Name, slot: slot, course: k})
	n.Deleting, n.DisruptedFor = true, c.Reason
	if k.replaced { // n is not valid after this
		f.add(replacementOf(*n, replacement, k))
	}
	return k, replacement
}

// replacementOf returns the replacement of a node as it is launched.
func replacementOf(n candidate.Node, name string, k course) candidate.Node {
	pods := make([]candidate.Pod, 0, len(n.Pods))
	for _, p := range n.Pods {
		if !p.Inactive {
			p.Started, p.Unready = k.recovered, false
			pods = append(pods, p)
		}
	}
	return candidate.Node{Name: name, Pool: n.Pool, Labels: n.Labels, Pods: pods, Cost: n.Cost, HasGracePeriod: n.HasGracePeriod}
}

// happen makes an event happen.
func (f *fleet) happen(e event) {
	switch e.what {
	case joins:
		for _, i := range f.places[e.node] {
			n := &f.in.Nodes[i]
			n.Registered, n.Initialized, n.Ready, n.ReadySince = true, true, true, e.at
		}
	case leaves:
		n, found := f.remove(e.node)
		if found && e.course.recovered.After(e.at) && len(n.Pods) > 0 {
			moving := f.unused(n.Name + " (pods on the move)")
			f.add(candidate.Node{Name: moving, Deleting: true, Pods: n.Pods}) // of no pool: it uses up nothing but PodDisruptionBudgets
			f.expect(event{at: e.course.recovered, what: recovers, node: moving, slot: -1})
		}
	case recovers:
		f.remove(e.node)
	case forgotten:
		for _, i := range f.places[e.node] {
			n := &f.in.Nodes[i]
			n.Rebooting, n.Registered, n.Initialized, n.Ready, n.ReadySince = false, true, true, true, e.at
			n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c candidate.Condition) bool {
				return candidate.Unhealthy.Covers(c.Reason)
			})
		}
	}
}

// waiting returns the node of a name and a pool that may go: of several, the first that has not started.
func (f *fleet) waiting(name, pool string) *candidate.Node {
	places := f.places[name]
	for _, i := range places {
		if n := &f.in.Nodes[i]; n.Pool == pool && !goes(n) {
			return n
		}
	}
	return &f.in.Nodes[places[0]]
}

// goes reports whether a node is on its way out.
func goes(n *candidate.Node) bool { return n.Deleting || n.InstanceTerminating }

// unused returns a name that no node has.
func (f *fleet) unused(name string) string {
	for len(f.places[name]) > 0 {
		name += " (new)"
	}
	return name
}

func (f *fleet) add(n candidate.Node) {
	f.places[n.Name] = append(f.places[n.Name], len(f.in.Nodes))
	f.in.Nodes = append(f.in.Nodes, n)
}

// remove removes the node of a name: of several, the first that is on its way out. The last node takes its place.
func (f *fleet) remove(name string) (removed candidate.Node, found bool) {
	places := f.places[name]
	at := slices.IndexFunc(places, func(i int) bool { return goes(&f.in.Nodes[i]) })
	if at < 0 {
		return removed, false
	}
	i, last := places[at], len(f.in.Nodes)-1
	removed = f.in.Nodes[i]
	f.places[name] = slices.Delete(places, at, at+1)
	if len(f.places[name]) == 0 {
		delete(f.places, name)
	}
	if i < last {
		moved := f.places[f.in.Nodes[last].Name]
		moved[slices.Index(moved, last)] = i
		f.in.Nodes[i] = f.in.Nodes[last]
	}
	f.in.Nodes[last] = candidate.Node{}
	f.in.Nodes = f.in.Nodes[:last]
	return removed, true
}
