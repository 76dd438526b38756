package karpenter_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/karpenter"
)

// In Karpenter's dialect there is no table of differences: what disruptkit says is what Karpenter says, in every case.
//
// CONFORMANCE_CASES=100000 asks so many random cases of each property, instead of the few of a normal run.

// cases checks a property in so many random cases, or in those that CONFORMANCE_CASES asks for.
func cases(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	if text, set := os.LookupEnv("CONFORMANCE_CASES"); set {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("CONFORMANCE_CASES: %v", err)
		}
	}
	checks := 100 // of rapid in a round
	rounds(t, (n+checks-1)/checks, property)
}

// asKarpenter compiles the budgets of a NodePool in Karpenter's dialect.
func asKarpenter(list []v1.Budget) budget.Set {
	set, _ := budget.Spec{Budgets: karpenter.ToBudgets(list), Dialect: dialect.Karpenter}.Compile()
	return set
}

// allowedByKarpenter is how many nodes Karpenter allows. What is less than none is none: NodePoolBudgetMap says so in its next line.
func allowedByKarpenter(list []v1.Budget, at time.Time, nodes int, reason v1.DisruptionReason) int {
	return max(0, poolOf(list).MustGetAllowedDisruptions(clocktesting.NewFakeClock(at), nodes, reason))
}

// sameAllowance fails unless disruptkit says what Karpenter says, and for as long.
func sameAllowance(t *rapid.T, list []v1.Budget, set budget.Set, at time.Time, nodes int, reason v1.DisruptionReason) {
	want := allowedByKarpenter(list, at, nodes, reason)
	_, failed := poolOf(list).GetAllowedDisruptionsByReason(clocktesting.NewFakeClock(at), nodes, reason)
	for _, asked := range []candidate.Reason{candidate.Reason(reason), candidate.Reason(reason) + "/Child"} { // Karpenter asks for the method
		got, err := budget.AllowedByReason(set, at, nodes, asked)
		if min(got.Nodes, math.MaxInt32) != want || (err != nil) != (failed != nil) {
			t.Fatalf("%s: %d (%v), Karpenter says %d (%v)", asked, got.Nodes, err, want, failed)
		}
	}
	until := set.Until(at, nodes, candidate.Reason(reason))
	if until.IsZero() || until.Year() > 2600 {
		return
	}
	if before := allowedByKarpenter(list, until.Add(-1), nodes, reason); before != want || !until.After(at) {
		t.Fatalf("%s: %d until %s, and Karpenter says %d just before", reason, want, until, before)
	}
	if then := allowedByKarpenter(list, until, nodes, reason); then == want {
		t.Fatalf("%s: %d until %s, and Karpenter still says so then", reason, want, until)
	}
}

func TestKarpentersDialectAllowsWhatKarpenterAllows(t *testing.T) {
	quiet(t)
	cases(t, 2000, func(t *rapid.T) {
		most := pick(t, "most", 3, 3, 3, 3, 8, 8, 55)
		each := karpenterBudget(rapid.Bool().Draw(t, "sound"))
		list := rapid.SliceOfN(each, pick(t, "least", 0, most-2), most).Draw(t, "budgets")
		at := zoned(t, moment(list).Draw(t, "now"))
		nodes := rapid.OneOf(rapid.IntRange(0, 30), rapid.IntRange(0, 5000)).Draw(t, "nodes")
		set := asKarpenter(list)
		for _, reason := range karpenterReasons {
			sameAllowance(t, list, set, at, nodes, reason)
		}
		if got, err := budget.AllowedByReason(set, at, nodes, candidate.Expired); got.Nodes != budget.Unlimited || err != nil {
			t.Fatalf("Expired: %d (%v), and Karpenter asks no budget about it", got.Nodes, err)
		}
	})
}

func TestBudgetsInKarpentersDialectAreActiveWhenTheyAreInKarpenter(t *testing.T) {
	quiet(t)
	cases(t, 2000, func(t *rapid.T) {
		b := karpenterBudget(rapid.Bool().Draw(t, "sound")).Draw(t, "budget")
		b.Nodes, b.Reasons = "0", nil
		if b.Schedule == nil && rapid.Bool().Draw(t, "a schedule after all") {
			b.Schedule, b.Duration = new(soundCron().Draw(t, "schedule")), soundDuration().Draw(t, "duration")
		}
		at := zoned(t, moment([]v1.Budget{b}).Draw(t, "now"))
		says, err := b.IsActive(clocktesting.NewFakeClock(at))
		set := asKarpenter([]v1.Budget{b})
		if active, broken := set.Deciding(at, "").Has(0), set.Broken().Has(0); active != says || broken != (err != nil) {
			t.Fatalf("active: %t, broken: %t; Karpenter says %t (%v)", active, broken, says, err)
		}
	})
}

// What the API server takes, fills in and drops is what Admit takes, fills in and drops; and what is stored means the same.
func TestWhatIsAdmittedIsWhatTheAPIServerStores(t *testing.T) {
	quiet(t)
	var stored, rejected, dropped, unreadable int
	cases(t, 2000, func(t *rapid.T) {
		raw := must(json.Marshal(disruptionObject(rapid.Bool().Draw(t, "sound")).Draw(t, "disruption")))
		text, rejection := theAPIServer().admit(raw)
		var theirs v1.Disruption
		unread := rejection == nil && json.Unmarshal(text, &theirs) != nil
		spec, dropping, err := admission.Admit(raw)
		if (err != nil) != (rejection != nil || unread) {
			t.Fatalf("%s: %v, the API server says %v (unreadable: %t)", raw, err, rejection, unread)
		}
		if unread {
			unreadable++
		}
		if err != nil {
			rejected++
			return
		}
		stored++
		if diff := cmp.Diff(must(decoded(text)), must(decoded(must(json.Marshal(spec))))); diff != "" {
			t.Fatalf("%s: the API server stores (-), Admit returns (+):\n%s", raw, diff)
		}
		if want := foreignFields(must(decoded(raw))); len(dropping) != want {
			t.Fatalf("%s: %v are dropped, and %d fields are not known", raw, dropping, want)
		}
		dropped += len(dropping)
		set, compileErr := spec.Compile()
		at := zoned(t, moment(theirs.Budgets).Draw(t, "now"))
		nodes := rapid.IntRange(0, 300).Draw(t, "nodes")
		for _, reason := range karpenterReasons {
			sameAllowance(t, theirs.Budgets, set, at, nodes, reason)
		}
		for _, w := range admission.Warnings(set) {
			if w.Code == candidate.CodeRejected || w.Code == candidate.CodeNoEffect {
				t.Fatalf("%s was stored, and is %v: %v", raw, w, compileErr)
			}
		}
		if again, dropping, err := admission.Admit(text); err != nil || len(dropping) > 0 || !cmp.Equal(spec, again) {
			t.Fatalf("%s is stored as %v, and stored again as %v (%v, %v)", raw, spec, again, dropping, err)
		}
	})
	t.Logf("%d stored, %d rejected, %d of them unreadable, %d fields dropped", stored, rejected, unreadable, dropped)
	if min(stored, rejected, dropped) < 5 && !testing.Short() {
		t.Error("too few of some kind were met")
	}
}

// foreignFields counts the fields of a spec.disruption that the schema does not know.
func foreignFields(disruption any) (n int) {
	schema := theAPIServer().schema.Properties["spec"].Properties["disruption"]
	object, _ := disruption.(map[string]any)
	for name := range object {
		if _, known := schema.Properties[name]; !known {
			n++
		}
	}
	list, _ := object["budgets"].([]any)
	for _, item := range list {
		b, _ := item.(map[string]any)
		for name := range b {
			if _, known := schema.Properties["budgets"].Items.Properties[name]; !known {
				n++
			}
		}
	}
	return n
}

// What Compile says that the API server rejects, it does, and the other way around.
func TestWhatIsRejectedIsWhatTheAPIServerRejects(t *testing.T) {
	quiet(t)
	cases(t, 2000, func(t *rapid.T) {
		list := rapid.SliceOfN(karpenterBudget(rapid.Bool().Draw(t, "sound")), 0, pick(t, "most", 2, 3, 55)).Draw(t, "budgets")
		object := must(json.Marshal(v1.Disruption{ConsolidateAfter: v1.MustParseNillableDuration("0s"), Budgets: list}))
		for i, b := range list {
			if b.Nodes == "" || b.Reasons != nil && len(b.Reasons) == 0 {
				t.Skip("Karpenter's own JSON leaves that out: ", i)
			}
		}
		_, theirs := theAPIServer().admit(object)
		ours := false
		for _, w := range admission.Warnings(asKarpenter(list)) {
			ours = ours || w.Code == candidate.CodeRejected
		}
		if ours != (theirs != nil) {
			t.Fatalf("%s is rejected: %t, the API server says %v", object, ours, theirs)
		}
	})
}

// The examples of the table of differences are none in Karpenter's dialect.
func TestTheDifferencesOfBudgetsAreNoneInKarpentersDialect(t *testing.T) {
	quiet(t)
	asked := 0
	for _, q := range questions {
		at, reason := q.asked()
		if !slices.Contains(karpenterReasons, reason) {
			continue
		}
		asked++
		got, _ := budget.AllowedByReason(asKarpenter(q.budgets), at, tenNodes, candidate.Reason(reason))
		if want := allowedByKarpenter(q.budgets, at, tenNodes, reason); countText(got.Nodes) != countText(want) {
			t.Errorf("%s: %d, Karpenter says %d", fmt.Sprint(q.budgets), got.Nodes, want)
		}
	}
	if asked < 20 {
		t.Errorf("only %d examples were asked", asked)
	}
}
