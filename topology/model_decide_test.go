package topology_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A fleet is one model: its zones, their budget, and how decisions are made. Deciding is real: it calls Census and
// SelectActiveZone on nodes that are in the state.
type fleet struct {
	names   []string // of the zones, in the order of their names
	nodes   uint8    // in each
	limit   string
	forget  bool // the roll value is withheld from every decision
	calm    bool // nothing goes wrong
	pauses  bool // zones are paused at times
	overdue bool // drifted nodes become overdue: while the window is closed, one of them is allowed at a time
	ordered candidate.Reason
	scope   budget.Limit
	options topology.Options

	others [maxZones][kinds][3]candidate.Node // the nodes outside the line
	lined  [maxZones][maxNodes]candidate.Node // the nodes in it, by their position
	late   [maxZones][maxNodes]candidate.Node // the same, overdue
}

var (
	today    = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	spentPDB = []candidate.Blocker{{Gate: candidate.GatePod, Code: "pdb", Message: "PDB web/api allows no disruption"}}
	blockers = [...][]candidate.Blocker{
		spent: spentPDB, overdueSpent: spentPDB,
		forGood: {{Gate: candidate.GateNode, Code: candidate.CodeDoNotDisrupt, Message: "do-not-disrupt", ForGood: true}},
	}
	paused    = candidate.Blocker{Gate: candidate.GateProbe, Code: candidate.CodePaused, Message: "paused by alice"}
	pausedToo = func() (all [standings][]candidate.Blocker) {
		for is := range all {
			all[is] = append(slices.Clone(blockers[is]), paused)
		}
		return all
	}()
)

func newFleet(t testing.TB, nodes int, limit string, names ...string) *fleet {
	return newFleetFor(t, candidate.Drifted, nodes, limit, names...)
}

// newFleetFor returns a fleet whose zones take turns for a reason. If that is not Drifted, but a child, it is unknown
// of every other node in the line whether it has drifted for that.
func newFleetFor(t testing.TB, ordered candidate.Reason, nodes int, limit string, names ...string) *fleet {
	reasons := []candidate.Reason{ordered}
	set, err := budget.Compile([]budget.Budget{{Nodes: limit, TopologyKey: "zone", Sequential: true, Reasons: reasons}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{names: names, nodes: uint8(nodes), limit: limit, scope: set.Scopes("")[0], ordered: ordered}
	for z, name := range names {
		base := candidate.Node{Pool: "default", Phase: candidate.Running, Labels: map[string]string{"zone": name}}
		since := func(minutes int) []candidate.Condition {
			return []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: today.Add(time.Duration(minutes) * time.Minute)}}
		}
		for i := range f.lined[z] {
			n := base
			n.Name, n.Conditions = fmt.Sprintf("%s-drifted-%d", name, i), since(i-60)
			if ordered != candidate.Drifted && i%2 == 0 {
				n.Conditions[0].Reason = candidate.Drifted
			}
			f.lined[z][i] = n
			n.Conditions = slices.Clone(n.Conditions)
			n.Conditions[0].Deadline = today.Add(time.Duration(i-30) * time.Minute)
			f.late[z][i] = n
		}
		for i := range 3 {
			for k := range kinds {
				n := base
				n.Name = fmt.Sprintf("%s-%d-%d", name, k, i)
				switch k {
				case unready:
					n.Phase = candidate.NotReady
				case rolling:
					n.Leaving, n.DisruptedFor, n.Conditions = candidate.Draining, "Drifted", since(-90)
				case ending:
					n.Leaving, n.DisruptedFor, n.Conditions = candidate.Draining, "Drifted/AMIDrift", since(-90)
					n.Leaving, n.Phase = candidate.Terminating, candidate.NotReady
				case consolidating:
					n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Underutilized
				case unknown:
					n.Leaving = candidate.Draining
				}
				f.others[z][k][i] = n
			}
		}
	}
	return f
}

// members yields the nodes of a state as a caller of topology.Census would.
func (f *fleet) members(s *state) iter.Seq2[*candidate.Node, []candidate.Blocker] {
	return func(yield func(*candidate.Node, []candidate.Blocker) bool) {
		for z := range f.names {
			for k, n := range s.zones[z] {
				for i := range n {
					if !yield(&f.others[z][k][i], nil) {
						return
					}
				}
			}
		}
		for i, d := range s.line[:s.n] {
			held := blockers[d.is]
			if s.paused(int(d.zone)) {
				held = pausedToo[d.is]
			}
			n := &f.lined[d.zone][i]
			if d.is == overdue || d.is == overdueSpent {
				n = &f.late[d.zone][i]
			}
			if !yield(n, held) {
				return
			}
		}
	}
}

// A choice is what a decision allows, and the roll value that it returns.
type choice struct {
	zone    int // -1: nothing is allowed
	allowed int
	roll    position
	mixed   bool // more than one zone
}

// decide lets the library decide.
func (f *fleet) decide(s *state) choice {
	roll := topology.Roll{}
	if !f.forget {
		roll = f.value(s.roll)
	}
	domains := domainsOf(f.members(s), f.scope, f.options, today)
	sel := topology.SelectActiveZone(f.scope, domains, roll, f.options, today)
	c := choice{zone: -1}
	var taken [maxZones]int
	for i := range s.inOrder() {
		d := s.line[i]
		if !s.open && (d.is != overdue || s.disrupting()+c.allowed > 0) || s.paused(int(d.zone)) || !sel.Allows(f.names[d.zone], taken[d.zone]) {
			continue
		}
		taken[d.zone]++
		c.mixed = c.mixed || c.zone >= 0 && c.zone != int(d.zone)
		c.zone, c.allowed = int(d.zone), c.allowed+1
	}
	c.roll = f.position(next(sel, c.allowed > 0))
	return c
}

func (f *fleet) value(p position) topology.Roll {
	r := topology.Roll{Key: "zone"}
	switch p.zone {
	case nowhere:
		return topology.Roll{}
	case gone:
		r.Domain = "zone-without-nodes"
	case otherKey:
		r.Key, r.Domain = "rack", f.names[0]
	default:
		r.Domain = f.names[p.zone]
	}
	switch p.idle {
	case idleNow:
		r.IdleSince = today
	case idleLong:
		r.IdleSince = today.Add(-15 * time.Minute)
	}
	return r
}

func (f *fleet) position(r topology.Roll) position {
	p := position{zone: nowhere}
	for z, name := range f.names {
		if r.Key == "zone" && r.Domain == name {
			p.zone = uint8(z)
		}
	}
	switch {
	case r.IdleSince.IsZero():
	case r.IdleSince.Equal(today):
		p.idle = idleNow
	default:
		p.idle = idleLong
	}
	return p
}

// next returns the roll to store.
func next(s topology.Selection, started bool) topology.Roll {
	if started {
		return s.Started
	}
	return s.Kept
}
