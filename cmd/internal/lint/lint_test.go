package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// A result is what a run leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func linted(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	env := command.Environment{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}
	status := command.Run(context.Background(), env, Command, append([]string{"--now", "2026-11-22"}, args...))
	return result{stdout.String(), stderr.String(), status}
}

const file = "testdata/nodepools.yaml"

func TestGolden(t *testing.T) {
	for format, name := range map[string]string{"text": "findings.txt", "json": "findings.json", "github": "findings.github.txt", "sarif": "findings.sarif"} {
		got := linted("", "-o", format, file)
		if got.status != 1 || got.stderr != "" {
			t.Errorf("%s: status %d, %s", format, got.status, got.stderr)
		}
		golden.Check(t, name, got.stdout)
	}
}

const (
	fine              = `{"budgets": [{"nodes": "10%"}]}`
	warned            = `{"budgets": [{"nodes": "10%", "schedule": "0 9 * * mon-fri", "duration": "8h"}]}`
	calendar          = `{"budgets": [{"nodes": "10%"}, {"nodes": "0", "calendar": "germany"}]}`
	annotatedCalendar = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, annotations: {disruptkit.dev/steward: 'true', disruptkit.dev/disruption: " +
		"'budgets: [{nodes: \"0\", calendar: germany}]'}}\nspec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: 10%}]}}\n"
	mistake = `{"budgets": [{"nodes": "0", "schedule": "0 0 * * sat-sun", "duration": "8h"}]}`
)

// pausedPool returns a NodePool that the guard pauses.
func pausedPool(pause string) string {
	return "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, annotations: {disruptkit.dev/pause: '" + pause +
		"'}}\nspec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: 10%}]}}\n"
}

// expiring returns a NodePool with a budget for Expired, and with annotations.
func expiring(annotations string) string {
	return "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, annotations: {" + annotations +
		"disruptkit.dev/steward: 'true', disruptkit.dev/disruption: '{budgets: [{nodes: \"2\", reasons: [Expired]}]}'}}\n" +
		"spec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: 10%}]}}\n"
}

// frozenAt returns a NodePool with a freeze by day and with an age at which its nodes expire.
func frozenAt(expire string) string {
	return "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, annotations: {disruptkit.dev/expire: '" + expire + "'}}\n" +
		"spec: {disruption: {consolidateAfter: 0s, budgets: [{nodes: 10%}, {nodes: '0', schedule: '0 9 * * *', duration: 8h}]}}\n"
}

func TestWhatFails(t *testing.T) {
	for _, test := range []struct {
		name, stdin string
		args        []string
		status      int
	}{
		{"nothing wrong", fine, nil, 0},
		{"an error fails", mistake, nil, 1},
		{"a warning does not", warned, nil, 0},
		{"but where it is asked for", warned, []string{"--fail-on", "warning"}, 1},
		{"in any case of letters", warned, []string{"--fail-on", "Warning"}, 1},
		{"an error does as well then", mistake, []string{"--fail-on", "info"}, 1},
		{"nothing fails where that is asked for", mistake, []string{"--fail-on", "never"}, 0},
		{"not what is disabled", warned, []string{"--fail-on", "warning", "--disable", "unlimited-span"}, 0},
		{"what is not disabled does", mistake, []string{"--disable", "unlimited-span,rounds-up"}, 1},
		{"a calendar that is not handed in", calendar, []string{"--engine", "disruptkit"}, 1},
		{"a calendar that is", calendar, []string{"--engine", "disruptkit", "--calendar", "germany=../../ical/testdata/germany.ics"}, 0},
		{"a calendar for Karpenter", calendar, []string{"--calendar", "../../ical/testdata/germany.ics"}, 2},
		{"a calendar of the guard that is not handed in", annotatedCalendar, []string{"--engine", "guard"}, 1},
		{"a calendar of the guard that is", annotatedCalendar, []string{"--engine", "guard", "--calendar", "../../ical/testdata/germany.ics"}, 0},
		{"a calendar of the steward that is", annotatedCalendar, []string{"--engine", "steward", "--calendar", "../../ical/testdata/germany.ics"}, 0},
		{"a calendar that is not there", calendar, []string{"--engine", "disruptkit", "--calendar", "none.ics"}, 2},
		{"a pause without an end", pausedPool("true"), []string{"--engine", "guard", "--fail-on", "warning"}, 1},
		{"a pause that is over", pausedPool("2026-11-21T00:00:00Z"), []string{"--engine", "guard", "--fail-on", "warning"}, 1},
		{"a pause of an unknown reason", pausedPool("{until: 2026-11-23T00:00:00Z, reasons: [Drfted]}"), []string{"--engine", "guard", "--fail-on", "warning"}, 1},
		{"a pause that ends tomorrow", pausedPool("2026-11-23T00:00:00Z"), []string{"--engine", "guard", "--fail-on", "info"}, 0},
		{"a pause of one zone that ends tomorrow", pausedPool("{until: 2026-11-23T00:00:00Z, zones: [a]}"), []string{"--engine", "guard", "--fail-on", "info"}, 0},
		{"a budget for what expires at no age that the guard reads", expiring(""), []string{"--engine", "guard", "--fail-on", "info"}, 1},
		{"a budget for what expires at an age", expiring("disruptkit.dev/expire: '{after: 700h, deadline: 710h}', "), []string{"--engine", "guard", "--fail-on", "info"}, 0},
		{"and so for the steward", expiring("disruptkit.dev/expire: '{after: 700h, deadline: 710h}', "), []string{"--engine", "steward", "--fail-on", "info"}, 0},
		{"a freeze of all, and no deadline before expireAfter", frozenAt("{after: 700h}"), []string{"--engine", "guard", "--fail-on", "info", "--disable", "gap"}, 1},
		{"a freeze of all, and a deadline before expireAfter", frozenAt("{after: 300h, deadline: 310h}"), []string{"--engine", "guard", "--fail-on", "info", "--disable", "gap"}, 0},
		{"no input", "", nil, 2},
		{"no NodePool", `{"kind": "Node", "metadata": {"name": "a"}}`, nil, 2},
		{"YAML that is none", "a: [", nil, 2},
		{"an unknown code", fine, []string{"--disable", "nope"}, 2},
		{"an unknown level", fine, []string{"--fail-on", "bad"}, 2},
		{"fewer nodes than none", fine, []string{"--nodes", "-3"}, 2},
		{"nodes that are no number", fine, []string{"--nodes", "ten"}, 2},
		{"more nodes than Kubernetes can count", fine, []string{"--nodes", "2147483648"}, 2},
		{"an unknown format", fine, []string{"-o", "xml"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := linted(test.stdin, append(test.args, "-")...); got.status != test.status {
				t.Errorf("status %d, want %d: %s%s", got.status, test.status, got.stdout, got.stderr)
			}
		})
	}
}

func TestAFileThatIsNotThereFailsAndTheOthersAreLinted(t *testing.T) {
	got := linted(fine, "-", filepath.Join(t.TempDir(), "gone.yaml"))
	if got.status != 2 || !strings.Contains(got.stderr, "gone.yaml") || got.stdout != "1 NodePool, for Karpenter v1.15 (--engine karpenter): no findings\n" {
		t.Errorf("%+v", got)
	}
}

func TestDisabledFindingsAreCounted(t *testing.T) {
	if got := linted(warned, "--disable", "unlimited-span", "-"); !strings.HasSuffix(got.stdout, "disabled\n") || strings.Contains(got.stdout, "unlimited") {
		t.Errorf("%+v", got)
	}
}

// "There's no way to end a workflow command early, or to begin another": what is in a name stays in the message.
func TestNamesCannotWriteWorkflowCommands(t *testing.T) {
	pool := `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a\n::add-mask::b"}, "spec": {"disruption": ` + warned + `}}`
	got := linted(pool, "-o", "github", "-")
	if got.stdout == "" {
		t.Fatalf("%+v", got)
	}
	for line := range strings.Lines(got.stdout) {
		if !strings.HasPrefix(line, "::warning file=") && !strings.HasPrefix(line, "::notice file=") && !strings.HasPrefix(line, "::error file=") {
			t.Errorf("%q", line)
		}
	}
}

func TestJSONIsEmptyListsNotNull(t *testing.T) {
	var all map[string]any
	if err := json.Unmarshal([]byte(linted(fine, "-o", "json", "-").stdout), &all); err != nil {
		t.Fatal(err)
	}
	if findings, ok := all["findings"].([]any); !ok || len(findings) != 0 || all["version"] != "1" {
		t.Errorf("got %v", all)
	}
}

func TestAFileIsReadWithAndWithoutF(t *testing.T) {
	want := linted("", file, "-")
	for _, args := range [][]string{{"-f", file, "-f", "-"}, {"-f", file, "-"}, {file, "-f", "-"}} {
		if got := linted("", args...); got != want {
			t.Errorf("%v: %+v, not %+v", args, got, want)
		}
	}
}

func TestWhatIsLintedCanBeNarrowed(t *testing.T) {
	all := linted("", "--now", "2026-11-23", file).stdout
	if !strings.Contains(all, "frozen: ") || !strings.Contains(all, "3 NodePools") {
		t.Fatal(all)
	}
	one := linted("", "--now", "2026-11-23", "--pool", "frozen", file)
	if strings.Count(one.stdout, "frozen: ") != strings.Count(all, "frozen: ") || !strings.Contains(one.stdout, "1 NodePool,") || one.status != 0 {
		t.Errorf("%+v", one)
	}
	if got := linted("", "--pool", "nope", file); got.status != 2 || !strings.Contains(got.stderr, `--pool: there is no NodePool "nope": there are `) {
		t.Errorf("%+v", got)
	}
}

// "nothing is lost": what is wrong with a file is said, and in the format that was asked for, although there is no NodePool in it.
func TestAFileThatIsNotYAMLIsAFinding(t *testing.T) {
	for format, want := range map[string]string{
		"text": "standard input:2: error unreadable: document 1: not valid YAML: line 2", "json": `"code": "unreadable"`, "sarif": "not valid YAML", "github": "::error ",
	} {
		got := linted("a: [b\n c", "-o", format, "-")
		if got.status != command.Hopeless || !strings.Contains(got.stdout, want) || !strings.Contains(got.stderr, "no readable NodePool") {
			t.Errorf("-o %s: %+v", format, got)
		}
	}
}

// inFiles writes files into a directory of their own, and goes there.
func inFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDirectoriesAreReadAndWhatIsNoManifestIsSkippedWithANote(t *testing.T) {
	inFiles(t, map[string]string{
		"pools/a.yaml":                   warned,
		"pools/deep/b.yaml":              mistake,
		"chart/values.yaml":              "replicas: 3\nkarpenter: {budgets: []}\n",
		"chart/templates/web.yaml":       "kind: Deployment\nspec: {{ .Values.x }}\n",
		"chart/templates/nodepool.yaml":  "kind: NodePool\nspec: {{ .Values.x }}\n",
		"chart/templates/empty.yaml":     "# nothing\n",
		"chart/templates/configmap.json": `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}`,
	})
	for _, test := range []struct {
		rule   string
		args   []string
		status int
		stdout []string
		notes  []string
	}{
		{"a directory", []string{"pools"}, 0, []string{"pools/a.yaml:1: warning", "1 NodePool,"}, nil},
		{"and those in it", []string{"-R", "pools"}, 1, []string{"pools/a.yaml:1: warning", "pools/deep/b.yaml:1: error", "2 NodePools,"}, nil},
		{"a flag after it", []string{"-f", "pools", "-R"}, 1, []string{"2 NodePools,"}, nil},
		{"values of a chart among other files", []string{"pools/a.yaml", "chart/values.yaml"}, 0, []string{"1 NodePool,"},
			[]string{"note: chart/values.yaml: skipped, since it is no Kubernetes object; if it has the values of a template, render that"}},
		{"a chart", []string{"-R", "pools", "chart"}, 1, []string{
			"2 NodePools,"}, []string{
			"chart/templates/nodepool.yaml: skipped, since it is a template: render it first",
			"chart/templates/web.yaml: skipped, since it names no NodePool and no budgets: ",
			"chart/templates/empty.yaml: skipped, since it names no NodePool and no budgets: the input is empty",
			"chart/templates/configmap.json: objects other than NodePools are skipped: 1",
			"chart/values.yaml: skipped"}},
		{"values of a chart alone", []string{"chart/values.yaml"}, 2, nil, []string{"chart/values.yaml: skipped", "no readable NodePool"}},
		{"another template alone", []string{"chart/templates/web.yaml"}, 2, []string{"render it first"}, []string{"no readable NodePool"}},
	} {
		got := linted("", test.args...)
		for _, want := range test.stdout {
			if !strings.Contains(joinedLines(got.stdout), want) {
				t.Errorf("%s: %q is not in\n%s", test.rule, want, got.stdout)
			}
		}
		for _, want := range test.notes {
			if !strings.Contains(got.stderr, want) {
				t.Errorf("%s: %q is not in\n%s", test.rule, want, got.stderr)
			}
		}
		if got.status != test.status || len(test.notes) == 0 && test.status < 2 && got.stderr != "" {
			t.Errorf("%s: %+v", test.rule, got)
		}
	}
}

// joinedLines joins lines that were broken.
func joinedLines(text string) string { return strings.ReplaceAll(text, "\n    ", " ") }

const (
	ignorable = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: web\n%sspec:\n  template: {spec: {expireAfter: Never}}\n  disruption:\n    consolidateAfter: 1m\n    budgets:\n%s"
	neverGoes = "    - nodes: \"0\"%s\n"
)

func TestACommentIgnoresAFinding(t *testing.T) {
	annotated := func(value string) string { return "  annotations: {disruptkit.dev/lint-ignore: '" + value + "'}\n" }
	budgets := func(before, after string) string {
		return fmt.Sprintf(ignorable, "", before+fmt.Sprintf(neverGoes, after))
	}
	const unused, unknown = "unused-ignore", "unknown-ignore"
	for _, test := range []struct {
		rule, text string
		want       string // codes
		ignored    int
	}{
		{"nothing is ignored", budgets("", ""), "never-disruptable", 0},
		{"on its line", budgets("", " # disruptkit:ignore never-disruptable"), "", 1},
		{"on the line above", budgets("    # disruptkit:ignore never-disruptable\n", ""), "", 1},
		{"above, with more lines between", budgets("    # disruptkit:ignore never-disruptable\n    # on purpose\n\n", ""), "", 1},
		{"with a reason", budgets("", "   #disruptkit:ignore  never-disruptable until March"), "", 1},
		{"in capitals", budgets("", " # disruptkit:ignore Never-Disruptable"), "", 1},
		{"several codes", budgets("", " # disruptkit:ignore never-disruptable, never-binds"), unused, 1},
		{"another code", budgets("", " # disruptkit:ignore never-binds"), "never-disruptable " + unused, 0},
		{"a code that there is not", budgets("", " # disruptkit:ignore never-disrupted"), "never-disruptable " + unknown, 0},
		{"no code", budgets("", " # disruptkit:ignore"), "never-disruptable " + unknown, 0},
		{"another line", budgets("", "\n# disruptkit:ignore never-disruptable\n"), "never-disruptable " + unused, 0},
		{"the end of the line above is of that line", strings.Replace(budgets("", ""), "budgets:", "budgets: # disruptkit:ignore never-disruptable", 1),
			"never-disruptable " + unused, 0},
		{"something else", budgets("", " # disruptkit:ignored never-disruptable"), "never-disruptable", 0},
		{"lines of Windows", strings.ReplaceAll(budgets("", " # disruptkit:ignore never-disruptable"), "\n", "\r\n"), "", 1},
		{"an annotation", fmt.Sprintf(ignorable, annotated("never-disruptable"), fmt.Sprintf(neverGoes, "")), "", 1},
		{"an annotation with other codes", fmt.Sprintf(ignorable, annotated("never-binds,x"), fmt.Sprintf(neverGoes, "")),
			"never-disruptable " + unused + " " + unknown, 0},
		{"an annotation is of its own NodePool", fmt.Sprintf(ignorable, annotated("never-disruptable"), fmt.Sprintf(neverGoes, "")) + "---\n" +
			strings.Replace(budgets("", ""), "web", "batch", 1), "never-disruptable", 1},
		{"JSON has no comments", `{"budgets": [{"nodes": "0"}], "x": "# disruptkit:ignore y"}`, "dropped-field never-disruptable", 0},
		{"what cannot be read", "- x # disruptkit:ignore unreadable\n---\n" + fine, "", 1},
	} {
		for _, as := range []string{"karpenter", "guard"} {
			var answer struct {
				Ignored  int
				Findings []struct{ Code string }
			}
			got := linted(test.text, "--engine", as, "-o", "json", "-")
			if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil {
				t.Fatal(err, got)
			}
			var codes []string
			for _, f := range answer.Findings {
				if !slices.Contains(codes, f.Code) { // the guard repeats some
					codes = append(codes, string(f.Code))
				}
			}
			if strings.Join(codes, " ") != test.want || answer.Ignored != test.ignored {
				t.Errorf("%s, for %s: %q, %d ignored\n%s", test.rule, as, codes, answer.Ignored, got.stdout)
			}
		}
	}
}

func TestWhatIsIgnoredIsCountedAndDoesNotFail(t *testing.T) {
	text := fmt.Sprintf(ignorable, "", fmt.Sprintf(neverGoes, " # disruptkit:ignore never-disruptable"))
	if got := linted(text, "--fail-on", "info", "-"); got.status != 0 || !strings.HasSuffix(got.stdout, "(--engine karpenter): 1 ignored\n") {
		t.Errorf("%+v", got)
	}
	if got := linted(strings.Replace(text, "never-d", "nver-d", 1), "--fail-on", "error", "-"); got.status != 1 || !strings.Contains(got.stdout, "standard input:10: error unknown-ignore: there is no code") {
		t.Errorf("%+v", got)
	}
}

// Of other pools nothing was asked.
func TestAnIgnoreIsNotUnusedWhereOnePoolIsLookedAt(t *testing.T) {
	text := fmt.Sprintf(ignorable, "", fmt.Sprintf(neverGoes, " # disruptkit:ignore never-disruptable")) + "---\nkind: NodePool\nmetadata: {name: other}\n"
	if got := linted(text, "--pool", "other", "-"); strings.Contains(got.stdout, "unused-ignore") {
		t.Errorf("%+v", got)
	}
}
