package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMethodsAreGuardedWhereverTheyAreUsed(t *testing.T) {
	const before = `package disruption_test

func suite() {
	env = test.NewEnvironment(test.WithCRDs(crds...))
	c := disruption.NewController(ctx, clock, kube, prov, cloud, recorder, cluster, queue, costs)
	c = disruption.NewController(ctx, clock, kube, prov, cloud, recorder, cluster, queue, costs, disruption.WithMethods(all()...))
	c = disruption.NewController(ctx, clock, kube, prov, cloud, recorder, cluster, queue, costs,
		disruption.WithMethods(disruption.NewDrift(kube), other))
	commands, err := drift.ComputeCommands(ctx, budgets, candidates...) // a comment
	commands, err = disruption.NewDrift(kube).ComputeCommands(ctx, budgets)
	command := &disruption.Command{Method: disruption.NewDrift(kube), Candidates: nil}
	other := Command{Method: drift}
}
`
	const want = `package disruption_test

func suite() {
	env = test.NewEnvironment(test.WithCRDs(crds...)); env.Client = annotating(env.Client)
	c := disruption.NewController(ctx, clock, kube, prov, cloud, recorder, cluster, queue, costs, disruption.WithMethods(allGuarded(disruption.NewMethods(ctx, clock, cluster, kube, prov, cloud, recorder, queue)...)...))
	c = disruption.NewController(ctx, clock, kube, prov, cloud, recorder, cluster, queue, costs, disruption.WithMethods(allGuarded(all()...)...))
	c = disruption.NewController(ctx, clock, kube, prov, cloud, recorder, cluster, queue, costs,
		disruption.WithMethods(allGuarded(disruption.NewDrift(kube), other)...))
	commands, err := guarded(drift).ComputeCommands(ctx, budgets, candidates...) // a comment
	commands, err = guarded(disruption.NewDrift(kube)).ComputeCommands(ctx, budgets)
	command := &disruption.Command{Method: guarded(disruption.NewDrift(kube)), Candidates: nil}
	other := Command{Method: drift}
}
`
	dir := t.TempDir()
	files := map[string]string{"suite_test.go": before, "inner_test.go": strings.Replace(before, "disruption_test", "disruption", 1)}
	if err := writeFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	if _, err := rewrite(dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := read("suite_test.go"); got != want {
		t.Errorf("the suite has become\n%s\nwant\n%s", got, want)
	}
	if got := read("inner_test.go"); got != files["inner_test.go"] {
		t.Errorf("the tests of the package itself have become\n%s", got)
	}
}

func TestASuiteThatMakesItsMethodsInAnotherWayIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := writeFiles(dir, map[string]string{"suite_test.go": "package disruption_test\n"}); err != nil {
		t.Fatal(err)
	}
	if _, err := rewrite(dir); err == nil || !strings.Contains(err.Error(), "not known") {
		t.Errorf("the error is %v", err)
	}
}

func TestTheReportOfASuite(t *testing.T) {
	spec := func(kind, text, state string) string {
		return `{"ContainerHierarchyTexts": ["Drift"], "LeafNodeType": "` + kind + `", "LeafNodeText": "` + text + `", "State": "` + state + `"}`
	}
	for _, test := range []struct {
		name, specs string
		want        string
		fails       string
	}{
		{"that passes", spec("It", "a", "passed") + "," + spec("It", "b", "skipped") + "," + spec("BeforeSuite", "", "passed"),
			"1 specs passed, 0 failed, 1 were skipped, in 2s", ""},
		{"with a spec that fails", spec("It", "a", "passed") + "," + spec("It", "b", "failed"),
			"1 specs passed, 1 failed, 0 were skipped, in 2s", "Drift / b: failed"},
		{"with a spec that panics", spec("It", "b", "panicked"), "0 specs passed, 1 failed, 0 were skipped, in 2s", "Drift / b: panicked"},
		{"whose server does not start", spec("BeforeSuite", "", "failed"), "0 specs passed, 1 failed, 0 were skipped, in 2s", "Drift / : failed"},
		{"without any spec", "", "0 specs passed, 0 failed, 0 were skipped, in 2s", "no spec was run"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			text := `[{"RunTime": 2000000000, "SpecReports": [` + test.specs + `]}]`
			if err := writeFiles(dir, map[string]string{"report.json": text}); err != nil {
				t.Fatal(err)
			}
			o, err := readReport(filepath.Join(dir, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			if got := o.String(); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
			switch err := o.success(); {
			case (err != nil) != (test.fails != ""):
				t.Errorf("the error is %v, want %q", err, test.fails)
			case err != nil && !strings.Contains(err.Error(), test.fails):
				t.Errorf("the error is %v, want %q", err, test.fails)
			}
		})
	}
}

func TestAStoryThatHasNotPassedIsAnError(t *testing.T) {
	for _, test := range []struct{ name, out, want, fails string }{
		{"passed", "=== RUN   TestServerA\n    a_test.go:1: took 58s\n--- PASS: TestServerA (58.10s)\nPASS\n", "passed", ""},
		{"skipped", "--- SKIP: TestServerA (0.00s)\nPASS\n", "skipped", ""},
		{"failed", "    a_test.go:1: --- PASS: TestServerA (1s)\n    e_test.go:9: 10:00 row\n--- FAIL: TestServerA (58.10s)\nFAIL\n", "", "it failed: a_test.go:1: --- PASS"},
		{"panicked", "=== RUN   TestServerA\npanic: of fear\n", "", "not come to its end"},
		{"another passed", "--- PASS: TestServerAB (58.10s)\nPASS\n", "", "not come to its end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := storyResult("TestServerA", test.out)
			if got != test.want || (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("it is %q, %v; want %q, %q", got, err, test.want, test.fails)
			}
		})
	}
}

func TestEveryBrokenStewardFitsTheSource(t *testing.T) {
	for _, b := range brokenStewards {
		text, err := os.ReadFile(filepath.Join("..", "steward", b.file))
		if err != nil {
			t.Fatal(err)
		}
		if edited, err := b.edit(string(text)); err != nil || edited == string(text) {
			t.Errorf("%s: %v", b.name, err)
		}
		stories, err := filepath.Glob("../server_steward*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		told := false
		for _, name := range stories {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			told = told || strings.Contains(string(text), "func "+b.story+"(")
		}
		if !told {
			t.Errorf("%s: there is no story %s", b.name, b.story)
		}
	}
}
