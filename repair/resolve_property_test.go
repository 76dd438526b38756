package repair_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/repair"
)

// drawn generates policies and a node to judge by them.
func drawn(t *rapid.T) ([]repair.Policy, repair.Set, repair.Node) {
	policies := testkit.Arbitrary(generate.Policies).Draw(t, "policies")
	set, err := repair.Compile(policies)
	if err != nil {
		t.Fatal(err)
	}
	return policies, set, testkit.Arbitrary(generate.Unhealthy(noon)).Draw(t, "node")
}

// An applies is a policy that applies to a condition.
type applies struct {
	policy    int
	condition repair.Condition
	since     time.Time
}

// eligible lists, by the letter of the designs, what is eligible at a time.
func eligible(policies []repair.Policy, n repair.Node, now time.Time) []applies {
	var all []applies
	for _, c := range n.Conditions {
		matched, named, fallback := []int{}, false, 0
		for i, p := range policies {
			same := p.ConditionType == c.Type && p.ConditionStatus == c.Status
			named = named || same
			if p.ReasonRegex == "" {
				fallback = i
			} else if found, _ := regexp.MatchString(p.ReasonRegex, c.Reason); same && found {
				matched = append(matched, i)
			}
		}
		if named && len(matched) == 0 {
			matched = []int{fallback}
		}
		holds := slices.MaxFunc([]time.Time{c.LastTransitionTime, n.Created, n.RebootEnded}, time.Time.Compare)
		for _, i := range matched {
			if since := holds.Add(policies[i].TolerationDuration); !holds.IsZero() && !since.After(now) {
				all = append(all, applies{i, c, since})
			}
		}
	}
	return all
}

// rank counts the lower priorities.
func rank(policies []repair.Policy, priority int) int {
	lower := map[int]bool{}
	for _, p := range policies {
		if p.Priority < priority {
			lower[p.Priority] = true
		}
	}
	return len(lower)
}

// naively describes what is to be done now: each question is answered by a search of its own among all that is
// eligible.
func naively(policies []repair.Policy, n repair.Node, now time.Time) repair.Result {
	all := eligible(policies, n, now)
	if len(all) == 0 {
		return repair.Result{}
	}
	// keep leaves those of which the score is the highest.
	keep := func(from []applies, score func(a applies) int64) []applies {
		var kept []applies
		for _, a := range from {
			if !slices.ContainsFunc(from, func(b applies) bool { return score(b) > score(a) }) {
				kept = append(kept, a)
			}
		}
		return kept
	}
	replaces := func(a applies) int64 {
		if policies[a.policy].Action == repair.Replace {
			return 1
		}
		return 0
	}
	first := func(a applies) int64 { return -a.since.UnixNano() }
	byName := func(a applies) int64 {
		return -int64(slices.IndexFunc(all, func(b applies) bool { return b.condition == a.condition })) // n.Conditions are sorted
	}
	driving := keep(keep(all, replaces), func(a applies) int64 { return int64(policies[a.policy].Priority) })
	d := keep(keep(driving, first), byName)[0]
	r := repair.Result{Action: policies[d.policy].Action, Since: d.since, Cause: d.condition, Policy: d.policy}

	var bounding []applies
	for _, a := range all {
		if policies[a.policy].TerminationGracePeriod != nil {
			bounding = append(bounding, a)
		}
	}
	if len(bounding) > 0 {
		shortest := keep(bounding, func(a applies) int64 { return -int64(*policies[a.policy].TerminationGracePeriod) })
		b := keep(keep(shortest, first), byName)[0]
		r.Bound, r.BoundBy = policies[b.policy].TerminationGracePeriod, b.condition.Type
	}

	// Karpenter's score, in minutes instead of ranks: rank + age/30m.
	score := func(a applies) int64 {
		return int64(rank(policies, policies[a.policy].Priority)*30) + int64(now.Sub(a.since)/time.Minute)
	}
	r.Urgency = now.Add(-time.Duration(score(keep(all, score)[0])) * time.Minute)

	if r.Action == repair.Reboot {
		recent := 0
		for _, at := range n.Reboots.At {
			if now.Sub(at) < 24*time.Hour {
				recent++
			}
		}
		if recent >= 2 {
			r.Action, r.Escalated = repair.Replace, true
		}
	}
	return r
}

func TestResolveIsWhatTheDesignsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policies, set, n := drawn(t)
		slices.SortFunc(n.Conditions, func(a, b repair.Condition) int {
			if a.Type < b.Type {
				return -1
			}
			return 1
		})
		got := repair.Resolve(set, n, noon)
		want := naively(policies, n, noon)
		if got.Action == "" {
			if got.Why == "" {
				t.Fatal("nothing is done, and nobody knows why")
			}
			if want.Action != "" {
				t.Fatalf("nothing is done (%s), want %+v", got.Why, want)
			}
			want = naively(policies, n, got.Since) // so it will be
			if (want.Action == "") != got.Since.IsZero() {
				t.Fatalf("at %v: %+v", got.Since, want)
			}
			want.Action, want.Why = "", got.Why
		}
		want.Next = got.Next
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestNothingChangesBeforeNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, set, n := drawn(t)
		r := repair.Resolve(set, n, noon)
		last := noon.Add(48 * time.Hour) // by then all has happened
		if !r.Next.IsZero() {
			if !r.Next.After(noon) {
				t.Fatalf("next at %v", r.Next)
			}
			last = r.Next.Add(-1)
		}
		between := noon.Add(time.Duration(rapid.Int64Range(0, int64(last.Sub(noon))).Draw(t, "later")))
		for _, at := range []time.Time{between, last} {
			if diff := cmp.Diff(r, repair.Resolve(set, n, at)); diff != "" {
				t.Fatalf("at %v: %s", at, diff)
			}
		}
		switch then := repair.Resolve(set, n, r.Next); {
		case r.Action == "" && !r.Next.Equal(r.Since):
			t.Fatalf("it begins at %v, but is due at %v", r.Next, r.Since)
		case r.Action == "" && !r.Since.IsZero() && then.Action == "":
			t.Fatalf("it does not begin at %v: %s", r.Next, then.Why)
		}
	})
}

func TestOrderNeverShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policies, set, n := drawn(t)
		want := repair.Resolve(set, n, noon)
		before := slices.Clone(n.Conditions)
		shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle
		shuffled := n
		shuffled.Conditions = slices.Clone(n.Conditions)
		shuffle(len(before), func(i, j int) {
			shuffled.Conditions[i], shuffled.Conditions[j] = shuffled.Conditions[j], shuffled.Conditions[i]
		})
		if diff := cmp.Diff(want, repair.Resolve(set, shuffled, noon)); diff != "" {
			t.Fatalf("conditions: %s", diff)
		}
		shuffle(len(policies), func(i, j int) { policies[i], policies[j] = policies[j], policies[i] })
		set, err := repair.Compile(policies)
		if err != nil {
			t.Fatal(err)
		}
		got := repair.Resolve(set, n, noon)
		got.Policy = want.Policy // an index in another list; of two policies that do the same the first decides
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("policies: %s", diff)
		}
		if diff := cmp.Diff(before, n.Conditions); diff != "" {
			t.Fatalf("the input is changed: %s", diff)
		}
	})
}

func TestAnyFaultStopsAllRepair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policies, _, n := drawn(t)
		i := rapid.IntRange(0, len(policies)-1).Draw(t, "which")
		p := &policies[i]
		switch rapid.IntRange(0, 7).Draw(t, "fault") {
		case 0:
			p.ConditionType = ""
		case 1:
			p.ConditionStatus = "true"
		case 2:
			p.ReasonRegex = "*"
		case 3:
			p.TolerationDuration = -1
		case 4:
			p.TerminationGracePeriod = testkit.Pointer(time.Duration(-1))
		case 5:
			p.Priority = rapid.SampledFrom([]int{-1, 101}).Draw(t, "priority")
		case 6:
			p.Action = ""
		case 7:
			policies = append(policies, fallback)
		}
		set, err := repair.Compile(policies)
		if err == nil {
			t.Fatal("no error")
		}
		r := repair.Resolve(set, n, noon)
		if diff := cmp.Diff(repair.Result{Why: r.Why}, r); diff != "" || r.Why == "" {
			t.Fatal(diff)
		}
	})
}
