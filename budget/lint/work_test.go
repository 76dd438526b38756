package lint_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// hostileLists are as long as a list may be, and change every minute: 50 budgets, of up to 50 reasons each.
func hostileLists() map[string]budget.Spec {
	child := func(i int) candidate.Reason { return candidate.Reason(fmt.Sprintf("Drifted/R%d", i)) }
	list := func(b func(i int) budget.Budget, reason func(i, j int) candidate.Reason) (spec budget.Spec) {
		for i := range 50 {
			entry := b(i)
			for j := range 50 {
				if reason != nil && !slices.Contains(entry.Reasons, reason(i, j)) {
					entry.Reasons = append(entry.Reasons, reason(i, j))
				}
			}
			spec.Budgets = append(spec.Budgets, entry)
		}
		return spec
	}
	number := func(nodes string) func(i int) budget.Budget {
		return func(i int) budget.Budget {
			schedules := []string{"*/2 * * * *", "1-59/2 * * * *"}
			return budget.Budget{Nodes: nodes, Schedule: schedules[i%2], Duration: "1m"}
		}
	}
	turns := func(i int) budget.Budget {
		return budget.Budget{Nodes: "1", Schedule: fmt.Sprintf("%d * * * *", i), Duration: "1m",
			TopologyKey: "topology.kubernetes.io/zone", Sequential: true}
	}
	// crossed names each reason in two budgets, and no two reasons in the same two.
	crossed := func(i, j int) candidate.Reason {
		other := (i + 1 + j/2) % 50
		if j%2 == 1 {
			other = (i + 49 - j/2) % 50
		}
		return candidate.Reason(fmt.Sprintf("Drifted/R%dx%d", min(i, other), max(i, other)))
	}
	same := func(_, j int) candidate.Reason { return child(j) }
	own := func(i, j int) candidate.Reason { return child(50*i + j) }
	specific := func(spec budget.Spec) budget.Spec { spec.MostSpecific = true; return spec }
	return map[string]budget.Spec{
		"the same reasons":                list(number("5"), same),
		"the same reasons, closed":        list(number("0"), same),
		"reasons of their own":            list(number("5"), own),
		"reasons of their own, closed":    list(number("0"), own),
		"crossed":                         list(number("5"), crossed),
		"crossed, closed":                 list(number("0"), crossed),
		"all reasons":                     list(number("5"), nil),
		"turns":                           list(turns, nil),
		"the same reasons, most specific": specific(list(number("0"), same)),
		"reasons of their own, specific":  specific(list(number("5"), own)),
		"crossed, closed, most specific":  specific(list(number("0"), crossed)),
	}
}

// What is allocated bounds what is held. It used to be a gigabyte for the same 50 reasons in each of the budgets. EXHAUSTIVE=1 tries all
// lists, as the step proof of .ci/run does.
func TestLintNeedsLittleMemoryForHostileLists(t *testing.T) {
	quick := []string{"the same reasons", "reasons of their own, closed", "crossed, closed", "turns"}
	for name, spec := range hostileLists() {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("EXHAUSTIVE") == "" && !slices.Contains(quick, name) {
				t.Skip("only with EXHAUSTIVE=1")
			}
			set, err := spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
			runtime.ReadMemStats(&after)
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 200 || len(findings) == 0 {
				t.Errorf("%d MB for %d findings", mb, len(findings))
			}
		})
	}
}

func TestAReasonIsCalledNeverDisruptableIfNoHourAllowsANode(t *testing.T) {
	named := []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized, "Drifted/AMIDrift"}
	rapid.Check(t, func(t *rapid.T) {
		spec := budget.Spec{Budgets: freezes().Draw(t, "budgets"), MostSpecific: rapid.Bool().Draw(t, "specific")}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		open := map[candidate.Reason]bool{}
		binding := map[candidate.Reason]budget.Indexes{}
		for _, r := range named {
			for hour := range 8 * 24 { // what is scheduled comes every week
				allowed, _ := budget.AllowedByReason(set, lintNow.Add(time.Duration(hour)*time.Hour), 100, r)
				open[r] = open[r] || allowed.Nodes > 0
				binding[r] |= allowed.Binding
			}
		}
		names := slices.ContainsFunc(spec.Budgets, func(b budget.Budget) bool { return slices.Contains(b.Reasons, "Drifted/AMIDrift") })
		var want, got []string
		for _, r := range named {
			exception := spec.MostSpecific && names && open["Drifted/AMIDrift"] && r == candidate.Drifted // one that is meant
			if asked := r.Method() == r || names && open[candidate.Drifted]; asked && !open[r] && !exception {
				want = append(want, fmt.Sprintf("%s %s", r, binding[r]))
			}
		}
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			if f.Code == "never-disruptable" {
				reasons, _, _ := strings.Cut(f.Message, " never allowed")
				for _, r := range strings.FieldsFunc(reasons, func(c rune) bool { return c == ',' || c == ' ' }) {
					if r != "and" && r != "is" && r != "are" {
						got = append(got, fmt.Sprintf("%s %s", r, f.Budgets))
					}
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%v\n%s", spec.Budgets, diff)
		}
	})
}

func BenchmarkLint(b *testing.B) {
	for name, spec := range hostileLists() {
		b.Run(name, func(b *testing.B) {
			set, err := spec.Compile()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				lint.Run(set, lintNow, lint.Facts{Nodes: 100})
			}
		})
	}
}
