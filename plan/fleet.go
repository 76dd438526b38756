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
	ids    []int            // of in.Nodes, by position: nodes may share a name
	at     []int            // where the node of an id is; -1: it is gone
	named  map[string][]int // the ids of a name
	events events
	count  int // of all events so far
}

// newFleet returns the fleet at the beginning. It has nodes of its own, whose ids are their positions.
func newFleet(in disruptkit.Input, m Model) *fleet {
	f := &fleet{in: in, model: m, named: make(map[string][]int, len(in.Nodes))}
	f.in.Nodes = make([]candidate.Node, 0, len(in.Nodes)+len(in.Nodes)/4)
	for _, n := range in.Nodes {
		f.add(n)
	}
	return f
}

// An event is what happens to a node at a time.
type event struct {
	at     time.Time
	number int // of events at the same time, the first comes first
	what   happening
	id     int // of the node
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
func (f *fleet) goesOn(id, slot int) (gone time.Time, ends bool) {
	now, n := f.in.Now, &f.in.Nodes[f.at[id]]
	switch {
	case goes(n):
		gone = now.Add(f.model.drain(*n, now))
		if n.Deadline.After(now) && n.Deadline.Before(gone) {
			gone = n.Deadline
		}
		f.expect(event{at: gone, what: leaves, id: id, slot: slot, course: course{recovered: gone}})
		return gone, true
	case n.Rebooting:
		f.expect(event{at: now.Add(f.model.launch(*n, now)), what: forgotten, id: id, slot: -1})
	case !n.Initialized && len(n.Conditions) == 0:
		f.expect(event{at: now.Add(f.model.launch(*n, now)), what: joins, id: id, slot: -1})
	}
	return gone, false
}

// begin starts a node for a reason, and returns what is to happen to it, and the name of its replacement.
func (f *fleet) begin(id, slot int, reason candidate.Condition) (k course, replacement string) {
	n := &f.in.Nodes[f.at[id]]
	k = f.model.course(*n, reason, f.in.Now)
	n.Deleting, n.DisruptedFor = true, reason.Reason
	if k.replaced {
		replacement = f.unused(n.Name + " (new)")
		joining := f.add(replacementOf(*n, replacement, k))
		f.expect(event{at: k.ready, what: joins, id: joining, slot: slot, course: k})
	}
	f.expect(event{at: k.gone, what: leaves, id: id, slot: slot, course: k})
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
	if f.at[e.id] < 0 {
		return // it was to reboot, and expired meanwhile
	}
	n := &f.in.Nodes[f.at[e.id]]
	switch e.what {
	case joins:
		n.Registered, n.Initialized, n.Ready, n.ReadySince = true, true, true, e.at
	case leaves:
		pods, moving := n.Pods, n.Name+" (pods on the move)"
		f.remove(e.id)
		if e.course.recovered.After(e.at) && len(pods) > 0 {
			id := f.add(candidate.Node{Name: f.unused(moving), Deleting: true, Pods: pods}) // of no pool: it uses up nothing but PodDisruptionBudgets
			f.expect(event{at: e.course.recovered, what: recovers, id: id, slot: -1})
		}
	case recovers:
		f.remove(e.id)
	case forgotten:
		if goes(n) {
			return
		}
		n.Rebooting, n.Registered, n.Initialized, n.Ready, n.ReadySince = false, true, true, true, e.at
		n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c candidate.Condition) bool {
			return candidate.Unhealthy.Covers(c.Reason)
		})
	}
}

// waiting returns the node of a candidate that may go, and its reason. Of several with one name, it is the first that has the reason and
// has not started.
func (f *fleet) waiting(c candidate.Candidate) (id int, reason candidate.Condition, found bool) {
	for _, id := range f.named[c.Node] {
		if f.at[id] < 0 {
			continue
		}
		n := &f.in.Nodes[f.at[id]]
		for _, k := range n.Conditions {
			if n.Pool == c.Pool && k.Reason == c.Reason && !goes(n) {
				return id, k, true
			}
		}
	}
	return 0, candidate.Condition{}, false
}

// goes reports whether a node is on its way out.
func goes(n *candidate.Node) bool { return n.Deleting || n.InstanceTerminating }

// unused returns a name that no node has had.
func (f *fleet) unused(name string) string {
	for len(f.named[name]) > 0 {
		name += " (new)"
	}
	return name
}

// add adds a node, and returns its id.
func (f *fleet) add(n candidate.Node) (id int) {
	id = len(f.at)
	f.named[n.Name] = append(f.named[n.Name], id)
	f.at, f.ids = append(f.at, len(f.in.Nodes)), append(f.ids, id)
	f.in.Nodes = append(f.in.Nodes, n)
	return id
}

// remove removes a node. The last one takes its place.
func (f *fleet) remove(id int) {
	i, last := f.at[id], len(f.in.Nodes)-1
	f.in.Nodes[i], f.ids[i] = f.in.Nodes[last], f.ids[last]
	f.at[f.ids[i]], f.at[id] = i, -1
	f.in.Nodes[last] = candidate.Node{}
	f.in.Nodes, f.ids = f.in.Nodes[:last], f.ids[:last]
}
