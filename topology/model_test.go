package topology_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

var full = flag.Bool("full", false, "also check the large fleets: some minutes and gigabytes")

// exhaustive is set where fleets are checked that take some seconds each, as in CI.
var exhaustive = os.Getenv("EXHAUSTIVE") != ""

// A cost is how long a fleet takes.
type cost int

const (
	quick   cost = iota
	seconds      // with EXHAUSTIVE=1
	minutes      // with -full
)

// allow skips a test that costs more than the flags allow, or else runs it beside others.
func (c cost) allow(t *testing.T) {
	switch {
	case c == minutes && !*full:
		t.Skip("only with -full")
	case c == seconds && !*full && !exhaustive:
		t.Skip("only with EXHAUSTIVE=1")
	}
	t.Parallel()
}

// The model checker visits, breadth-first, every state that a small fleet can get into, and checks each decision there:
//
//   - Safety: no node starts in a zone while nodes of the roll are in flight in another, no limit is exceeded, nothing
//     starts outside the window; also with a roll value that is lost, old or forged.
//   - Order: with the value, no other zone is entered while the roll's zone has drifted nodes that are in flight or not
//     blocked for good, or new ones that are not Ready; but for patience.
//   - Work: if anything may be disrupted, something is allowed.
//   - Liveness: from every state, a finished roll can be reached.
func TestModel(t *testing.T) {
	for _, c := range []struct {
		cost
		zones string
		nodes int
	}{{quick, "a b", 1}, {quick, "a b c", 1}, {seconds, "a b", 2}, {minutes, "a b", 3}, {minutes, "a b c", 2}} {
		for _, limit := range []string{"1", "2", "50%"} {
			t.Run(fmt.Sprintf("%s of %d, %s", c.zones, c.nodes, limit), func(t *testing.T) {
				c.allow(t)
				explore(t, newFleet(t, c.nodes, limit, strings.Fields(c.zones)...))
			})
		}
	}
	for _, c := range []struct {
		name string
		o    topology.Options
		a    string
	}{
		{"a domain without a name", topology.Options{LabelOptional: true}, ""},
		{"nobody waits for new nodes", topology.Options{Unsettled: true}, "a"},
		{"patience has no end", topology.Options{Patience: candidate.Forever}, "a"},
	} {
		for nodes, cost := range map[int]cost{1: quick, 2: seconds} {
			t.Run(fmt.Sprintf("%s, %d nodes", c.name, nodes), func(t *testing.T) {
				cost.allow(t)
				f := newFleet(t, nodes, "1", c.a, "b")
				f.options = c.o
				explore(t, f)
			})
		}
	}
}

// Zones take turns for Drifted/AMIDrift. Of some drifted nodes only that is known, of others only that they have
// drifted.
func TestModelWithNodesThatMayHaveDriftedForTheOrderedReason(t *testing.T) {
	for _, c := range []struct {
		cost
		zones string
		nodes int
	}{{quick, "a b", 1}, {seconds, "a b c", 1}, {seconds, "a b", 2}} {
		t.Run(fmt.Sprintf("%s of %d", c.zones, c.nodes), func(t *testing.T) {
			c.allow(t)
			explore(t, newFleetFor(t, "Drifted/AMIDrift", c.nodes, "1", strings.Fields(c.zones)...))
		})
	}
}

// Zones are paused, and no longer so. That multiplies the states, so of larger fleets only a sample is looked at.
func TestModelWithPauses(t *testing.T) {
	for _, c := range []struct {
		cost
		zones  string
		nodes  int
		sample uint64
	}{
		{quick, "a b", 1, 0}, {quick, "a b c", 1, 32}, {seconds, "a b c", 1, 2}, {seconds, "a b", 2, 4},
		{minutes, "a b c", 1, 0}, {minutes, "a b", 2, 0}, {minutes, "a b c", 2, 4},
	} {
		t.Run(fmt.Sprintf("%s of %d, one of %d", c.zones, c.nodes, max(1, c.sample)), func(t *testing.T) {
			c.allow(t)
			f := newFleet(t, c.nodes, "1", strings.Fields(c.zones)...)
			f.pauses = true
			e := newExploration(f)
			e.sample, e.most = c.sample, most
			e.check(t)
		})
	}
}

// Drifted nodes become overdue, and are then also allowed outside the window: one at a time, where none is in flight in another zone.
// Some fleets also have paused zones.
func TestModelWithOverdueNodes(t *testing.T) {
	for _, c := range []struct {
		cost
		zones  string
		nodes  int
		sample uint64
		pauses bool
	}{
		{quick, "a b", 1, 0, false}, {quick, "a b", 1, 0, true}, {quick, "a b c", 1, 4, false}, {quick, "a b", 2, 16, true},
		{minutes, "a b c", 1, 0, true}, {minutes, "a b", 2, 0, false}, {minutes, "a b", 2, 4, true}, {minutes, "a b c", 2, 4, true},
	} {
		t.Run(fmt.Sprintf("%s of %d, one of %d, pauses %t", c.zones, c.nodes, max(1, c.sample), c.pauses), func(t *testing.T) {
			c.allow(t)
			f := newFleet(t, c.nodes, "1", strings.Fields(c.zones)...)
			f.overdue, f.pauses = true, c.pauses
			e := newExploration(f)
			e.sample, e.most = c.sample, most
			e.check(t)
		})
	}
}

func explore(t *testing.T, f *fleet) { newExploration(f).check(t) }

func (e *exploration) check(t *testing.T) {
	start := time.Now()
	story, events := e.run()
	if story != "" {
		t.Fatal(story)
	}
	t.Logf("%d states, %d events, %d steps deep: %.1f s", len(e.states), events, e.depth, time.Since(start).Seconds())
}

// Without the value, the next zone is that of the oldest candidate whenever nothing is in flight: the RFC's letter. The
// checker must find that this leaves zones half done, even where nothing else happens.
func TestTheModelCheckerFindsTheFlawOfDecidingWithoutARollValue(t *testing.T) {
	f := newFleet(t, 2, "1", "a", "b")
	f.forget, f.calm = true, true
	got, _ := newExploration(f).run()
	want := `
ORDER: the roll leaves a zone that is not done
` + legend + `

    a [..]  b [..]  roll: none
 1. a node of a drifts
    a [.*]  b [..]  drifted, oldest first: a  roll: none
 2. a node of b drifts
    a [.*]  b [.*]  drifted, oldest first: a b  roll: none
 3. a node of a drifts
    a [**]  b [.*]  drifted, oldest first: a b a  roll: none
 4. decide: 1 of a allowed, and 1 start
    a [>*]  b [.*]  drifted, oldest first: b a  roll: a
 5. what is in flight in a is replaced
    a [.*]  b [.*]  drifted, oldest first: b a  roll: a
 6. decide: 1 of b allowed, and 1 start
`
	if got != strings.TrimPrefix(want, "\n") {
		t.Errorf("it finds:\n%s", got)
	}
}

// An exploration is a breadth-first search.
type exploration struct {
	*fleet
	states  []uint64 // in the order in which they were found
	parents []uint32 // the state from which each was found
	seen    codes
	depth   int
	ends    map[uint64]bool // quiet states from which a finished roll is reached
	sample  uint64          // of so many states, about one is looked at; 0: all are. A sample of more than ten or so soon ends
	most    int             // so many states are looked at, the first that are found
}

// most is how many states of the largest fleets are looked at.
const most = 500_000

func newExploration(f *fleet) *exploration {
	return &exploration{fleet: f, ends: map[uint64]bool{}}
}

// start is a fleet in which nothing has drifted yet.
func (f *fleet) start() state {
	s := state{open: true, roll: position{zone: nowhere}, truth: position{zone: nowhere}}
	for z := range f.names {
		s.zones[z][ready] = f.nodes
	}
	return s
}

// run returns the shortest story of something that must not happen, or "", and how many events there were.
func (e *exploration) run() (story string, events int) {
	first := e.start()
	e.found(first.encode(), 0)
	level := 0 // the end of the states of the present depth
	for i := 0; i < len(e.states); i++ {
		if i == level {
			level = len(e.states)
			e.depth++
		}
		s := decode(e.states[i])
		c := e.decide(&s)
		if fault := e.wrong(&s, c); fault != "" {
			return e.story(i, fault, c), events
		}
		if !e.forget && !e.ending(s) {
			return e.story(i, "LIVENESS: no finished roll can be reached", c), events
		}
		e.steps(&s, c, func(_ func() string, to state) {
			events++
			e.found(to.encode(), uint32(i))
		})
	}
	return "", events
}

func (e *exploration) found(code uint64, parent uint32) {
	if e.sample > 0 && parent > 0 && code*0x9E3779B97F4A7C15>>40%e.sample != 0 {
		return
	}
	if e.most > 0 && len(e.states) >= e.most {
		return
	}
	if e.seen.add(code) {
		e.states = append(e.states, code)
		e.parents = append(e.parents, parent)
	}
}

// ending reports whether the best of luck ends the roll: all that is in flight arrives, PDBs recover, the window opens,
// new nodes are Ready, and what is allowed is started, again and again. Each of these is an event of the model.
func (e *exploration) ending(s state) bool {
	var visited []uint64
	for range 4 * maxNodes {
		for z := range e.names {
			zone := &s.zones[z]
			zone[ready] += zone[rolling] + zone[ending] + zone[unready]
			*zone = [kinds]uint8{ready: zone[ready]}
		}
		for i := range s.line[:s.n] {
			switch s.line[i].is {
			case spent:
				s.line[i].is = free
			case overdueSpent:
				s.line[i].is = overdue
			}
		}
		s.open, s.pause = true, 0
		quiet := s
		quiet.truth = position{zone: nowhere}
		code := quiet.encode()
		if e.done(&s) || e.ends[code] {
			for _, v := range visited {
				e.ends[v] = true
			}
			return true
		}
		visited = append(visited, code)
		c := e.decide(&s)
		s.roll = c.roll
		for range c.allowed {
			s.start(c.zone)
		}
	}
	return false
}

// story describes how a state is reached, and what happens there.
func (e *exploration) story(i int, fault string, c choice) string {
	var path []int
	for ; i > 0; i = int(e.parents[i]) {
		path = append(path, i)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s\n\n", fault, legend)
	s := e.start()
	fmt.Fprintf(&text, "    %s\n", s.picture(e.names))
	for n := len(path) - 1; n >= 0; n-- {
		code, told := e.states[path[n]], false
		e.steps(&s, e.decide(&s), func(what func() string, to state) {
			if !told && to.encode() == code {
				told = true
				fmt.Fprintf(&text, "%2d. %s\n    %s\n", len(path)-n, what(), to.picture(e.names))
			}
		})
		s = decode(code)
	}
	fmt.Fprintf(&text, "%2d. %s\n", len(path)+1, e.tell(c, c.allowed))
	return text.String()
}

// codes is a set of encoded states: a hash table with open addressing.
type codes struct {
	slots []uint64 // a code and 1, or 0
	n     int
}

// add reports whether the code is new.
func (c *codes) add(code uint64) bool {
	if 2*c.n >= len(c.slots) {
		old := c.slots
		c.slots = make([]uint64, max(1<<12, 2*len(old)))
		for _, slot := range old {
			if slot != 0 {
				c.slots[c.place(slot)] = slot
			}
		}
	}
	i := c.place(code + 1)
	if c.slots[i] != 0 {
		return false
	}
	c.slots[i] = code + 1
	c.n++
	return true
}

// place returns where a code is, or belongs.
func (c *codes) place(slot uint64) uint64 {
	mask := uint64(len(c.slots) - 1)
	i := slot * 0x9E3779B97F4A7C15 >> 20 & mask
	for c.slots[i] != 0 && c.slots[i] != slot {
		i = (i + 1) & mask
	}
	return i
}
