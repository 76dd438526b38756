package disruptkit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/topology"
)

// A naiveZone is a zone or rack, with its nodes instead of numbers.
type naiveZone struct {
	in    disruptkit.Input
	pool  disruptkit.Pool
	scope budget.Scope
	name  string
	lasts func(n candidate.Node, r candidate.Reason) string // what else holds a node back without an end: "to go", "stays", or ""
}

// applies reports whether a budget limits a reason.
func (z naiveZone) applies(r candidate.Reason) bool { return naiveApplies(z.pool, z.scope, r) }

func naiveApplies(p disruptkit.Pool, s budget.Scope, r candidate.Reason) bool {
	if !s.Sequential {
		return s.Covers(r)
	}
	for _, ordered := range naiveReasons(p) {
		if ordered.Covers(r) {
			return s.Covers(r)
		}
	}
	return false
}

func naiveReasons(p disruptkit.Pool) []candidate.Reason {
	if len(p.Topology.Reasons) == 0 {
		return []candidate.Reason{"Drifted"}
	}
	if slices.Contains(p.Topology.Reasons, "typo") {
		return []candidate.Reason{""}
	}
	return p.Topology.Reasons
}

// nodes are those of the zone for which a condition holds.
func (z naiveZone) nodes(match func(candidate.Node) bool) (nodes []candidate.Node) {
	for _, n := range z.in.Nodes {
		exempt := n.Labels[z.scope.Key] == "" && z.pool.Topology.Unlabelled == topology.Exempt
		if n.Pool == z.pool.Name && n.Labels[z.scope.Key] == z.name && !exempt && match(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (z naiveZone) twice(n candidate.Node) bool {
	same := 0
	for _, other := range z.in.Nodes {
		if other.Name == n.Name {
			same++
		}
	}
	return same > 1
}

// standing is "in flight", "to go", "free", "stays", or "" for a node that has not drifted.
func (z naiveZone) standing(n candidate.Node) string {
	best := ""
	for _, c := range n.Conditions {
		if !z.applies(c.Reason) {
			continue
		}
		blockers := candidate.NodeGate(n, c, naiveDisruptAfter(z.in, n, c.Reason), z.in.Now)
		pods, _, forGood := naivePods(z.in, n, c.Reason, naiveInFlight(z.in))
		now := "free"
		if len(blockers)+len(pods) > 0 || z.twice(n) {
			now = "to go"
		}
		if what := z.lasts(n, c.Reason); what != "" {
			now = what
		}
		forGood = forGood || slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.ForGood })
		if forGood {
			now = "stays"
		}
		if n.Labels[z.scope.Key] == "" && z.pool.Topology.Unlabelled == topology.Block {
			now = "stays"
		}
		rank := []string{"", "stays", "to go", "free"}
		if slices.Index(rank, now) > slices.Index(rank, best) {
			best = now
		}
	}
	if n.Deleting || n.InstanceTerminating {
		return "in flight"
	}
	return best
}

func (z naiveZone) is(standings ...string) func(candidate.Node) bool {
	return func(n candidate.Node) bool { return slices.Contains(standings, z.standing(n)) }
}

// rolling are the nodes in flight for what the budget may apply to.
func (z naiveZone) rolling() []candidate.Node {
	return z.nodes(func(n candidate.Node) bool {
		if !n.Deleting && !n.InstanceTerminating {
			return false
		}
		known := slices.Contains([]candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty"}, n.DisruptedFor)
		if !known {
			return true
		}
		related := func(a, b candidate.Reason) bool { return a.Covers(b) || b.Covers(a) }
		ordered := !z.scope.Sequential
		for _, r := range naiveReasons(z.pool) {
			ordered = ordered || related(r, n.DisruptedFor)
		}
		named := len(z.scope.Reasons) == 0
		for _, r := range z.scope.Reasons {
			named = named || related(r, n.DisruptedFor)
		}
		return ordered && named
	})
}

func (z naiveZone) remaining() int {
	counted := z.nodes(func(n candidate.Node) bool {
		return n.Initialized && !n.InstanceTerminating && (!z.twice(n) || n.Deleting)
	})
	marked := z.nodes(func(n candidate.Node) bool { return n.Initialized && !n.InstanceTerminating && n.Deleting })
	return max(0, z.scope.Allowed(len(counted))-len(marked))
}

func (z naiveZone) startable() int { return min(len(z.nodes(z.is("free"))), z.remaining()) }

// held reports whether the last zone keeps its turn.
func (z naiveZone) held(since time.Time) bool {
	o := z.pool.Topology
	if len(z.rolling()) > 0 || z.startable() > 0 {
		return true
	}
	others := z.nodes(func(n candidate.Node) bool {
		for _, c := range n.Conditions {
			if z.applies(c.Reason) {
				return false
			}
		}
		return !n.Deleting && !n.InstanceTerminating
	})
	ready := since
	for _, n := range others {
		if !n.Ready && !o.Unsettled {
			return true
		}
		if n.Ready && n.ReadySince.After(ready) {
			ready = n.ReadySince
		}
	}
	wait := o.Patience
	if wait == 0 {
		wait = 15 * time.Minute
	}
	if len(z.nodes(z.is("to go", "free"))) == 0 {
		wait, since = o.Soak, ready
		if o.Unsettled {
			wait = 0
		}
	}
	return wait == candidate.Forever || wait > 0 && z.in.Now.Sub(since) < wait
}

// naiveScopes returns the active budgets with a topology key that concern anything; the first that is sequential orders
// the reasons of all that are, on its key. The limit of each is for what it names itself.
func naiveScopes(in disruptkit.Input, p disruptkit.Pool) (scopes []budget.Scope, order int, ordered budget.Scope) {
	order = -1
	for _, s := range p.Budgets.Scopes("") {
		active, _ := s.State(in.Now)
		concerned := !s.Sequential || slices.ContainsFunc(naiveReasons(p), func(o candidate.Reason) bool {
			return len(s.Reasons) == 0 || slices.ContainsFunc(s.Reasons, func(r candidate.Reason) bool { return r.Covers(o) || o.Covers(r) })
		})
		if !active || !concerned {
			continue
		}
		switch {
		case s.Sequential && order < 0:
			order, ordered = len(scopes), s
		case s.Sequential && s.Key == ordered.Key && len(s.Reasons) > 0 && len(ordered.Reasons) > 0:
			ordered.Reasons = append(slices.Clone(ordered.Reasons), s.Reasons...)
		case s.Sequential && s.Key == ordered.Key:
			ordered.Reasons = nil
		}
		scopes = append(scopes, s)
	}
	return scopes, order, ordered
}

// naiveZones returns what the pool's topology says against one more node: gates and codes.
func naiveZones(in disruptkit.Input, p disruptkit.Pool, n candidate.Node, r candidate.Reason, taken func(key string) int) (blocked []string) {
	scopes, order, ordered := naiveScopes(in, p)
	limit := func(i int, n candidate.Node, r candidate.Reason, taken int) string {
		s, name := scopes[i], n.Labels[scopes[i].Key]
		ignored := s.Sequential && i != order && s.Key == ordered.Key && naiveApplies(p, scopes[order], r)
		applies := naiveApplies(p, s, r) || i == order && naiveApplies(p, ordered, r)
		switch {
		case ignored || !applies || name == "" && p.Topology.Unlabelled == topology.Exempt:
			return ""
		case name == "" && p.Topology.Unlabelled == topology.Block:
			return "topology/no-label"
		case (naiveZone{in: in, pool: p, scope: s, name: name}).remaining() <= taken:
			return "topology/used"
		}
		return ""
	}
	lasts := func(n candidate.Node, r candidate.Reason) (worst string) {
		counted := 0
		for _, other := range in.Nodes {
			if other.Pool == p.Name && other.Counted() && !(naiveZone{in: in}).twice(other) {
				counted++
			}
		}
		allowance, _ := budget.AllowedByReason(p.Budgets, in.Now, counted, r)
		if _, end := budget.AtMost(p.Budgets, in.Now, counted, r, 0); allowance.Nodes == 0 && end.IsZero() {
			worst = "to go"
		}
		for i := range scopes {
			if i == order {
				continue
			}
			switch limit(i, n, r, 0) {
			case "topology/no-label":
				return "stays"
			case "topology/used":
				worst = "to go"
			}
		}
		return worst
	}
	for i, s := range scopes {
		if i == order {
			name := n.Labels[s.Key]
			zone := func(name string) naiveZone { return naiveZone{in, p, ordered, name, lasts} }
			exempt := name == "" && p.Topology.Unlabelled != topology.TakeTurn
			if naiveApplies(p, ordered, r) && !exempt && !mayStart(zone, name) {
				blocked = append(blocked, "topology/waits-for-domain")
				continue
			}
		}
		if code := limit(i, n, r, taken(s.Key)); code != "" {
			blocked = append(blocked, code)
		}
	}
	return blocked
}

// mayStart reports whether it is the zone's turn, and nothing is in flight anywhere else.
func mayStart(zone func(string) naiveZone, name string) bool {
	names := map[string]bool{}
	z := zone(name)
	for _, n := range z.in.Nodes {
		if n.Pool == z.pool.Name && !(n.Labels[z.scope.Key] == "" && z.pool.Topology.Unlabelled == topology.Exempt) {
			names[n.Labels[z.scope.Key]] = true
		}
	}
	turn, found := "", false
	last := z.in.Memory[z.pool.Name].Roll
	since := last.IdleSince
	if since.IsZero() || since.After(z.in.Now) {
		since = z.in.Now
	}
	if last.Key == z.scope.Key && names[last.Domain] && zone(last.Domain).held(since) {
		turn, found = last.Domain, true
	}
	for other := range names {
		if len(zone(other).rolling()) > 0 && other != name {
			return false
		}
	}
	if len(zone(name).rolling()) > 0 {
		return !found || turn == name
	}
	if found {
		return turn == name
	}
	type free struct {
		since time.Time
		name  string
		zone  string
	}
	var line []free
	for other := range names {
		for _, n := range zone(other).nodes(zone(other).is("free")) {
			f := free{name: n.Name, zone: other}
			for _, c := range n.Conditions {
				if z.applies(c.Reason) && (f.since.IsZero() || c.Since.Before(f.since)) {
					f.since = c.Since
				}
			}
			if zone(other).remaining() > 0 {
				line = append(line, f)
			}
		}
	}
	if len(line) == 0 {
		return true // nobody asks
	}
	slices.SortFunc(line, func(a, b free) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return line[0].zone == name
}

// What may go can all be started together, and with time alone each may go until the time that is promised.
func TestUntilIsKeptWhereZonesTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(generate.Input().Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input"))
		asked := drawReason(t)
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			at, lifts := candidate.Lift(c.Blockers)
			own := slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
				return b.Gate == candidate.GateNode || b.Gate == candidate.GatePod || b.Gate == candidate.GateProbe
			})
			if !lifts || own {
				continue
			}
			for _, then := range disruptkit.Decide(withNow(in, at), asked).Blocked {
				if key(then) == key(c) && !strings.Contains(codes(then), candidate.CodeAlreadyAllowed) {
					t.Fatalf("%s is held back until %v, and then, too: now %v, then %v", c.Node, at, c.Blockers, then.Blockers)
				}
			}
		}
	})
}

func withNow(in disruptkit.Input, now time.Time) disruptkit.Input {
	in.Now = now
	return in
}
