package plan

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A fleet is the nodes of a part, as an API server would list them, with their future events.
type fleet struct {
	in     disruptkit.Input
	model  Model
	ids    []int            // of in.Nodes, by position; nodes may share a name
	at     []int            // the position of an id in in.Nodes; -1: gone
	named  map[string][]int // the ids of the nodes with a name
	events events
	count  int // of events so far
	crowd  *crowd
	*evictions
	hindered map[int32]hindrance // at the last decision, by the ids of nodes
	sizes
	launching launches
}

// newFleet returns the fleet at the beginning. It has its own copy of the nodes, whose ids are their positions.
func newFleet(in disruptkit.Input, m Model) *fleet {
	f := &fleet{in: in, model: m, named: make(map[string][]int, len(in.Nodes)), launching: launches{}}
	f.in.Nodes = make([]candidate.Node, 0, len(in.Nodes)+len(in.Nodes)/4)
	for _, n := range in.Nodes {
		f.add(n, -1)
	}
	f.evictions, f.sizes = newEvictions(f.in, m), newSizes(f)
	return f
}

// An event is what happens to a node at a time.
type event struct {
	at        time.Time
	number    int // events at the same time happen in this order
	what      happening
	id        int       // of the node
	slot      int       // the position in account.slots of the node that this belongs to; -1: none
	recovered time.Time // of the node that leaves: see course
}

type happening int8

const (
	joins     happening = iota // the node joins and is Ready
	leaves                     // the node is gone
	recovers                   // the pods of a gone node are Ready again
	forgotten                  // the node has rebooted: its disruption is over
	expires                    // the node expires, and is disrupted if it is not in flight
)

// events is a heap with the next event first.
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

// next takes the next event.
func (f *fleet) next() event { return heap.Pop(&f.events).(event) }

func (f *fleet) expect(e event) {
	e.number = f.count
	f.count++
	heap.Push(&f.events, e)
}

// nextEvent returns the time of the next event. Zero: there is none.
func (f *fleet) nextEvent() (next time.Time) {
	if len(f.events) > 0 {
		next = f.events[0].at
	}
	return next
}

// goesOn schedules the events of a node that is in flight, rebooting or joining at the beginning. It returns the course
// of a node that drains or terminates.
func (f *fleet) goesOn(id, slot int) (k course, ends bool) {
	now, n := f.in.Now, &f.in.Nodes[f.at[id]]
	switch {
	case goes(n):
		k = f.drainsOn(id, n)
		if k.gone.IsZero() {
			return k, true
		}
		if s := f.sizes[n.Pool]; s != nil {
			s.ends = append(s.ends, k.gone)
		}
		k.recovered = k.gone.Add(f.model.recovery(*n, k.gone))
		f.expect(event{at: k.gone, what: leaves, id: id, slot: slot, recovered: k.recovered})
		return k, true
	case n.Rebooting:
		f.expect(event{at: now.Add(f.model.launch(*n, now)), what: forgotten, id: id, slot: -1})
	case n.Phase.Joining() && len(n.Conditions) == 0:
		ready := now.Add(f.model.launch(*n, now))
		f.expect(event{at: ready, what: joins, id: id, slot: -1})
		if m := f.model; m.Room != nil && !m.static(n.Pool) { // whose pods it is for is unknown
			in := m.Room(*n)
			f.launching[in] = append(f.launching[in], launch{end: ready})
		}
	}
	return k, false
}

// drainsOn returns the course of a node that is in flight at the beginning. Pods hold up its drain until its grace
// period ends, if it has one, and not once its instance terminates.
func (f *fleet) drainsOn(id int, n *candidate.Node) (k course) {
	at, since, begun := f.in.Now, time.Time{}, true
	if f.model.Begun != nil {
		since, begun = f.model.Begun(*n)
	}
	if !begun {
		k.ready = at.Add(f.model.launch(*n, at))
		at = f.model.drainsFrom(*n, at, k.ready)
	}
	takes, end := f.model.drain(*n, at), n.Deadline
	if n.Leaving == candidate.Terminating || !end.IsZero() && !end.After(f.in.Now) {
		k.gone = at.Add(takes)
		return k
	}
	if grace := f.model.grace(*n); end.IsZero() && !k.ready.IsZero() && grace > 0 {
		end = at.Add(grace)
	}
	var last time.Time
	last, k.queue, k.blockers = f.drainOf(id, *n, drain{at, at, end})
	gone := f.model.drainedAt(*n, last, takes)
	if begun && !since.IsZero() && emptied(n) {
		// All of its pods have been evicted, so it has been draining for a while.
		if so := f.model.drainedAt(*n, since, takes); so.After(at) {
			gone = so
		}
	}
	k.drained(gone, end)
	if in, spared := f.model.room(n), f.spared(n, drain{at, at, end}); in != "" && begun && spared.After(at) {
		late := launch{from: spared, end: f.model.joined(*n, spared), evicted: spared}
		f.launching[in] = append(f.launching[in], late)
	}
	return k
}

// begin starts a node for a reason, or deletes it. It returns the node's course, and the name of its replacement.
func (f *fleet) begin(id, slot int, reason candidate.Condition, deleted bool) (k course, replacement string) {
	n := &f.in.Nodes[f.at[id]]
	empty := func(d drain) (time.Time, queue, []candidate.Blocker) {
		if deleted || !d.end.IsZero() {
			return f.drainOf(id, *n, d)
		}
		waits, _ := f.drains(id, *n, d, f.in.Now)
		return d.at.Add(waits.lasts), waits, nil
	}
	how := manner{deleted: deleted, first: f.drainsFirst(n, deleted)}
	if deleted || candidate.Drifted.Covers(reason.Reason) {
		d := drain{at: f.in.Now}
		if grace := f.model.grace(*n); grace > 0 {
			d.end = d.at.Add(grace)
		}
		how.spared = f.spared(n, d)
	}
	k = f.model.course(*n, reason, f.in.Now, how, empty)
	f.resize(n.Pool, k, how.first)
	if in := f.model.room(n); in != "" && (deleted || candidate.Drifted.Covers(reason.Reason)) {
		f.launching[in] = append(f.launching[in], f.model.launched(n, f.in.Now, k.ready, how))
	}
	n.Leaving, n.DisruptedFor = candidate.Draining, reason.Reason
	f.crowd.changed(id)
	if k.replaced {
		replacement = f.unused(n.Name + " (new)")
		joining := f.add(replacementOf(*n, replacement, k), id)
		f.expect(event{at: k.ready, what: joins, id: joining, slot: slot})
	}
	if !k.gone.IsZero() {
		f.expect(event{at: k.gone, what: leaves, id: id, slot: slot, recovered: k.recovered})
	}
	return k, replacement
}

// replacementOf returns the replacement of a node at its launch.
func replacementOf(n candidate.Node, name string, k course) candidate.Node {
	pods := make([]candidate.Pod, 0, len(n.Pods))
	for _, p := range n.Pods {
		if !p.Inactive {
			p.Started, p.Unready = k.recovered, false
			pods = append(pods, p)
		}
	}
	return candidate.Node{
		Name: name, Pool: n.Pool, Labels: n.Labels, Phase: candidate.Launched, Pods: pods, Cost: n.Cost,
		HasGracePeriod: n.HasGracePeriod, Replaces: n.Name,
	}
}

// happen applies an event to the nodes.
func (f *fleet) happen(e event) {
	if f.at[e.id] < 0 {
		return // it was rebooting, and has expired meanwhile
	}
	n := &f.in.Nodes[f.at[e.id]]
	switch e.what {
	case joins:
		n.Phase, n.ReadySince = candidate.Running, e.at
		f.crowd.changed(e.id)
	case leaves:
		pods, moving := n.Pods, n.Name+" (pods on the move)"
		f.remove(e.id)
		if e.recovered.After(e.at) && len(pods) > 0 {
			// It has no pool, so that it uses up only PodDisruptionBudgets.
			id := f.add(candidate.Node{Name: f.unused(moving), Leaving: candidate.Draining, Pods: pods}, e.id)
			f.expect(event{at: e.recovered, what: recovers, id: id, slot: -1})
		}
	case recovers:
		f.remove(e.id)
	case forgotten:
		if goes(n) {
			return
		}
		n.Rebooting, n.Phase, n.ReadySince = false, candidate.Running, e.at
		n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c candidate.Condition) bool {
			return candidate.Unhealthy.Covers(c.Reason)
		})
		f.crowd.changed(e.id)
	}
}

// waiting returns the node of an allowed candidate, and its condition. If several nodes share the name, it returns the
// first one that has the reason and has not started.
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

// goes reports whether a node drains or terminates.
func goes(n *candidate.Node) bool { return n.Leaving != candidate.Staying }

// unused returns a name that no node has had.
func (f *fleet) unused(name string) string {
	for len(f.named[name]) > 0 {
		name += " (new)"
	}
	return name
}

// add adds a node, and returns its id. It gets the pods of another one; -1: it is there from the beginning.
func (f *fleet) add(n candidate.Node, from int) (id int) {
	id = len(f.at)
	f.named[n.Name] = append(f.named[n.Name], id)
	f.at, f.ids = append(f.at, len(f.in.Nodes)), append(f.ids, id)
	f.in.Nodes = append(f.in.Nodes, n)
	f.crowd.joined(id, from)
	return id
}

// remove removes a node. The last one gets its position.
func (f *fleet) remove(id int) {
	i, last := f.at[id], len(f.in.Nodes)-1
	f.in.Nodes[i], f.ids[i] = f.in.Nodes[last], f.ids[last]
	f.at[f.ids[i]], f.at[id] = i, -1
	f.in.Nodes[last] = candidate.Node{}
	f.in.Nodes, f.ids = f.in.Nodes[:last], f.ids[:last]
	f.crowd.changed(id)
}
