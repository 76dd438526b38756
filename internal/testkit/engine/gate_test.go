package engine_test

import (
	"fmt"
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
	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/internal/testkit/law"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// TestUntilIsWhenTimeAloneLiftsABlocker is the law of candidate.Blocker.Until, for all gates: at every time before Until, a session on
// the input after Apply has a blocker of the same source; at Until it has none. Where Until is zero, no later time is without one, except
// at the gate of zones, and where shares may be lent. Probes go on to be answered: one that becomes stale ends a bake.
func TestUntilIsWhenTimeAloneLiftsABlocker(t *testing.T) {
	everyInput(t, untilIsFalse)
}

// TestAnAllowedCandidateStaysAllowedUpToItsUntil is the law of candidate.Candidate.Until: before that time, a session in which all others
// are in flight still allows the candidate.
func TestAnAllowedCandidateStaysAllowedUpToItsUntil(t *testing.T) {
	everyInput(t, allowedForLess)
}

// TestNothingChangesBeforeTheNextChange is the law of Decision.NextChange: until then, a decision on the same input is the same.
func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) (fault string) {
		return law.ChangesEarly(in, func(in disruptkit.Input) disruptkit.Decision { return disruptkit.Decide(in, asked) })
	})
}

// everyInput checks a law with all generators. The law returns what is wrong.
func everyInput(t *testing.T, law func(in disruptkit.Input, asked candidate.Reason) (fault string)) {
	for name, inputs := range generate.Inputs {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, asked := testkit.Arbitrary(inputs).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
				if rapid.IntRange(0, 5).Draw(t, "dialect") == 5 {
					in.Dialect = dialect.Karpenter
				}
				if rapid.IntRange(0, 5).Draw(t, "gates") == 5 {
					in.Gates = gates(in.Now, rapid.IntRange(1, 3).Draw(t, "of a rack"), rapid.IntRange(0, 3).Draw(t, "opens"))
				}
				if fault := law(in, asked); fault != "" {
					t.Fatal(fault)
				}
			})
		})
	}
}

// A cause is what blockers of one source have in common.
type cause struct {
	gate                                     candidate.Gate
	code                                     candidate.Code // of nodes and limits of starts; a pause and a probe without names are two
	group, key, budgets, pod, pdbs, schedule string
	node                                     string
	probe, by, why                           string
}

func causeOf(b candidate.Blocker) (c cause) {
	c.gate, c.pod = b.Gate, b.Pod
	starts := []candidate.Code{candidate.CodeSpread, candidate.CodePaced, candidate.CodeSoaks}
	if b.Gate == candidate.GateNode || b.Code == candidate.CodePaused || slices.Contains(starts, b.Code) {
		c.code = b.Code
	}
	if s := b.Source; s != nil {
		c.node, c.group, c.key, c.schedule, c.probe, c.by, c.why = s.Node, s.Group, s.Key, s.PodSchedule, s.Probe, s.By, s.Why
		if b.Gate == candidate.GateTopology {
			c.budgets = fmt.Sprint(s.Budgets)
		}
		if c.pdbs = strings.Join(s.PDBs, " "); c.pdbs != "" {
			c.pod = "" // another pod of the node may be named for the same one
		}
	}
	return c
}

// ofCaller returns the causes of the caller's own blockers of a node. They keep their own times.
func ofCaller(in disruptkit.Input, c candidate.Candidate) map[cause]bool {
	causes := map[cause]bool{}
	add := func(group string, blockers []candidate.Blocker) {
		for _, b := range blockers {
			k := causeOf(b)
			causes[k] = true
			if k.group == "" && group != "" {
				k.group = group
				causes[k] = true
			}
		}
	}
	for _, n := range in.Nodes {
		if n.Name == c.Node {
			add("", n.Blockers)
		}
	}
	for _, p := range in.Pools {
		if p.Name == c.Pool {
			add("", p.Blockers)
		}
	}
	for _, g := range in.Groups {
		if slices.Contains(g.Pools, c.Pool) {
			add(g.Name, g.Blockers)
		}
	}
	return causes
}

// mostTimes is how many changes after a decision are looked at.
const mostTimes = 10

// later yields times after a decision: its changes, one after the other, and the given ones with the moment before each.
func later(in disruptkit.Input, asked candidate.Reason, given []time.Time) (times []time.Time) {
	for _, at := range given {
		times = append(times, at.Add(-1), at)
	}
	for range mostTimes {
		next := disruptkit.Open(in, asked).Close().NextChange
		if next.IsZero() {
			break
		}
		times = append(times, next.Add(-1), next)
		in.Now = next
	}
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}

func untilIsFalse(in disruptkit.Input, asked candidate.Reason) (fault string) {
	if in.Now.IsZero() {
		return ""
	}
	in = answered(law.Present(in))
	d := disruptkit.Decide(in, asked)
	if in.Dialect == dialect.Karpenter && slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return isNot(in, c, (*candidate.Node).Ready) }) {
		return "" // there, such a node counts twice until it is in flight
	}
	// The wave of a roll is chosen at Open. A node that joins interrupts its bake, and no longer does once it is in flight to be repaired.
	joins := slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return isNot(in, c, (*candidate.Node).Counted) })
	after := in.Apply(d)
	var told []time.Time
	for _, c := range d.Blocked {
		own := ofCaller(in, c)
		for _, b := range c.Blockers {
			switch {
			case b.Until.After(in.Now):
				told = append(told, b.Until)
			case !b.Until.IsZero() && !own[causeOf(b)]:
				return fmt.Sprintf("%s for %s: %s has lifted by %v", c.Node, c.Reason, b, in.Now)
			}
		}
	}
	slices.SortFunc(told, time.Time.Compare)
	told = slices.CompactFunc(told, time.Time.Equal)
	for _, at := range later(after, asked, told) {
		if !at.After(in.Now) || at.After(in.Now.AddDate(1, 0, 0)) {
			continue // a thousand changes of budgets are less than ten years
		}
		then := after
		then.Now = at
		s := disruptkit.Open(then, asked)
		for _, c := range d.Blocked {
			if isAmbiguous(in, c) || slices.ContainsFunc(d.Allowed, func(a candidate.Candidate) bool { return a.Node == c.Node }) {
				continue // it is in flight then
			}
			own, has := ofCaller(in, c), map[cause]bool{}
			for _, b := range s.Blockers(c) {
				has[causeOf(b)] = true
			}
			for _, b := range c.Blockers {
				k := causeOf(b)
				its := k
				its.node = "" // a list leaves out what blocks another node of the unit if the node itself has the same
				switch {
				case own[k] || b.Until.IsZero() && (b.Gate == candidate.GateTopology || b.Gate == candidate.GateBudget && mayBeLent(in, c)) || joins && b.Gate == candidate.GateWave:
				case b.Until.IsZero() && at.After(in.Now.AddDate(0, 0, 40)): // a thousand changes of hourly windows
				case !has[k] && !has[its] && (b.Until.IsZero() || at.Before(b.Until)):
					fault = "has lifted"
				case has[k] && at.Equal(b.Until):
					fault = "has not lifted"
				}
				if fault != "" {
					return fmt.Sprintf("%s for %s: %s %s at %v, when its blockers are\n%v\nof now %v\n%v", c.Node, c.Reason, b, fault, at, s.Blockers(c), in.Now, d.Memory)
				}
			}
		}
	}
	return ""
}

// mayBeLent reports whether a share of a pool or a group of a candidate may be lent at an unknown time, since more than budgets changes.
func mayBeLent(in disruptkit.Input, c candidate.Candidate) (lent bool) {
	changes := len(in.Pauses)+len(in.Verdicts)+len(in.Gates) > 0
	for _, n := range in.Nodes {
		changes = changes || len(n.Pods)+len(n.Blockers) > 0 || !n.NominatedUntil.IsZero()
	}
	for _, p := range in.Pools {
		changes = changes || len(p.Verdicts) > 0 || slices.ContainsFunc(candidate.Methods(), func(r candidate.Reason) bool { return p.Budgets.Deadline(r) != candidate.Forever }) || len(p.Budgets.Rollouts()) > 0 || in.Memory[p.Name].Backoff.Level > 0
		lent = lent || p.Name == c.Pool && len(p.Budgets.Shares()) > 0
	}
	for _, g := range in.Groups {
		changes = changes || len(g.Verdicts) > 0 || len(g.Budgets.Rollouts()) > 0
		lent = lent || slices.Contains(g.Pools, c.Pool) && len(g.Budgets.Shares()) > 0
	}
	return lent && changes
}

// isNot reports whether something does not hold for the node of a candidate, or for one that shares its name.
func isNot(in disruptkit.Input, c candidate.Candidate, what func(*candidate.Node) bool) bool {
	return slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node && !what(&n) })
}

// isAmbiguous reports whether another node has the name of a candidate's.
func isAmbiguous(in disruptkit.Input, c candidate.Candidate) bool {
	names := map[string]int{}
	for _, n := range in.Nodes {
		names[n.Name]++
	}
	for _, n := range in.Nodes { // its blockers name nodes of its unit
		if names[n.Name] > 1 && (n.Name == c.Node || c.Unit != "" && n.Unit == c.Unit) {
			return true
		}
	}
	return false
}

func allowedForLess(in disruptkit.Input, asked candidate.Reason) (fault string) {
	if in.Now.IsZero() {
		return ""
	}
	in = law.Present(in)
	in = answered(in)
	d := disruptkit.Decide(in, asked)
	for _, c := range d.Allowed {
		if isAmbiguous(in, c) {
			continue
		}
		others := d
		others.Allowed = slices.DeleteFunc(slices.Clone(d.Allowed), func(o candidate.Candidate) bool {
			return o.Node == c.Node || isAmbiguous(in, o) // Apply finds nodes by their names
		})
		for _, then := range []disruptkit.Input{in, in.Apply(others)} {
			if then.Memory = in.Memory; len(disruptkit.Open(then, asked).Blockers(c)) > 0 {
				continue // it is allowed only before the others
			}
			var given []time.Time
			if !c.Until.IsZero() {
				given = append(given, c.Until)
			}
			for _, at := range later(then, asked, given) {
				if !at.After(in.Now) || !c.Until.IsZero() && !at.Before(c.Until) || at.After(in.Now.AddDate(1, 0, 0)) {
					continue // a year is as good as for good where budgets change all the time
				}
				then.Now = at
				if blockers := disruptkit.Open(then, asked).Blockers(c); len(blockers) > 0 {
					return fmt.Sprintf("%s for %s is allowed up to %v, but blocked at %v: %v", c.Node, c.Reason, c.Until, at, blockers)
				}
			}
		}
	}
	return ""
}

// answered returns the input with probes that go on to be answered as they were.
func answered(in disruptkit.Input) disruptkit.Input {
	fresh := func(verdicts []probe.Verdict) (out []probe.Verdict) {
		for _, v := range verdicts {
			if v.StaleAt.After(in.Now) {
				v.StaleAt = time.Time{}
			}
			out = append(out, v)
		}
		return out
	}
	in.Verdicts, in.Pools, in.Groups = fresh(in.Verdicts), slices.Clone(in.Pools), slices.Clone(in.Groups)
	for i := range in.Pools {
		in.Pools[i].Verdicts = fresh(in.Pools[i].Verdicts)
	}
	for i := range in.Groups {
		in.Groups[i].Verdicts = fresh(in.Groups[i].Verdicts)
	}
	return in
}

// named returns what a Source names, as the message has it. It fails if the blocker is of a code that needs a Source, and has none.
func named(t *rapid.T, in disruptkit.Input, c candidate.Candidate, b candidate.Blocker) (names []string) {
	s := b.Source
	if s == nil {
		s = &candidate.Source{}
	}
	domain := func(name string) string {
		if name == "" {
			return topology.Domain{}.String()
		}
		return name
	}
	needs := func(there bool) {
		if !there {
			t.Fatalf("%s %s: %s has no such source: %#v", c.Node, c.Reason, b, b.Source)
		}
	}
	switch b.Gate {
	case candidate.GateBudget:
		i := slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })
		one := strings.Contains(b.Message, "the node is overdue, and 1 of") && !strings.Contains(b.Message, "budgets[") // if no limit is above 0
		needs(len(s.Budgets) > 0 || one || b.Code == candidate.CodeUnknownReason || b.Code == mistake.CodeNoTime)
		for _, at := range s.Budgets {
			if b.Code != candidate.CodeInvalidBudget {
				names = append(names, in.Pools[i].Budgets.In(in.Dialect).Place(at)+" is ")
			}
		}
	case candidate.GateTopology:
		needs(s.Key != "" && len(s.Budgets) == 1)
		if b.Code != candidate.CodeNoLabel {
			names = append(names, domain(s.Domain))
		}
		if b.Code == candidate.CodeWaitsForDomain {
			names = append(names, domain(s.WaitsFor))
		}
	case candidate.GatePod:
		switch b.Code {
		case candidate.CodeAllowsNone, candidate.CodeExhausted, candidate.CodeInvalidPDB:
			needs(len(s.PDBs) == 1)
		case candidate.CodeSeveralPDBs:
			needs(len(s.PDBs) > 1)
		case candidate.CodeInvalidSchedule:
			needs(s.PodSchedule != "")
		}
		names = append(names, s.PDBs[:min(3, len(s.PDBs))]...)
		names = append(names, s.PodSchedule)
	case candidate.GateProbe:
		needs(b.Source != nil)
		names = append(names, s.Probe, s.By, s.Why)
	}
	return names
}

func TestTheSourceOfABlockerIsWhatItsMessageNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := inAnyDialect(t)
		for _, c := range disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked")).Blocked {
			for _, b := range c.Blockers {
				for _, name := range named(t, in, c, b) {
					if !strings.Contains(b.Message, name) {
						t.Fatalf("%q does not name %q", b.Message, name)
					}
				}
			}
		}
	})
}

// Few random inputs have such a node.
func TestAZoneThatWaitsForAnotherNamesBoth(t *testing.T) {
	ordered := fixture.Sequential("1")
	ordered.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
	nodes := fixture.Zoned("a1* b1*")
	nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, ordered)}, Nodes: nodes}, candidate.Drifted)
	want := &candidate.Source{Budgets: []int{0}, Key: "topology.kubernetes.io/zone", Domain: "b", WaitsFor: "a"}
	if diff := cmp.Diff(want, d.Blocked[0].Blockers[0].Source); diff != "" {
		t.Error(diff)
	}
}

// redated returns the input with other deadlines: those of change, or none of them.
func redated(in disruptkit.Input, change func(n *candidate.Node, c *candidate.Condition)) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			n.Conditions[j].Deadline = time.Time{}
			change(n, &n.Conditions[j])
		}
	}
	return in
}

// alone returns the input in which only one node has reasons to be disrupted.
func alone(in disruptkit.Input, only int) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if i != only {
			in.Nodes[i].Conditions = nil
		}
	}
	return in
}

func never(*candidate.Node, *candidate.Condition) {}

// withoutControls returns the input with the same budgets and no deadlines of controls.
func withoutControls(in disruptkit.Input) disruptkit.Input {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Budgets, _ = budget.Spec{Budgets: p.Budgets.Budgets(), MostSpecific: p.Budgets.MostSpecific()}.Compile()
	}
	return in
}

func TestDeadlinesThatLieAheadChangeNothingButTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := withoutControls(testkit.Arbitrary(generate.Dated).Draw(t, "input"))
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		ahead := redated(in, func(_ *candidate.Node, c *candidate.Condition) {
			c.Since = in.Now.Add(-time.Hour)
			if rapid.Bool().Draw(t, "has a deadline") {
				c.Deadline = in.Now.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "minutes")) * time.Minute)
			}
		})
		none := redated(ahead, never)
		if diff := cmp.Diff(disruptkit.Decide(none, asked).Pools, disruptkit.Decide(ahead, asked).Pools, cmp.FilterPath(func(p cmp.Path) bool {
			return p.Last().String() == ".Topology"
		}, cmp.Ignore())); diff != "" {
			t.Fatal(diff)
		}
		for i := range in.Nodes {
			before, after := disruptkit.Decide(alone(none, i), asked), disruptkit.Decide(alone(ahead, i), asked)
			if diff := cmp.Diff(fixture.Allowed(before), fixture.Allowed(after)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestNoWindowPaceOrBackoffBlocksAnOverdueNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		d := disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
		for _, c := range d.Blocked {
			for _, b := range c.Blockers {
				if !c.Overdue {
					continue
				}
				if b.Gate == candidate.GateBackoff || b.Code == candidate.CodePaced || b.Gate == candidate.GateBudget && b.Code == candidate.CodeAllowsNone {
					t.Fatalf("%s is overdue, but %s", c.Node, b)
				}
				if b.Gate != candidate.GateBudget || b.Code != candidate.CodeExhausted {
					continue
				}
				nodes, inFlight := counts(in, c.Pool, c.Reason)
				for _, o := range d.Allowed {
					if o.Pool == c.Pool {
						inFlight++
					}
				}
				if most := set(in, c.Pool).Overdue(nodes, c.Reason).Nodes; inFlight < most {
					t.Fatalf("%s is overdue, and %d of %d are in flight, but %s", c.Node, inFlight, most, b)
				}
			}
		}
	})
}

// counts returns how many nodes of a pool percentages are of, and how many of them use up its budgets for a reason.
func counts(in disruptkit.Input, pool string, reason candidate.Reason) (nodes, inFlight int) {
	for _, n := range in.Nodes {
		if n.Pool == pool && n.Counted() {
			nodes++
			if n.Disrupting(reason) {
				inFlight++
			}
		}
	}
	return nodes, inFlight
}

// Whoever goes although the budgets that are active, the paces or a back-off would not let it is overdue, and one of few.
func TestOverdueNodesAreNeverMoreAtOnceThanTheLeastBudgetGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		gone := in // with those that are disrupted; one that is not Ready counts once
		gone.Nodes = slices.Clone(in.Nodes)
		left := redated(withoutControls(in), never) // what is left for those that are not overdue
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			nodes, inFlight := counts(gone, c.Pool, c.Reason)
			i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			ordinary := slices.ContainsFunc(disruptkit.Decide(alone(left, i), c.Reason).Allowed, func(o candidate.Candidate) bool { return o.Node == c.Node })
			switch most := set(in, c.Pool).Overdue(nodes, c.Reason).Nodes; {
			case ordinary || !in.Nodes[i].Counted():
			case !c.Overdue:
				t.Fatalf("%s may be disrupted, but not if nobody had a deadline", c.Node)
			case inFlight >= most && !in.Nodes[i].HasGracePeriod: // else its pods allow it
				t.Fatalf("%s goes, the %d. of %d that may be in flight", c.Node, inFlight+1, most)
			}
			gone.Nodes[i].Leaving, gone.Nodes[i].DisruptedFor = candidate.Draining, c.Reason
			left.Nodes[i].Leaving, left.Nodes[i].DisruptedFor = candidate.Draining, c.Reason
		}
	})
}

// In a pool whose zones take turns at some hours, and in which nothing else may be disrupted at the others.
func TestOverdueNodesOfTwoZonesNeverGoAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		hour := fmt.Sprint(in.Now.UTC().Hour()) + " * * *"
		shift := "30 " + hour
		if rapid.Bool().Draw(t, "now") {
			shift = "0 " + hour
		}
		turns := budget.Budget{Nodes: "2", TopologyKey: "zone", Sequential: true, Schedule: shift, Duration: "8h", Outside: rapid.Bool().Draw(t, "outside")}
		closed := budget.Budget{Nodes: "0", Schedule: shift, Duration: "8h", Outside: !turns.Outside}
		reasons := []candidate.Reason{candidate.Drifted}
		budgets := []budget.Budget{{Nodes: "3"}, turns, closed}
		if rapid.Bool().Draw(t, "another order is active") {
			reasons = []candidate.Reason{"Drifted/A", "Drifted/B"}
			budgets[1].Reasons = reasons[1:]
			budgets = slices.Insert(budgets, rapid.IntRange(0, 2).Draw(t, "place"),
				budget.Budget{Nodes: "2", TopologyKey: "zone", Sequential: true, Reasons: reasons[:1]})
		}
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		for i := range in.Pools {
			in.Pools[i].Budgets, in.Pools[i].Topology.Reasons = set, nil
		}
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.Conditions = n.Conditions[:1]
			reason := rapid.SampledFrom(reasons).Draw(t, "reason")
			n.Conditions[0].Reason, n.DisruptedFor = reason, reason
		}
		flying := func(in disruptkit.Input) (zones map[string]map[string]bool) { // by pool and reason
			zones = map[string]map[string]bool{}
			for _, n := range in.Nodes {
				if n.InFlight() {
					roll := n.Pool + " " + string(n.DisruptedFor)
					if zones[roll] == nil {
						zones[roll] = map[string]bool{}
					}
					zones[roll][n.Labels["zone"]] = true
				}
			}
			return zones
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		before, after := flying(in), flying(in.Apply(d))
		for roll, zones := range after {
			if len(zones) > max(1, len(before[roll])) {
				t.Fatalf("%s rolls in %v, and did in %v\n%s", roll, zones, before[roll], fixture.Story(d))
			}
		}
	})
}

func TestAPauseAProbeAndAnInvalidBudgetBlockOverdueNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			in.Pauses = []probe.Pause{{By: "alice", Until: in.Now.Add(1)}}
		case 1:
			in.Verdicts = []probe.Verdict{{Probe: "slo", Code: "no-answer"}}
		default:
			for i := range in.Pools {
				spec := budget.Spec{Budgets: append(in.Pools[i].Budgets.Budgets(), budget.Budget{Nodes: "two"}), Defaults: budget.Control{Deadline: "1h"}}
				in.Pools[i].Budgets, _ = spec.Compile()
			}
		}
		for _, c := range disruptkit.Decide(in, "").Allowed {
			i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			if in.Nodes[i].Counted() {
				t.Fatalf("%s goes", c.Node)
			}
		}
	})
}

func TestADeadlineThatHasPassedNeverBlocksANode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := redated(withoutControls(testkit.Arbitrary(generate.DatedUnzoned).Draw(t, "input")), never)
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for i := range in.Nodes {
			before := alone(in, i)
			overdue := redated(before, func(_ *candidate.Node, c *candidate.Condition) { c.Deadline = in.Now })
			if len(disruptkit.Decide(before, asked).Allowed) > len(disruptkit.Decide(overdue, asked).Allowed) {
				t.Fatalf("%s may be disrupted, but not once it is overdue", in.Nodes[i].Name)
			}
		}
	})
}

// Nodes of one pool have drifted, drains take equally long, and all of it is known from the start. If any order of starts then lets all
// nodes start before their deadlines, Decide finds one: the earliest deadline first. If none does, its latest start is as little late as
// that of the best. (Where drains differ, or where nodes drift later, no rule that starts whatever may start finds all such orders.)
func TestNobodyIsOverdueWhoCouldHaveGoneInTime(t *testing.T) {
	const hours = 7
	rapid.Check(t, func(t *rapid.T) {
		start := fixture.Noon
		drain := rapid.IntRange(1, 3).Draw(t, "drain")
		deadlines := rapid.SliceOfN(rapid.IntRange(1, hours), 2, 4).Draw(t, "deadlines")
		var budgets []budget.Budget
		allowed := [hours]int{}
		for h := range allowed {
			allowed[h] = len(deadlines)
		}
		for range rapid.IntRange(1, 2).Draw(t, "budgets") {
			nodes, from, length := rapid.IntRange(0, 2).Draw(t, "nodes"), rapid.IntRange(0, hours-1).Draw(t, "from"), rapid.IntRange(1, hours).Draw(t, "length")
			budgets = append(budgets, budget.Budget{Nodes: fmt.Sprint(nodes), Schedule: fmt.Sprintf("0 %d * * *", start.Hour()+from), Duration: fmt.Sprintf("%dh", length)})
			for h := from; h < min(from+length, hours); h++ {
				allowed[h] = min(allowed[h], nodes)
			}
		}
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: start, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: fixture.Fleet(0, len(deadlines))}
		for i, d := range deadlines {
			in.Nodes[i].Conditions[0].Deadline = start.Add(time.Duration(d) * time.Hour)
		}
		late := func(starts []int) int { // how late the latest is: below 0, all are in time
			worst := -hours
			for i, s := range starts {
				worst = max(worst, s-deadlines[i])
			}
			return worst
		}
		got := simulate(in, drain, hours)
		if best := bestOrder(allowed[:], drain, len(deadlines), late); late(got) > max(best, -1) {
			t.Fatalf("starts at %v, the latest late by %d, but %d is possible; allowed %v", got, late(got), best, allowed)
		}
	})
}

// simulate starts each node when Decide says so, and returns when that was. A node is gone after so many hours, and its replacement is
// there.
func simulate(in disruptkit.Input, drain, hours int) []int {
	starts := slices.Repeat([]int{hours}, len(in.Nodes))
	for h := range hours {
		for i := range in.Nodes {
			if n := &in.Nodes[i]; n.Leaving == candidate.Draining && starts[i]+drain <= h {
				n.Leaving, n.Conditions = candidate.Staying, nil
			}
		}
		in.Now = fixture.Noon.Add(time.Duration(h) * time.Hour)
		d := disruptkit.Decide(in, candidate.Drifted)
		for _, c := range d.Allowed {
			starts[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })] = h
		}
		in = in.Apply(d)
	}
	return starts
}

// bestOrder tries all starts that budgets allow, and returns how late the latest is in the best of them.
func bestOrder(allowed []int, drain, nodes int, late func(starts []int) int) int {
	best := len(allowed)
	starts := make([]int, nodes)
	var try func(i int)
	try = func(i int) {
		if i < nodes {
			for starts[i] = range len(allowed) + 1 { // the last is never
				try(i + 1)
			}
			return
		}
		for h := range allowed {
			begun, inFlight := 0, 0
			for _, s := range starts {
				if s == h {
					begun++
				}
				if s <= h && h < s+drain {
					inFlight++
				}
			}
			if begun > 0 && inFlight > allowed[h] {
				return
			}
		}
		best = min(best, late(starts))
	}
	try(0)
	return best
}

func TestADeadlineBeforeItsReasonIsWarnedOf(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: fixture.Fleet(0, 2)}
	for i := range in.Nodes {
		c := &in.Nodes[i].Conditions[0]
		c.Since = fixture.Noon.Add(time.Duration(i-2) * time.Hour)
		c.Deadline = fixture.Noon.Add(-2 * time.Hour)
	}
	var got []string
	for _, w := range disruptkit.Decide(in, candidate.Drifted).Warnings {
		got = append(got, string(w.Code)+" "+w.Error())
	}
	want := "invalid-deadline Node/a-2: deadline: deadline 2026-11-20T10:00:00Z is before 2026-11-20T11:00:00Z, when Drifted began to hold, and is ignored: write a later one"
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Error(diff)
	}
	if other := disruptkit.Decide(in, candidate.Empty).Warnings; len(other) > 0 {
		t.Error(other)
	}
	in.Dialect = dialect.Karpenter
	for _, w := range disruptkit.Decide(in, candidate.Drifted).Warnings {
		if w.Code == "invalid-deadline" {
			t.Error("Karpenter has no deadlines:", w)
		}
	}
}

// In any place, an own deadline that is invalid counts as none: the pool's holds, if it has one.
func TestADeadlineBeforeItsReasonLeavesThatOfThePool(t *testing.T) {
	for control, overdue := range map[string]bool{"": false, "30m": true, "1h": true, "2h": false, "Never": false} {
		set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}, Drift: budget.Control{Deadline: control}}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: fixture.Fleet(0, 1)}
		in.Nodes[0].Conditions[0].Since, in.Nodes[0].Conditions[0].Deadline = fixture.Clock("11:00"), fixture.Clock("10:00")
		d := disruptkit.Decide(in, candidate.Drifted)
		if got := len(d.Allowed) == 1 && d.Allowed[0].Overdue; got != overdue {
			t.Errorf("with a deadline of %q of the pool, overdue is %t instead of %t", control, got, overdue)
		}
		if !slices.ContainsFunc(d.Warnings, func(w candidate.Warning) bool { return w.Code == "invalid-deadline" }) {
			t.Errorf("with a deadline of %q of the pool, no warning says that the node's own is ignored: %v", control, d.Warnings)
		}
		in.Nodes[0].Conditions[0].Deadline = time.Time{}
		if without := disruptkit.Decide(in, candidate.Drifted); !cmp.Equal(d.Allowed, without.Allowed) || !cmp.Equal(d.Blocked, without.Blocked) {
			t.Errorf("with a deadline of %q of the pool, an invalid one changes the decision", control)
		}
	}
}

func TestWarningsOfDeadlinesAreInOrderOfNamesAndTimes(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}}
	for _, name := range []string{"c", "a", "b"} {
		n := fixture.Wanted(name, fixture.Noon.Add(-time.Hour), candidate.Empty, candidate.Drifted)
		for i := range n.Conditions {
			n.Conditions[i].Deadline = n.Conditions[i].Since.Add(-time.Hour)
		}
		slices.Reverse(n.Conditions)
		in.Nodes = append(in.Nodes, n)
	}
	var got []string
	for _, w := range disruptkit.Decide(in, "").Warnings {
		_, reason, _ := strings.Cut(w.Message, "when ")
		reason, _, _ = strings.Cut(reason, " ")
		got = append(got, w.Object+" "+reason)
	}
	want := []string{"Node/a Empty", "Node/a Drifted", "Node/b Empty", "Node/b Drifted", "Node/c Empty", "Node/c Drifted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// limited is a gate of a caller: until a time, so many nodes of each value of a label may be in flight at once.
type limited struct {
	label    string
	most     int
	now      time.Time
	opens    time.Time // zero: never
	inFlight map[string]int
}

func atMost(label string, most int, opens time.Time) func(disruptkit.Input) disruptkit.Gate {
	return func(in disruptkit.Input) disruptkit.Gate {
		g := &limited{label, most, in.Now, opens, map[string]int{}}
		for i := range in.Nodes {
			if n := &in.Nodes[i]; n.InFlight() {
				g.inFlight[n.Labels[label]]++
			}
		}
		return g
	}
}

func (g *limited) open() bool { return !g.opens.IsZero() && !g.now.Before(g.opens) }

func (g *limited) Blockers(_ candidate.Candidate, n *candidate.Node) []candidate.Blocker {
	if g.open() || g.inFlight[n.Labels[g.label]] < g.most {
		return nil
	}
	return []candidate.Blocker{{Gate: candidate.Gate(g.label), Code: "full", Message: "full", Until: g.opens}}
}

func (g *limited) Count(_ candidate.Candidate, n *candidate.Node, by int) {
	g.inFlight[n.Labels[g.label]] += by
}

func (g *limited) NextChange() (next time.Time) {
	if g.open() {
		return next
	}
	return g.opens
}

// gates are two limits, the first of which is gone some quarters of an hour after now, or never.
func gates(now time.Time, most, opens int) []func(disruptkit.Input) disruptkit.Gate {
	var at time.Time
	if opens > 0 {
		at = now.Add(time.Duration(opens) * 15 * time.Minute)
	}
	return []func(disruptkit.Input) disruptkit.Gate{atMost("rack", most, at), atMost("zone", most+1, time.Time{})}
}

// What a gate keeps from using its share is lent to other reasons, as what any other gate blocks: so not with shares.
func TestAGateOfTheCallerOnlyBlocksMore(t *testing.T) {
	shares := func(s budget.Set) bool { return len(s.Shares()) > 0 }
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		if slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return shares(p.Budgets) }) ||
			slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return shares(g.Budgets) }) {
			return ""
		}
		plain := in
		plain.Gates = nil
		in.Gates = gates(in.Now, 1+len(in.Nodes)%3, len(in.Nodes)%4)
		s, disrupted := disruptkit.Open(plain, asked), map[string]bool{"": false}
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			if !isAmbiguous(in, c) && !disrupted[c.Unit] && !s.Disrupt(c) {
				return c.Node + " is allowed only with gates of the caller"
			}
			disrupted[c.Unit] = c.Unit != ""
		}
		return ""
	})
}

func TestTheOrderOfGatesOfTheCallerNeverMatters(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		in.Gates = gates(in.Now, 1+len(in.Nodes)%3, len(in.Nodes)%4)
		other := in
		other.Gates = slices.Clone(in.Gates)
		slices.Reverse(other.Gates)
		return cmp.Diff(disruptkit.Decide(in, asked), disruptkit.Decide(other, asked))
	})
}

func TestAGateThatBlocksNothingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		open := in
		open.Gates = []func(disruptkit.Input) disruptkit.Gate{atMost("rack", 1000, time.Time{})}
		if diff := cmp.Diff(disruptkit.Decide(in, ""), disruptkit.Decide(open, "")); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAGateOfTheCallerHasItsOwnBlockersAndTimes(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p"}}, Gates: gates(noon, 1, 2)}
	for _, name := range []string{"a", "b", "c"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "p", Phase: candidate.Running, Labels: map[string]string{"rack": "1", "zone": name},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted}},
		})
	}
	in.Nodes[0].Leaving = candidate.Draining // it uses up the limit of its rack
	s := disruptkit.Open(in, candidate.Drifted)
	said := s.Blockers(candidate.Candidate{Node: "b", Pool: "p", Reason: candidate.Drifted})
	want := candidate.Blocker{Gate: "rack", Code: "full", Message: "full", Until: noon.Add(30 * time.Minute)}
	if len(said) == 0 || said[0].Compare(want) != 0 {
		t.Errorf("%v, want %v first", said, want)
	}
	if d := s.Close(); !d.NextChange.Equal(want.Until) {
		t.Errorf("the next change is at %v, want %v", d.NextChange, want.Until)
	}
}
