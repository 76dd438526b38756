package forecast

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

var sunday = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// linted is what Lint finds of a text.
func linted(t interface{ Fatal(...any) }, as engine.Engine, text string) Answer {
	env := command.Environment{Name: "lint", Stdin: strings.NewReader(text), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
	a, err := Lint(env, Question{Files: []string{"-"}, Policy: manifest.Policy{As: as}, Nodes: assumedNodes, Now: sunday})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// codesOf returns codes and reasons of findings.
func codesOf(a Answer) (all []string) {
	for _, f := range a.Findings {
		all = append(all, strings.TrimSpace(f.Code+" "+string(f.Reason)))
	}
	return all
}

func poolOf(budgets ...string) string {
	return "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec:\n  disruption:\n    consolidateAfter: 1m\n    budgets:\n    - " +
		strings.Join(budgets, "\n    - ") + "\n"
}

func TestWhatIsRejectedHidesNothingElse(t *testing.T) {
	const (
		daily    = `{nodes: "5", reasons: [Empty], schedule: "@daily", duration: 24h}`
		never    = `{nodes: "20%"}`
		rejected = `{nodes: "0", reasons: [Expired]}`
		gappy    = `{nodes: "10%", schedule: "0 9 * * mon-fri", duration: 8h}`
	)
	for _, test := range []struct {
		rule, text string
		as         engine.Engine
		want       []string
	}{
		{"a budget", poolOf(`{nodes: "10%"}`, never, rejected, daily), engine.Karpenter, []string{"rejected", "never-closes", "never-binds"}},
		{"a budget, for the guard", poolOf(`{nodes: "10%"}`, never, rejected), engine.Guard, []string{"rejected", "never-binds"}},
		{"a budget, for disruptkit", poolOf(`{nodes: "10%"}`, never, `{node: 0}`), engine.Disruptkit, []string{"invalid", "never-binds"}},
		{"a budget without a NodePool", "budgets:\n- {nodes: 10%}\n- " + never + "\n- " + rejected, engine.Karpenter, []string{"rejected", "never-binds"}},
		{"a field beside the budgets", strings.Replace(poolOf(`{nodes: "10%"}`, never), "1m", "soon", 1), engine.Karpenter, []string{"rejected", "never-binds"}},
		{"a version", strings.Replace(poolOf(`{nodes: "10%"}`, never), "/v1", "/v2", 1), engine.Karpenter, []string{"rejected", "never-binds"}},
		{"a field elsewhere", poolOf(`{nodes: "10%"}`, never) + "  replicas: many\n", engine.Karpenter, []string{"invalid", "never-binds"}},
		{"but what it may change is not said", poolOf(gappy, rejected), engine.Karpenter, []string{"rejected"}},
		{"nor anything of a list that is none", "budgets: {}", engine.Karpenter, []string{"rejected"}},
	} {
		if got := codesOf(linted(t, test.as, test.text)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
}

var aBudget = rapid.Custom(func(t *rapid.T) string {
	b := fmt.Sprintf("{nodes: %q", rapid.SampledFrom([]string{"0", "1", "5", "10%", "50%", "100%"}).Draw(t, "nodes"))
	if when := rapid.SampledFrom([]string{
		"", "", `"0 9 * * mon-fri", duration: 8h`, `"0 17 * * mon-fri", duration: 16h`, `"@daily", duration: 24h`, `"@daily", duration: 23h59m`,
		`"0 */4 * * *", duration: 6h`, `"0 2 1-7 * sat", duration: 4h`, `"0 0 31 * *", duration: 1h`, `"0 */7 * * *", duration: 1h`,
	}).Draw(t, "schedule"); when != "" {
		b += ", schedule: " + when
	}
	if reasons := rapid.SampledFrom([]string{"", "", "Empty", "Drifted", "Underutilized", "Unhealthy", "Drifted, Empty"}).Draw(t, "reasons"); reasons != "" {
		b += ", reasons: [" + reasons + "]"
	}
	return b + "}"
})

// Whatever was meant in the place of what is rejected: what was said of the rest is said of it as well.
func TestWhatIsSaidOfTheRestIsTrueWhateverWasMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(aBudget, 1, 4).Draw(t, "budgets")
		at := rapid.IntRange(0, len(list)-1).Draw(t, "at")
		as := rapid.SampledFrom([]engine.Engine{engine.Karpenter, engine.Guard}).Draw(t, "as")
		mended := codesOf(linted(t, as, poolOf(list...)))
		if slices.ContainsFunc(mended, func(code string) bool { return strings.HasPrefix(code, "many-changes") }) {
			t.Skip("too much to look at the whole year")
		}
		broken := slices.Clone(list)
		broken[at] = strings.Replace(list[at], "{nodes: ", "{nodes: many, was: ", 1)
		for _, code := range codesOf(linted(t, as, poolOf(broken...))) {
			isAlike := func(other string) bool { // a finding of several reasons may come apart
				return other == code || strings.HasPrefix(other, code+" ")
			}
			if code != "rejected" && code != "dropped-field" && !slices.ContainsFunc(mended, isAlike) {
				t.Errorf("%s of %q is not found of %q: %q", code, broken, list, mended)
			}
		}
	})
}

// A field that Karpenter lacks may be a freeze that is misspelt. Nothing is found of the rest of the budget, such as that it
// never decides.
func TestNoAdviceIsAboutWhatIsLeftOfABudget(t *testing.T) {
	for _, lost := range []string{`{maxUnavailable: "0"}`, `{"nodes ": "0"}`, `{nodes: "100%", timeZone: Europe/Berlin}`} {
		a := linted(t, engine.Karpenter, poolOf(`{nodes: "10%"}`, lost))
		for _, f := range a.Findings {
			if f.Code != lint.CodeDroppedField && f.Budgets.Has(1) {
				t.Errorf("%s: %s: %s", lost, f.Code, f.Advice)
			}
			if strings.Contains(f.Message+f.Advice, "delete") {
				t.Errorf("%s: %s: %s %s", lost, f.Code, f.Message, f.Advice)
			}
		}
	}
}

func TestATimeZoneThatKarpenterLacksIsGivenInUTC(t *testing.T) {
	for _, c := range []struct{ budget, want string }{
		{`{nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h, timeZone: Europe/Berlin}`, `write "0 8 * * mon,tue,wed,thu,fri", and other hours from Sun 2027-03-28 on, when the clocks of Europe/Berlin change; `},
		{`{nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: Asia/Tokyo}`, `write "0 0 * * *"; `},
		{`{nodes: "0", schedule: "0 9,17 * * *", duration: 1h, timeZone: Asia/Tokyo}`, `write "0 0 * * *" and, in a budget of its own, "0 8 * * *"; `},
		{`{nodes: "0", schedule: "0 9 1 * *", duration: 8h, timeZone: Europe/Berlin}`, "write its hours in UTC; "},
		{`{nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: Europe/Berlln}`, "write its hours in UTC; "},
		{`{nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: [a]}`, "write its hours in UTC; "},
	} {
		for _, as := range []engine.Engine{engine.Karpenter, engine.Guard} {
			a := linted(t, as, poolOf(`{nodes: "10%"}`, c.budget))
			if f := a.Findings[0]; f.Code != lint.CodeDroppedField || !strings.Contains(f.Message, c.want) {
				t.Errorf("%s: %s: %s, want %s", c.budget, f.Code, f.Message, c.want)
			}
		}
	}
}

func TestNodePoolsOfOneNameAreFound(t *testing.T) {
	const web, other = "kind: NodePool\nmetadata: {name: web}\n", "kind: NodePool\nmetadata: {name: other}\n"
	dir := t.TempDir()
	for name, text := range map[string]string{"a.yaml": web, "b.yaml": web, "twice.yaml": web + "---\n" + other + "---\n" + web} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		rule  string
		files []string
		want  []string
	}{
		{"in one file it is an error", []string{"twice.yaml"}, []string{"error twice.yaml:8 twice.yaml:2"}},
		{"in several it is reported", []string{"a.yaml", "b.yaml"}, []string{"info b.yaml:2 a.yaml:2"}},
		{"each is reported", []string{"a.yaml", "twice.yaml"}, []string{"info twice.yaml:2 a.yaml:2", "error twice.yaml:8 twice.yaml:2"}},
		{"a file that is read twice is not", []string{"a.yaml", "a.yaml"}, nil},
	} {
		var q Question
		for _, f := range test.files {
			q.Files = append(q.Files, filepath.Join(dir, f))
		}
		q.Policy.As, q.Now = engine.Karpenter, sunday
		a, err := Lint(command.Environment{Stderr: new(bytes.Buffer)}, q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range a.Findings {
			if f.Code == CodeRepeatedName {
				got = append(got, strings.ReplaceAll(fmt.Sprint(f.Severity, f.Places[0], " ", f.Places[1]), dir+string(filepath.Separator), " "))
			}
		}
		for i := range got {
			got[i] = strings.Join(strings.Fields(got[i]), " ")
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
}
