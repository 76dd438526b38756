package disruptkit_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// compiled compares compiled values, which no test may look into, by what they were compiled from.
var compiled = cmp.Options{
	cmp.Comparer(func(a, b budget.Set) bool {
		return cmp.Equal(a.Budgets(), b.Budgets()) && a.MostSpecific() == b.MostSpecific()
	}),
	cmp.Comparer(func(a, b candidate.Rules) bool {
		return cmp.Equal(a.PDBs(), b.PDBs()) && cmp.Equal(a.PodSchedules(), b.PodSchedules())
	}),
	cmp.Comparer(func(a, b schedule.Window) bool { return a == b }),
}

func drawReason(t *rapid.T) candidate.Reason {
	return rapid.OneOf(
		rapid.SampledFrom([]candidate.Reason{candidate.Drifted, candidate.Drifted, candidate.Empty, ""}),
		generate.Reason(),
	).Draw(t, "asked")
}

// key names what a decision is about.
func key(c candidate.Candidate) string {
	return fmt.Sprintf("%s %s %s %d", c.Node, c.Pool, c.Reason, c.Since.Unix())
}

// codes returns the gates and codes of what holds a candidate back now, sorted.
func codes(c candidate.Candidate) string {
	var all []string
	rename := strings.NewReplacer("topology/exhausted", "topology/used", "topology/allows-none", "topology/used")
	for _, b := range c.Blockers {
		if !b.Later {
			all = append(all, rename.Replace(string(b.Gate)+"/"+b.Code))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// naive decides with quadratic loops and no shortcut. It returns a line for each candidate, in order.
func naive(in disruptkit.Input, asked candidate.Reason) []string {
	type entry struct {
		node candidate.Node
		c    candidate.Condition
	}
	var entries []entry
	for _, n := range in.Nodes {
		for _, c := range n.Conditions {
			if asked == "" || c.Reason == asked || strings.HasPrefix(string(c.Reason), string(asked)+"/") {
				entries = append(entries, entry{n, c})
			}
		}
	}
	gate := in.Rules.At(in.Now)
	for _, n := range in.Nodes {
		if n.InFlight() {
			gate.Reserve(&n)
		}
	}
	order := func(e entry) string {
		said := slices.Concat(candidate.NodeGate(e.node, e.c, naiveDisruptAfter(in, e.node, e.c.Reason), in.Now), gate.Judge(&e.node, e.c).Blockers)
		return fmt.Sprintf("%020d %s %s %s %#v", e.c.Since.Unix()+1<<40, e.node.Name, e.node.Pool, e.c.Reason, append([]candidate.Blocker{{}}, said...))
	}
	sort.Slice(entries, func(i, j int) bool { return order(entries[i]) < order(entries[j]) })
	var lines []string
	gone := map[string]bool{}
	taken := map[string][]candidate.Reason{}
	takenThere := map[string]int{} // of a pool's zones and racks
	takenPDBs := naiveInFlight(in)
	for _, e := range entries {
		var blocked []string
		var set *budget.Set
		var policy disruptkit.Pool
		for _, p := range in.Pools {
			if p.Name == e.node.Pool {
				set, policy = &p.Budgets, p
			}
		}
		called := func(name string) (same int) {
			for _, n := range in.Nodes {
				if n.Name == name {
					same++
				}
			}
			return same
		}
		nodes, users := 0, taken[e.node.Pool]
		for _, n := range in.Nodes {
			if n.Pool == e.node.Pool && n.Initialized && !n.InstanceTerminating {
				if called(n.Name) == 1 {
					nodes++
				}
				switch {
				case !n.Ready:
					users = append(users, "")
				case n.Deleting:
					users = append(users, n.DisruptedFor)
				}
			}
		}
		if set == nil && e.node.Pool != "" {
			blocked = append(blocked, "node/unknown-pool")
		}
		if called(e.node.Name) > 1 {
			blocked = append(blocked, "node/duplicate-node")
		} else if gone[e.node.Name] {
			blocked = append(blocked, "node/already-allowed")
		}
		for _, b := range candidate.NodeGate(e.node, e.c, naiveDisruptAfter(in, e.node, e.c.Reason), in.Now) {
			blocked = append(blocked, string(b.Gate)+"/"+b.Code)
		}
		pods, used, _ := naivePods(in, e.node, e.c.Reason, takenPDBs)
		if set == nil || e.node.Pool == "" { // it is not in line with others
			pods, _, _ = naivePods(in, e.node, e.c.Reason, naiveInFlight(in))
		}
		blocked = append(blocked, pods...)
		if set != nil && e.node.Pool != "" {
			blocked = append(blocked, naiveSignals(in, policy, e.c.Reason)...)
			allowance, err := budget.AllowedByReason(*set, in.Now, nodes, e.c.Reason)
			if !naiveRoom(policy, in.Now, nodes, e.c.Reason, users) {
				switch {
				case err != nil:
					blocked = append(blocked, "budget/invalid-budget")
				case allowance.Nodes == 0:
					blocked = append(blocked, "budget/allows-none")
				default:
					blocked = append(blocked, "budget/exhausted")
				}
			}
		}
		there := func(key string) string { return e.node.Pool + " " + key + " " + e.node.Labels[key] }
		if set != nil && e.node.Pool != "" {
			blocked = append(blocked, naiveZones(in, policy, e.node, e.c.Reason, func(key string) int { return takenThere[there(key)] })...)
		}
		if len(blocked) == 0 {
			gone[e.node.Name] = true
			taken[e.node.Pool] = append(taken[e.node.Pool][:len(taken[e.node.Pool]):len(taken[e.node.Pool])], e.c.Reason)
			takenThere[there("zone")]++
			takenThere[there("rack")]++
			for _, pdb := range used {
				takenPDBs[pdb]++
			}
		}
		slices.Sort(blocked)
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", e.node.Name, e.node.Pool, e.c.Reason, strings.Join(blocked, " ")))
	}
	return lines
}

func TestDecideAgreesWithTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		asked := drawReason(t)
		d := disruptkit.Decide(in, asked)
		var allowed, blocked []string
		for _, line := range naive(in, asked) {
			if strings.HasSuffix(line, ": ") {
				allowed = append(allowed, line)
			} else {
				blocked = append(blocked, line)
			}
		}
		lines := func(cs []candidate.Candidate) (lines []string) {
			for _, c := range cs {
				lines = append(lines, fmt.Sprintf("%s %s %s: %s", c.Node, c.Pool, c.Reason, codes(c)))
			}
			return lines
		}
		if diff := cmp.Diff(allowed, lines(d.Allowed)); diff != "" {
			t.Fatal("allowed: ", diff)
		}
		if diff := cmp.Diff(blocked, lines(d.Blocked)); diff != "" {
			t.Fatal("blocked: ", diff)
		}
	})
}

func TestDecideIsAPartitionOfTheCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		asked := drawReason(t)
		d := disruptkit.Decide(in, asked)
		var want, got []string
		for _, n := range in.Nodes {
			for _, c := range n.Conditions {
				if asked.Covers(c.Reason) {
					want = append(want, key(candidate.Candidate{Node: n.Name, Pool: n.Pool, Reason: c.Reason, Since: c.Since}))
				}
			}
		}
		nodes := map[string]bool{}
		for _, c := range d.Allowed {
			if nodes[c.Node] {
				t.Fatalf("%s is allowed twice", c.Node)
			}
			nodes[c.Node] = true
			if len(c.Blockers) > 0 {
				t.Fatalf("%s is allowed, but %v", c.Node, c.Blockers)
			}
			got = append(got, key(c))
		}
		for _, c := range d.Blocked {
			if len(c.Blockers) == 0 {
				t.Fatalf("%s is blocked, and nothing says why", c.Node)
			}
			for _, b := range c.Blockers {
				if b.Gate == "" || b.Code == "" || b.Message == "" {
					t.Fatalf("%s: %+v explains nothing", c.Node, b)
				}
			}
			got = append(got, key(c))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestTheOrderOfTheInputNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		asked := drawReason(t)
		shuffled := in
		shuffled.Memory = maps.Clone(in.Memory)
		shuffled.Pools = rapid.Permutation(in.Pools).Draw(t, "pools")
		shuffled.Nodes = rapid.Permutation(in.Nodes).Draw(t, "nodes")
		for i := range shuffled.Nodes {
			shuffled.Nodes[i].Pods = rapid.Permutation(shuffled.Nodes[i].Pods).Draw(t, "pods")
			shuffled.Nodes[i].Conditions = rapid.Permutation(shuffled.Nodes[i].Conditions).Draw(t, "conditions")
		}
		if diff := cmp.Diff(disruptkit.Decide(in, asked), disruptkit.Decide(shuffled, asked)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDecideChangesNoInputAndIsRaceFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		asked := drawReason(t)
		before := in
		before.Nodes = nil
		before.Memory = maps.Clone(in.Memory)
		for _, n := range in.Nodes {
			n.Conditions, n.Blockers, n.Pods = slices.Clone(n.Conditions), slices.Clone(n.Blockers), slices.Clone(n.Pods)
			before.Nodes = append(before.Nodes, n)
		}
		want := disruptkit.Decide(in, asked)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				d := disruptkit.Decide(in, asked)
				in.Apply(d)
				if diff := cmp.Diff(want, d); diff != "" {
					panic(diff)
				}
			})
		}
		group.Wait()
		opts := cmp.Options{compiled, cmp.Comparer(func(a, b time.Time) bool { return a == b })}
		if diff := cmp.Diff(before, in, opts); diff != "" {
			t.Fatal(diff)
		}
	})
}

// One for single zones may: it may be another zone's turn then. So may one where PDBs are shared: a node that stays leaves
// its disruption to another.
func TestOneMoreBudgetNeverLetsMoreNodesGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
		in.Rules = candidate.Rules{}
		in = restrictive(in)
		reason := generate.Reason().Draw(t, "reason")
		for i := range in.Nodes { // of one reason, since children may have budgets of their own
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		more := in
		more.Pools = slices.Clone(in.Pools)
		one := rapid.OneOf(generate.Budget(), generate.BrokenBudget()).Draw(t, "one more")
		more.Pools[0].Budgets, _ = budget.Compile(append(in.Pools[0].Budgets.Budgets(), one))
		a, b := disruptkit.Decide(in, reason), disruptkit.Decide(more, reason)
		for _, c := range b.Allowed {
			if !slices.ContainsFunc(a.Allowed, func(o candidate.Candidate) bool { return key(o) == key(c) }) {
				t.Fatalf("%s may go only with one more budget, %s", c.Node, one)
			}
		}
	})
}

// set returns the budgets of a pool.
func set(in disruptkit.Input, pool string) budget.Set {
	i := slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == pool })
	return in.Pools[i].Budgets
}

// restrictive lets the most restrictive budgets of each pool decide.
func restrictive(in disruptkit.Input) disruptkit.Input {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		in.Pools[i].Budgets, _ = budget.Compile(in.Pools[i].Budgets.Budgets())
	}
	return in
}

// single returns an input in which no node has two reasons, and no zone a limit of its own.
func single(t *rapid.T) disruptkit.Input {
	in := generate.Unzoned().Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = n.Conditions[:min(1, len(n.Conditions))]
	}
	return in
}

// mayGo reports whether a candidate is allowed at a time.
func mayGo(in disruptkit.Input, asked candidate.Reason, at time.Time, c candidate.Candidate) bool {
	in.Now = at
	return slices.ContainsFunc(disruptkit.Decide(in, asked).Allowed, func(o candidate.Candidate) bool { return key(o) == key(c) })
}

// budgetsLift returns when the last of a candidate's blockers lifts, if budgets alone hold it back, and all lift.
func budgetsLift(c candidate.Candidate) (latest time.Time, ok bool) {
	for _, b := range c.Blockers {
		if b.Gate != candidate.GateBudget || b.Until.IsZero() {
			return latest, false
		}
		if b.Until.After(latest) {
			latest = b.Until
		}
	}
	return latest, true
}

func TestUntilIsWhenACandidatesFateTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, reason := restrictive(renewed(single(t))), generate.Reason().Draw(t, "reason")
		for i := range in.Nodes { // all of one reason, and nothing but budgets lifts
			in.Nodes[i].NominatedUntil = time.Time{}
			in.Nodes[i].Pods = nil
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		d := disruptkit.Decide(in, reason)
		for _, c := range d.Allowed {
			if c.Until.IsZero() {
				continue
			}
			if before, then := mayGo(in, reason, c.Until.Add(-1), c), mayGo(in, reason, c.Until, c); !before || then {
				t.Fatalf("%s may go until %v, but just before then: %t, then: %t", c.Node, c.Until, before, then)
			}
		}
		for _, c := range d.Blocked {
			until, ok := budgetsLift(c)
			if !ok {
				continue
			}
			if before, then := mayGo(in, reason, until.Add(-1), c), mayGo(in, reason, until, c); before || !then {
				t.Fatalf("%s is held back until %v, but just before then: %t, then: %t", c.Node, until, before, then)
			}
		}
	})
}

// keepsUntil checks that what may go still may, at any time before its Until, be it for another reason.
func keepsUntil(t *rapid.T, in disruptkit.Input, asked candidate.Reason, d disruptkit.Decision) {
	for _, c := range d.Allowed {
		end := c.Until
		if end.IsZero() {
			end = in.Now.AddDate(1, 0, 0)
		}
		at := in.Now.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(in.Now))-1).Draw(t, "at")))
		if !slices.ContainsFunc(disruptkit.Decide(withNow(in, at), asked).Allowed, func(o candidate.Candidate) bool { return o.Node == c.Node }) {
			t.Fatalf("%s may go until %v, but not at %v", c.Node, c.Until, at)
		}
	}
}

// Where reasons have budgets of their own, or nominations end, older candidates may go before a budget falls. What
// Until promises still holds.
func TestUntilIsKeptAlsoWhereOlderCandidatesTakeThePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(single(t))
		asked := drawReason(t)
		d := disruptkit.Decide(in, asked)
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			if until, ok := budgetsLift(c); ok && !mayGo(in, asked, until, c) {
				t.Fatalf("%s is held back until %v, and then, too", c.Node, until)
			}
		}
	})
}

func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		asked := drawReason(t)
		in.Memory = disruptkit.Decide(in, asked).Memory // as callers have to
		d := disruptkit.Decide(in, asked)
		later := d.NextChange.Add(-1)
		if d.NextChange.IsZero() {
			later = in.Now.AddDate(1, 0, 0)
		} else if !d.NextChange.After(in.Now) {
			t.Fatalf("the next change is at %v, it is %v", d.NextChange, in.Now)
		}
		in.Now = in.Now.Add(time.Duration(rapid.Int64Range(0, int64(later.Sub(in.Now))).Draw(t, "later")))
		// Which of several budgets with the same number bind may change, and is told in messages.
		texts := cmp.FilterPath(func(p cmp.Path) bool {
			name := p.Last().String()
			return name == ".Now" || name == ".Message" || name == ".Binding" || name == ".NextChange" || name == ".Kept" || name == ".Started" || name == ".HeldUp"
		}, cmp.Ignore())
		then := disruptkit.Decide(in, asked)
		if diff := cmp.Diff(d, then, texts); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestApplyingADecisionSpendsNoBudgetTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		for i := range in.Nodes { // those that are not Ready count twice until they are in flight
			in.Nodes[i].Ready = true
		}
		first := drawReason(t)
		d := disruptkit.Decide(in, first)
		applied := in.Apply(d)
		if diff := cmp.Diff(d.Memory, applied.Memory); diff != "" {
			t.Fatal(diff)
		}
		for _, c := range d.Allowed {
			i := slices.IndexFunc(applied.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			if n := applied.Nodes[i]; !n.Deleting || n.DisruptedFor != c.Reason {
				t.Fatalf("%s is not in flight for %s", c.Node, c.Reason)
			}
		}
		for _, asked := range append(candidate.Methods(), first) {
			again := disruptkit.Decide(applied, asked)
			for _, p := range again.Pools {
				started := 0
				for _, c := range again.Allowed {
					ofItsOwn := set(in, p.Pool).MostSpecific() && c.Reason != p.Reason
					if c.Pool == p.Pool && p.Reason.Covers(c.Reason) && !ofItsOwn {
						started++
					}
				}
				if started > p.Remaining {
					t.Fatalf("%s: %d of %s allowed, but %d remain", p.Pool, started, p.Reason, p.Remaining)
				}
			}
		}
		if first.Method() == first && first != "" {
			return // children with budgets of their own may have let others wait
		}
		for _, c := range disruptkit.Decide(applied, first).Allowed {
			if p := first; p == c.Reason {
				t.Fatalf("%s could have gone at once", c.Node)
			}
		}
	})
}

// A decision is no looser than one node after the other: each may go once those before it are in flight.
func TestWhatIsAllowedTogetherIsAllowedOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "input")
		for i := range in.Nodes { // those that are not Ready count twice until they are in flight
			in.Nodes[i].Ready = true
		}
		if rapid.Bool().Draw(t, "turns for one child of a method") {
			set, _ := budget.Compile([]budget.Budget{{Nodes: "2", TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{"Drifted/AMIDrift"}}})
			for i := range in.Pools {
				in.Pools[i].Budgets = set
			}
		}
		asked := drawReason(t)
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			next := disruptkit.Decide(in, asked)
			found := slices.IndexFunc(next.Allowed, func(other candidate.Candidate) bool { return key(other) == key(c) })
			if found < 0 {
				t.Fatalf("%s may not go once the others are in flight:\n%s", c.Node, story(next))
			}
			next.Allowed = next.Allowed[found : found+1]
			in = in.Apply(next)
		}
	})
}
