package planner

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/plan"
)

func TestThePlanSaysBetweenWhenAndWhenMostRunsAreDone(t *testing.T) {
	from := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	at := func(hours float64) time.Time {
		if hours == 0 {
			return time.Time{}
		}
		return from.Add(time.Duration(hours * float64(time.Hour)))
	}
	for _, test := range []struct {
		early, middle, late float64
		want                string
	}{
		{1, 2, 3, "between Fri 20 Nov 19:00 and 21:00 in 8 of 10 runs, half of them by 20:00"},
		{1, 2, 30, "between Fri 20 Nov 19:00 and Sun 22 Nov 00:00 in 8 of 10 runs, half of them by 20:00"},
		{1, 20, 30, "between Fri 20 Nov 19:00 and Sun 22 Nov 00:00 in 8 of 10 runs, half of them by Sat 21 Nov 14:00"},
		{1, 2, 9000, "between Fri 20 Nov 19:00 and Tue 30 Nov 2027 18:00 in 8 of 10 runs, half of them by 20:00"},
		{1, 2, 0, "by Fri 20 Nov 20:00 in half of the runs, and not by Sun 22 Nov 18:00 in 1 of 10"},
		{1, 0, 0, "by Fri 20 Nov 20:00 in the run in the middle; all by Fri 20 Nov 19:00 in 1 of 10 runs"},
	} {
		p := plan.Plan{From: from, Finish: at(2), Horizon: at(48)}
		s := plan.Spread{Early: at(test.early), Middle: at(test.middle), Late: at(test.late)}
		if got := between(p, s); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestThePlanSaysWhatIsLastInTheSlowestRuns(t *testing.T) {
	draws := func(n int, last ...plan.Draw) (all []plan.Draw) {
		for i := range n - len(last) {
			all = append(all, plan.Draw{Node: fmt.Sprint("fast-", i), PDB: "shop/fast"})
		}
		return append(all, last...)
	}
	a, b := plan.Draw{Node: "a"}, plan.Draw{Node: "b", PDB: "shop/web"}
	for _, test := range []struct {
		rule  string
		draws []plan.Draw
		want  string
	}{
		{"the slowest tenth counts", draws(20, a, b), "Last in the slowest 2 runs: a in 1, b in 1. It waited for PDB shop/web in 1."},
		{"one of several often", draws(30, b, a, b), "Last in the slowest 3 runs: b in 2, a in 1. It waited for PDB shop/web in 2."},
		{"one alone", draws(20, a, a), "Last in the slowest 2 runs: a in 2."},
		{"of ten or fewer, the slowest one", draws(5, b), "Last in the slowest 1 run: b in 1. It waited for PDB shop/web in 1."},
		{"none: they do not finish", draws(10, plan.Draw{}), "what follows is the run in the middle."},
	} {
		if got := drawn(plan.Range{Draws: test.draws}); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
	if got := drawn(plan.Range{Draws: draws(1, a)}); got != "" {
		t.Errorf("one plan: %q", got)
	}
}

func TestTheFirstLineSaysWhatNobodyHasMeasured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(1, nights))
	pdb := filepath.Join(t.TempDir(), "pdb.yaml")
	write(t, pdb, fleet(1, nights)+"---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: shop, name: api}\nspec: {selector: {}}\nstatus: {disruptionsAllowed: 1}\n")
	for _, test := range []struct{ file, args, want string }{
		{file, "", " Defaults, not measured: drains of 3m, launches of 2m."},
		{pdb, "", " Defaults, not measured: drains of 3m, launches of 2m, evictions of 30s."},
		{file, "--drain 3m", " Defaults, not measured: launches of 2m."},
		{file, "--launch 1m,2m", " Defaults, not measured: drains of 3m."},
		{file, "--launch 1m --drain 1m", ""},
		{pdb, "--launch 1m --drain 1m --eviction 0s", ""},
	} {
		for _, format := range []string{"text", "svg"} {
			got := ran("", append(strings.Fields(test.args), "-f", test.file, "--now", "2026-11-20T22:00:00Z", "-o", format)...).stdout
			got = strings.Join(strings.Fields(got), " ")
			want := "(--engine disruptkit)." + test.want
			if !strings.Contains(got, want) || test.want == "" && strings.Contains(got, "Defaults, not measured") {
				t.Errorf("%q, %s: %.300s", test.args, format, got)
			}
		}
	}
}

func TestHowOftenToPlan(t *testing.T) {
	for _, args := range [][]string{{"--runs", "0"}, {"--runs", "-3"}, {"--runs", "10001"}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
