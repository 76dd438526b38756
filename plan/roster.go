package plan

// A roster lists the nodes of a plan.
type roster struct {
	slots   []slot
	slotOf  []int            // by node id; -1: none
	places  map[string][]int // the slots of the nodes with a name
	toGo    int              // how many slots wait
	reading int              // the number of the current reading
	heard   []int            // slots that it has
	leftOut []int            // slots that are allowed, and that the pass does not start
}

// add lists the next node.
func (r *roster) add(s slot) {
	r.slotOf = append(r.slotOf, len(r.slots))
	r.places[s.Name] = append(r.places[s.Name], len(r.slots))
	r.slots = append(r.slots, s)
	r.toGo++
}

// leaveOut passes over the next node.
func (r *roster) leaveOut() { r.slotOf = append(r.slotOf, -1) }

// find returns the position of a waiting node's slot, or -1. If several nodes of the pool share the name, it returns
// the first one that this reading has not mentioned yet.
func (r *roster) find(node, pool string) int {
	found := -1
	for _, i := range r.places[node] {
		if s := &r.slots[i]; s.phase == waits && s.Pool == pool && (found < 0 || s.read != r.reading) {
			found = i
			if s.read != r.reading {
				break
			}
		}
	}
	return found
}

// hear records the current reading of a slot.
func (r *roster) hear(at int, what said) {
	s := &r.slots[at]
	if s.read != r.reading {
		s.read, s.said = r.reading, what
		r.heard = append(r.heard, at)
	} else if s.said.stays && !what.stays {
		s.said = what
	}
}
