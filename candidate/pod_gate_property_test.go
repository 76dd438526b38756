package candidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// sameWindows compares windows, which no test may look into.
var sameWindows = cmp.Comparer(func(a, b schedule.Window) bool { return a == b })

// A judged is a node with one of its conditions, the rules and a time.
type judged struct {
	rules candidate.Rules
	node  candidate.Node
	c     candidate.Condition
	now   time.Time
}

func drawJudged(t *rapid.T) judged {
	j := judged{rules: testkit.Arbitrary(generate.Rules).Draw(t, "rules"), now: testkit.Arbitrary(generate.Time).Draw(t, "now")}
	j.node = testkit.Arbitrary(generate.Node(j.now)).Draw(t, "node")
	if !j.node.Deadline.IsZero() {
		j.node.HasGracePeriod = false // else nothing blocks it before
	}
	j.c.Reason = rapid.OneOf(rapid.Just(candidate.Drifted), testkit.Arbitrary(generate.Reason)).Draw(t, "reason")
	return j
}

func (j judged) judge() fixture.Verdict { return fixture.Open(j.rules, j.now).Judge(&j.node, j.c) }

// withoutPod returns a blocker as text, but for the pod: of a PDB any pod may be named.
func withoutPod(b candidate.Blocker) string {
	words := strings.SplitN(b.Message, " ", 3)
	if b.Code == candidate.CodeAllowsNone || b.Code == candidate.CodeInvalidPDB || b.Code == candidate.CodeExhausted {
		words[1] = "some"
	}
	b.Message = strings.Join(words, " ")
	return strings.Join(fixture.Said([]candidate.Blocker{b}), "")
}

func numbers(v fixture.Verdict) map[int]bool {
	pdbs := map[int]bool{}
	for pdb := range v.PDBs() {
		pdbs[pdb] = true
	}
	return pdbs
}

func TestMorePodsNeverMakeANodeMoreDisruptable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		inFlight := testkit.Arbitrary(generate.Node(j.now)).Draw(t, "in flight")
		before := testkit.Arbitrary(generate.Node(j.now)).Draw(t, "let through")
		gate := fixture.Open(j.rules, j.now)
		gate.Reserve(&inFlight)
		gate.Take(gate.Judge(&before, candidate.Condition{}))

		less := gate.Judge(&j.node, j.c)
		more := j.node
		pods := testkit.Arbitrary(generate.Pods(j.now)).Draw(t, "more")
		for i := range pods {
			pods[i].Name = fmt.Sprintf("%s-%d", rapid.SampledFrom([]string{"a", "zz"}).Draw(t, "name"), i)
		}
		at := rapid.IntRange(0, len(j.node.Pods)).Draw(t, "where")
		more.Pods = slices.Insert(slices.Clone(j.node.Pods), at, pods...)
		with := gate.Judge(&more, j.c)

		for _, list := range [][2][]candidate.Blocker{{less.Blockers, with.Blockers}, {gate.Spent(less), gate.Spent(with)}} {
			var there []string
			for _, b := range list[1] {
				there = append(there, withoutPod(b))
			}
			for _, b := range list[0] {
				if !slices.Contains(there, withoutPod(b)) {
					t.Fatalf("with more pods %s is gone: %q", b, there)
				}
			}
		}
		if less.Waived != with.Waived {
			t.Fatalf("waived is %t, then %t", less.Waived, with.Waived)
		}
		if with.Until.IsZero() && !less.Until.IsZero() || with.Until.After(less.Until) && !less.Until.IsZero() {
			t.Fatalf("until %s, with more pods until %s", less.Until, with.Until)
		}
		used := numbers(with)
		for pdb := range numbers(less) {
			if !used[pdb] {
				t.Fatalf("with more pods PDB %d is not used", pdb)
			}
		}
	})
}

func TestAPassedDeadlineOverridesEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		j.node.Leaving = candidate.Draining
		j.node.Deadline = j.now.Add(-time.Duration(rapid.Int64Range(0, int64(100*24*time.Hour)).Draw(t, "late by")))
		gate := fixture.Open(j.rules, j.now)
		for range 3 { // whatever is in flight, and was let through
			other := testkit.Arbitrary(generate.Node(j.now)).Draw(t, "other")
			gate.Reserve(&other)
			gate.Take(gate.Judge(&other, candidate.Condition{}))
		}
		v := gate.Judge(&j.node, j.c)
		if v.Blockers != nil || !v.Until.IsZero() || !v.Waived || gate.Spent(v) != nil {
			t.Fatalf("%q, until %s, waived %t, spent %q", fixture.Said(v.Blockers), v.Until, v.Waived, fixture.Said(gate.Spent(v)))
		}
		for _, p := range j.node.Pods {
			if said := fixture.Said(drain.Gate(j.rules, j.node, p, j.now)); said != nil {
				t.Fatalf("the drain gate says %q of %s", said, p)
			}
		}
	})
}

func TestTheOrderOfPodsAndPDBsNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		j.node.Pods = append(j.node.Pods, testkit.Arbitrary(generate.Pods(j.now)).Draw(t, "more pods")...) // some have the name of others
		pdbs, schedules := j.rules.PDBs(), podSchedules(j.rules)
		pods := slices.Clone(j.node.Pods)
		shuffle := func(n int, swap func(i, j int)) {
			for i := n - 1; i > 0; i-- {
				swap(i, rapid.IntRange(0, i).Draw(t, "swap"))
			}
		}
		shuffle(len(pdbs), func(a, b int) { pdbs[a], pdbs[b] = pdbs[b], pdbs[a] })
		shuffle(len(schedules), func(a, b int) { schedules[a], schedules[b] = schedules[b], schedules[a] })
		shuffle(len(pods), func(a, b int) { pods[a], pods[b] = pods[b], pods[a] })
		rules, _ := candidate.CompileRules(pdbs, schedules)
		rules.FailClosed = j.rules.FailClosed
		shuffled := j.node
		shuffled.Pods = pods

		gate, other := fixture.Open(j.rules, j.now), fixture.Open(rules, j.now)
		for range 2 { // the second time after the first was let through
			a, b := gate.Judge(&j.node, j.c), other.Judge(&shuffled, j.c)
			if diff := cmp.Diff(a.Blockers, b.Blockers); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(gate.Spent(a), other.Spent(b)); diff != "" {
				t.Fatal(diff)
			}
			if !a.Until.Equal(b.Until) || a.Waived != b.Waived {
				t.Fatalf("until %s and %s, waived %t and %t", a.Until, b.Until, a.Waived, b.Waived)
			}
			if diff := cmp.Diff(numbers(a), numbers(b)); diff != "" {
				t.Fatal(diff)
			}
			gate.Take(a)
			other.Take(b)
		}
	})
}

// TestUntilIsExact looks just before, and at, the time up to which a verdict says that time alone adds no blocker, and
// at which it says that each blocker lifts.
func TestUntilIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		v := j.judge()
		at := func(now time.Time) []candidate.Blocker {
			later := j
			later.now = now
			return later.judge().Blockers
		}
		holds := func(blockers []candidate.Blocker, message string) bool {
			return slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.Message == message })
		}
		adds := func(blockers []candidate.Blocker) bool {
			return slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return !holds(v.Blockers, b.Message) })
		}
		if !v.Until.IsZero() {
			if !v.Until.After(j.now) || adds(at(v.Until.Add(-1))) {
				t.Fatalf("just before %s: %q, and now %q", v.Until, fixture.Said(at(v.Until.Add(-1))), fixture.Said(v.Blockers))
			}
			if !adds(at(v.Until)) {
				t.Fatalf("nothing happens at %s", v.Until)
			}
		}
		reach := 3 * 24 * time.Hour // a union that changes often may count as unchanging behind it
		if !v.Until.IsZero() {
			reach = min(reach, v.Until.Sub(j.now)-1)
		}
		if now := j.now.Add(time.Duration(rapid.Int64Range(0, int64(reach)).Draw(t, "later"))); adds(at(now)) {
			t.Fatalf("at %s: %q, before %s", now, fixture.Said(at(now)), v.Until)
		}
		for _, b := range v.Blockers {
			if b.Until.IsZero() {
				continue
			}
			if !b.Until.After(j.now) || !holds(at(b.Until.Add(-1)), b.Message) {
				t.Fatalf("%s does not hold up to then", b)
			}
			if holds(at(b.Until), b.Message) {
				t.Fatalf("%s still holds then", b)
			}
			if b.ForGood {
				t.Fatalf("%s holds for good", b)
			}
		}
	})
}

// For good are the blockers of a pod that is never to be disrupted, or that cannot be evicted.
func TestOnlyDoNotDisruptAndSeveralPDBsAreForGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		for _, b := range j.judge().Blockers {
			never := b.Code == candidate.CodeDoNotDisrupt && strings.HasSuffix(b.Message, `"true"`)
			if want := (never || b.Code == candidate.CodeSeveralPDBs) && j.node.Deadline.IsZero(); b.ForGood != want {
				t.Fatalf("%s: for good is %t", b, b.ForGood)
			}
		}
	})
}

func TestJudgingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		before := j.node
		before.Pods, before.Conditions = slices.Clone(j.node.Pods), slices.Clone(j.node.Conditions)
		labels := []map[string]string{}
		for i, p := range before.Pods {
			labels = append(labels, map[string]string{})
			for key, value := range p.Labels {
				labels[i][key] = value
			}
			before.Pods[i].Labels = labels[i]
		}
		pdbs, schedules, warnings := j.rules.PDBs(), podSchedules(j.rules), j.rules.Warnings()
		gate := fixture.Open(j.rules, j.now)
		first := gate.Judge(&j.node, j.c)
		var left []int
		for i := range pdbs {
			left = append(left, gate.Left(i))
		}
		for range 3 {
			again := gate.Judge(&j.node, j.c)
			gate.Spent(again)
			for _, p := range j.node.Pods {
				drain.Gate(j.rules, j.node, p, j.now)
			}
			if diff := cmp.Diff(first.Blockers, again.Blockers); diff != "" || !first.Until.Equal(again.Until) {
				t.Fatal(diff, first.Until, again.Until)
			}
		}
		for i, l := range left {
			if gate.Left(i) != l || l != pdbs[i].DisruptionsAllowed {
				t.Fatalf("of PDB %d %d are left", i, gate.Left(i))
			}
		}
		if diff := cmp.Diff(before, j.node, sameWindows); diff != "" {
			t.Fatalf("the node is changed: %s", diff)
		}
		if diff := cmp.Diff(pdbs, j.rules.PDBs()) + cmp.Diff(schedules, podSchedules(j.rules)) + cmp.Diff(warnings, j.rules.Warnings()); diff != "" {
			t.Fatalf("the rules are changed: %s", diff)
		}
	})
}

// A clock that runs backwards finds what it found before: nothing is remembered from one gate to the next.
func TestClocksThatRunBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		times := []time.Time{j.now, j.now.Add(-1), j.now.Add(-time.Hour), {}, j.now.Add(time.Hour),
			time.Unix(1<<40, 0), time.Unix(-1<<40, 0), time.Unix(1<<62, 0), time.Unix(-1<<62, 0), testkit.Arbitrary(generate.Time).Draw(t, "time")}
		var first [][]candidate.Blocker
		look := func(now time.Time) []candidate.Blocker {
			at := j
			at.now = now
			said := slices.Clone(at.judge().Blockers)
			for _, p := range j.node.Pods {
				said = append(said, drain.Gate(j.rules, j.node, p, now)...)
			}
			return said
		}
		for _, now := range times {
			first = append(first, look(now))
		}
		for i := len(times) - 1; i >= 0; i-- {
			if diff := cmp.Diff(first[i], look(times[i])); diff != "" {
				t.Fatalf("at %s: %s", times[i], diff)
			}
		}
	})
}
