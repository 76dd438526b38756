package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// TestASessionThatIsAskedInAnyOrderAnswersAsOneOnWhatItHasDisrupted is the law of sessions: no caller exceeds a limit, in whatever order
// it asks, and however often it takes back.
func TestASessionThatIsAskedInAnyOrderAnswersAsOneOnWhatItHasDisrupted(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		return exceeds(in, asked, rand.New(rand.NewPCG(uint64(len(in.Nodes)), 1)))
	})
}

// exceeds disrupts candidates in a random order, and compares each answer with that of a session opened on the input after Apply.
func exceeds(in disruptkit.Input, asked candidate.Reason, r *rand.Rand) (fault string) {
	s := disruptkit.Open(in, asked)
	line := slices.Collect(s.Candidates())
	r.Shuffle(len(line), func(i, j int) { line[i], line[j] = line[j], line[i] })
	var disrupted []candidate.Candidate
	for _, c := range line {
		if r.IntN(5) == 0 && len(disrupted) > 0 { // take one back, and disrupt it again
			one := disrupted[r.IntN(len(disrupted))]
			s.Cancel(one)
			disrupted = slices.DeleteFunc(disrupted, func(o candidate.Candidate) bool { return fixture.Key(o) == fixture.Key(one) })
			if s.Disrupt(one) { // else one that it does not block was disrupted after it
				disrupted = append(disrupted, one)
			}
		}
		blockers := s.Blockers(c)
		if !s.Disrupt(c) {
			if len(blockers) == 0 {
				return fmt.Sprintf("%s for %s has no blockers, and was not disrupted", c.Node, c.Reason)
			}
			continue
		}
		if len(blockers) > 0 {
			return fmt.Sprintf("%s for %s was disrupted, although %v", c.Node, c.Reason, blockers)
		}
		if fault := blocksAfter(in, asked, disrupted, c); fault != "" {
			return fault
		}
		disrupted = append(disrupted, c)
	}
	d := s.Close()
	if len(d.Allowed)+len(d.Blocked)+len(d.Free) != len(line) {
		return fmt.Sprintf("of %d candidates %d are allowed, %d blocked and %d free", len(line), len(d.Allowed), len(d.Blocked), len(d.Free))
	}
	return severalRoll(in, d)
}

// blocksAfter returns what blocks a candidate that a session disrupts once those before it are in flight, turns of zones excepted.
func blocksAfter(in disruptkit.Input, asked candidate.Reason, before []candidate.Candidate, c candidate.Candidate) string {
	if in.Dialect == dialect.Karpenter {
		return "" // there, a node that is not Ready counts twice until it is in flight
	}
	s := disruptkit.Open(in, asked)
	for _, b := range before {
		if !s.Disrupt(b) {
			return "" // another turn of overdue nodes: one that needs no budget goes first
		}
	}
	for _, b := range disruptkit.Open(in.Apply(s.Close()), asked).Blockers(c) {
		if b.Gate != candidate.GateTopology {
			return fmt.Sprintf("%s for %s is disrupted after %v, and would be blocked once those are in flight: %s", c.Node, c.Reason, before, b)
		}
	}
	return ""
}

// severalRoll reports that nodes of two domains are disrupted although the domains take turns.
func severalRoll(in disruptkit.Input, d disruptkit.Decision) string {
	for _, p := range d.Pools {
		for _, turn := range p.Topology {
			if !turn.Sequential || turn.Key == "" {
				continue
			}
			domains := map[string]bool{}
			for _, c := range d.Allowed {
				for _, n := range in.Nodes {
					counts := p.Reason.Covers(c.Reason) && applies(in, p.Pool, turn.Budget, c.Reason) || c.Reason == "" && n.Labels[turn.Key] != ""
					if n.Name == c.Node && c.Pool == p.Pool && counts { // for an unknown reason, it may be of the roll
						domains[n.Labels[turn.Key]] = true
					}
				}
			}
			if len(domains) > 1 {
				return fmt.Sprintf("%s rolls in %d domains at once: %v", p.Pool, len(domains), domains)
			}
		}
	}
	return ""
}

// applies reports whether a sequential budget of a pool orders nodes for a reason.
func applies(in disruptkit.Input, pool string, budget int, reason candidate.Reason) bool {
	for _, p := range in.Pools {
		if p.Name != pool {
			continue
		}
		for _, scope := range p.Budgets.Scopes("") {
			if scope.Index == budget {
				return p.Topology.Applies(scope, reason)
			}
		}
	}
	return false
}

// TestWhatASessionTakesBackLeavesNoTrace compares sessions that are asked the same, one of which has disrupted and taken back before.
func TestWhatASessionTakesBackLeavesNoTrace(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		r := rand.New(rand.NewPCG(uint64(len(in.Nodes)), 2))
		plain, other := disruptkit.Open(in, asked), disruptkit.Open(in, asked)
		line := slices.Collect(other.Candidates())
		var taken []candidate.Candidate
		for _, c := range line {
			if r.IntN(2) == 0 && other.Disrupt(c) {
				taken = append(taken, c)
			}
		}
		r.Shuffle(len(taken), func(i, j int) { taken[i], taken[j] = taken[j], taken[i] })
		other.Cancel(taken...)
		for _, c := range line {
			if !isAmbiguous(in, c) && fmt.Sprint(plain.Blockers(c)) != fmt.Sprint(other.Blockers(c)) {
				return fmt.Sprintf("%s for %s: %v, but after a disruption that was taken back %v", c.Node, c.Reason, plain.Blockers(c), other.Blockers(c))
			}
			plain.Disrupt(c)
			other.Disrupt(c)
		}
		return cmp.Diff(plain.Close(), other.Close())
	})
}

// TestDisruptOfSeveralIsAllOrNone: a command of several nodes is disrupted as a whole, or leaves no trace.
func TestDisruptOfSeveralIsAllOrNone(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		r := rand.New(rand.NewPCG(uint64(len(in.Nodes)), 3))
		all, one := disruptkit.Open(in, asked), disruptkit.Open(in, asked)
		line := slices.Collect(all.Candidates())
		for i := 0; i < len(line); {
			several := line[i:min(len(line), i+1+r.IntN(3))]
			i += len(several)
			ok := true
			var done []candidate.Candidate
			for _, c := range several {
				with := func(o candidate.Candidate) bool { return o.Unit != "" && o.Unit == c.Unit && o.Reason == c.Reason }
				if slices.ContainsFunc(done, with) {
					continue // its unit is disrupted already
				}
				if ok = one.Disrupt(c); !ok {
					break
				}
				done = append(done, c)
			}
			if !ok {
				one.Cancel(done...)
			}
			if all.Disrupt(several...) != ok {
				return fmt.Sprintf("%v: one after the other %t, together %t", several, ok, !ok)
			}
		}
		return cmp.Diff(one.Close(), all.Close())
	})
}

func TestACommandThatIsRefusedTakesBackItsOwnNodesAlone(t *testing.T) {
	nodes := fixture.Fleet(0, 3)
	for i := range nodes {
		nodes[i].Name = "a" // Karpenter knows nodes by their provider IDs
	}
	in := disruptkit.Input{Dialect: dialect.Karpenter, Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "3"})}}
	s, first := disruptkit.Open(in, ""), time.Time{}
	for c := range s.Candidates() {
		if first.IsZero() {
			first = c.Since
			s.Disrupt(c)
		} else if s.Disrupt(c, c) {
			t.Error("a node is disrupted twice")
		}
	}
	if d := s.Close(); len(d.Allowed) != 1 || !d.Allowed[0].Since.Equal(first) {
		t.Errorf("%v, want the first alone", d.Allowed)
	}
}

// TestANodeWhicheverItsReasonIsBlockedByAllThatBlocksItForAny is the law of the reason "".
func TestANodeWhicheverItsReasonIsBlockedByAllThatBlocksItForAny(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, _ candidate.Reason) string {
		s, disrupted := disruptkit.Open(in, ""), map[string]bool{}
		for c := range s.Candidates() {
			whichever := c.Unit
			if whichever == "" {
				whichever = c.Node
			}
			if isAmbiguous(in, c) || c.Reason == "" || disrupted[whichever] {
				continue
			}
			node := candidate.Candidate{Node: c.Node, Pool: c.Pool}
			whole := s.Blockers(node)
			for _, b := range s.Blockers(c) {
				if !slices.ContainsFunc(whole, func(o candidate.Blocker) bool { return o.Compare(b) == 0 }) {
					return fmt.Sprintf("%s for %s is blocked by %s, but the node only by %v", c.Node, c.Reason, b, whole)
				}
			}
			if s.Disrupt(node) != (len(whole) == 0) {
				return fmt.Sprintf("%s is blocked by %v", c.Node, whole)
			}
			s.Cancel(node)
			if r := rand.New(rand.NewPCG(uint64(len(c.Node)), 4)); r.IntN(2) == 0 {
				disrupted[whichever] = s.Disrupt(node)
			}
		}
		d := s.Close()
		for _, c := range d.Allowed {
			if c.Reason != "" {
				return fmt.Sprintf("%s counts for %s", c.Node, c.Reason)
			}
		}
		return severalRoll(in, d)
	})
}

// Two nodes for unknown reasons may both be of one roll, and so may one of them and a node that has drifted.
func TestANodeForAnUnknownReasonWaitsForTheTurnOfItsZone(t *testing.T) {
	in := disruptkit.Input{
		Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"))},
		Nodes: []candidate.Node{fixture.Wanted("a1", fixture.Noon, candidate.Drifted), fixture.Wanted("b1", fixture.Noon, candidate.Empty),
			fixture.Wanted("c1", fixture.Noon, candidate.Empty)},
	}
	for i := range in.Nodes {
		in.Nodes[i].Labels = map[string]string{fixture.Zone: in.Nodes[i].Name[:1]}
	}
	unknown := func(n candidate.Node) candidate.Candidate { return candidate.Candidate{Node: n.Name, Pool: n.Pool} }
	s := disruptkit.Open(in, "")
	if got := s.Blockers(unknown(in.Nodes[1])); len(got) != 1 || got[0].Code != candidate.CodeWaitsForDomain || s.Disrupt(unknown(in.Nodes[1])) {
		t.Errorf("while zone a has the turn, b1 is blocked by %v", got)
	}
	if !s.Disrupt(unknown(in.Nodes[0])) {
		t.Error("a1 has its turn, and is not disrupted")
	}
	in.Nodes = in.Nodes[1:] // nothing has drifted, and no zone has a turn
	s = disruptkit.Open(in, "")
	if !s.Disrupt(unknown(in.Nodes[0])) || s.Disrupt(unknown(in.Nodes[1])) {
		t.Error("not one of two zones has nodes in flight for an unknown reason")
	}
	want := "c waits for b, where b1 is disrupted for an unknown reason: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time"
	if got := s.Blockers(unknown(in.Nodes[1])); len(got) != 1 || got[0].Message != want {
		t.Errorf("blocked by %v, want %s", got, want)
	}
}

func TestACallerChoosesByItsOwnCriteria(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 4), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}}
	s := disruptkit.Open(in, candidate.Drifted)
	line := slices.Collect(s.Candidates())
	if !s.Disrupt(line[3]) || !s.Disrupt(line[1]) || s.Disrupt(line[0]) {
		t.Fatal("not two of the four are disrupted")
	}
	want := "2 of 4 nodes may be disrupted at once, 2 already allowed: budgets[0] is 2"
	if got := s.Blockers(line[0]); len(got) != 1 || got[0].Message != want {
		t.Errorf("blocked by %v, want %s", got, want)
	}
	s.Cancel(line[3])
	d := s.Close()
	if got, want := strings.Join(append(fixture.Allowed(d), names(d.Free)...), " "), "a-2 a-1 a-3 a-4"; got != want {
		t.Errorf("allowed, then free: %s, want %s", got, want)
	}
}

func names(all []candidate.Candidate) (names []string) {
	for _, c := range all {
		names = append(names, c.Node)
	}
	return names
}

func TestWhatIsNoCandidateIsBlocked(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
	s := disruptkit.Open(in, candidate.Drifted)
	a1 := candidate.Candidate{Node: "a-1", Pool: "default", Reason: candidate.Drifted}
	for name, c := range map[string]candidate.Candidate{
		"an unknown node": {Node: "b-1", Pool: "default", Reason: candidate.Drifted}, "another pool": {Node: "a-1", Pool: "other", Reason: candidate.Drifted},
		"a reason that the node does not have": {Node: "a-1", Pool: "default", Reason: candidate.Empty}, "the zero candidate": {},
	} {
		if b := s.Blockers(c); len(b) != 1 || b[0].Code != "no-candidate" || s.Disrupt(c) {
			t.Errorf("%s: %v", name, b)
		}
	}
	if s.Disrupt(a1, a1) || !s.Disrupt(a1) || s.Disrupt(a1) {
		t.Error("a node is disrupted twice, or not at all")
	}
	s.Cancel(candidate.Candidate{Node: "b-1"}) // which is ignored
	d := s.Close()
	if s.Disrupt(a1) || len(s.Blockers(a1)) != 1 || len(slices.Collect(s.Candidates())) > 0 {
		t.Error("a closed session goes on")
	}
	s.Cancel(a1)
	if diff := cmp.Diff(d, s.Close()); diff != "" || len(d.Allowed) != 1 {
		t.Errorf("closed twice: %s", diff)
	}
}

func TestOfSeveralConditionsOfOneReasonTheEarliestDeadlineCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		for c := range disruptkit.Open(in, "").Candidates() {
			for _, other := range disruptkit.Decide(in, "").Blocked {
				if isAmbiguous(in, c) || other.Node != c.Node || other.Reason != c.Reason {
					continue
				}
				if !other.Since.Equal(c.Since) || !other.Deadline.Equal(c.Deadline) {
					t.Fatalf("%s is a candidate for %s twice", c.Node, c.Reason)
				}
			}
		}
	})
}
