package disruptkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// TestUntilIsWhenTimeAloneLiftsABlocker is the law of candidate.Blocker.Until, for all gates: at every time before Until, a session on
// the input after Apply has a blocker of the same source; at Until it has none. Where Until is zero, no later time is without one, except
// at the gate of zones, and where shares may be lent.
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
	everyInput(t, changesEarly)
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
	code                                     candidate.Code // at the gate of nodes; a pause and a probe without names are two
	group, key, budgets, pod, pdbs, schedule string
	node                                     string
	probe, by, why                           string
}

func causeOf(b candidate.Blocker) (c cause) {
	c.gate, c.pod = b.Gate, b.Pod
	if b.Gate == candidate.GateNode || b.Code == candidate.CodePaused {
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

// present returns the input without facts that are dated after now, which become others as time passes.
func present(in disruptkit.Input) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			if n.Conditions[j].Since.After(in.Now) {
				n.Conditions[j].Since = in.Now
			}
		}
		if n.ReadySince.After(in.Now) {
			n.ReadySince = in.Now
		}
		if n.Created.After(in.Now) {
			n.Created = in.Now
		}
	}
	in.Memory = disruptkit.Decide(in, "").Memory // corrects what a wrong clock wrote
	return in
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
	in = present(in)
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
				switch {
				case own[k] || b.Until.IsZero() && (b.Gate == candidate.GateTopology || b.Gate == candidate.GateBudget && mayBeLent(in, c)) || joins && b.Gate == candidate.GateWave:
				case b.Until.IsZero() && at.After(in.Now.AddDate(0, 0, 40)): // a thousand changes of hourly windows
				case !has[k] && (b.Until.IsZero() || at.Before(b.Until)):
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
		changes = changes || len(p.Verdicts) > 0 || p.Budgets.HasDeadlines() || len(p.Budgets.Rollouts()) > 0 || in.Memory[p.Name].Backoff.Level > 0
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
	in = present(in)
	in = answered(in)
	d := disruptkit.Decide(in, asked)
	for _, c := range d.Allowed {
		if isAmbiguous(in, c) {
			continue
		}
		others := d
		others.Allowed = slices.DeleteFunc(slices.Clone(d.Allowed), func(o candidate.Candidate) bool { return o.Node == c.Node })
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

func changesEarly(in disruptkit.Input, asked candidate.Reason) (fault string) {
	in = present(in)
	d := disruptkit.Decide(in, asked)
	before, next := state(d), d.NextChange
	switch {
	case in.Now.IsZero() || next.IsZero():
		next = in.Now.AddDate(1, 0, 0)
	case !next.After(in.Now):
		return fmt.Sprintf("the next change is at %v, and it is %v", next, in.Now)
	}
	for now, left := in.Now, next.Sub(in.Now); left > 0; left /= 16 { // ever closer to the change
		in.Now = now.Add(next.Sub(now) - left/2 - 1)
		if !in.Now.After(now) {
			continue
		}
		if then := state(disruptkit.Decide(in, asked)); then != before {
			return fmt.Sprintf("the next change after %v is at %v, but at %v\n%sis\n%s", now, d.NextChange, in.Now, before, then)
		}
	}
	return ""
}

// state describes what is allowed, what blocks the others, and the numbers, without times.
func state(d disruptkit.Decision) string {
	var s strings.Builder
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		fmt.Fprint(&s, c.Node, " ", c.Reason)
		for _, b := range c.Blockers {
			fmt.Fprint(&s, " ", b.Gate, "/", b.Code)
		}
		s.WriteByte('\n')
	}
	for _, p := range d.Pools {
		fmt.Fprintln(&s, p.Pool, p.Reason, p.Allowance.Nodes, p.MayStart.Nodes, p.Disrupting)
	}
	return s.String()
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
		needs(len(s.Budgets) > 0 || one || b.Code == candidate.CodeUnknownReason || b.Code == candidate.CodeNoTime)
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
