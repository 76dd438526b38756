package lint

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// budgetLists generates lists of budgets, with mistakes in most, written as people do: each budget in braces or in
// lines, with comments, in a NodePool, alone, or as JSON.
func budgetLists(t *rapid.T) string {
	field := func(name string, values ...string) string {
		value := rapid.SampledFrom(append([]string{""}, values...)).Draw(t, name)
		if value == "" {
			return ""
		}
		return name + ": " + value
	}
	isJSON := rapid.Bool().Draw(t, "JSON")
	var items []string
	for i := range rapid.IntRange(1, 3).Draw(t, "budgets") {
		fields := []string{"nodes: " + rapid.SampledFrom([]string{`"0"`, `"0"`, `"1"`, `"10%"`, `"20%"`, `"20%"`, `"100%"`, `"5"`, `"10 %"`}).Draw(t, "nodes")}
		if one := field("reasons", "", "", "", "", `["Drifted"]`, `["Drifted"]`, `["Empty", "Underutilised"]`, `["Unhealthy"]`); one != "" {
			fields = append(fields, one)
		}
		if one := field("schedule", "", "", `"0 0 * * *"`, `"0 9 * * mon-fri"`, `"0 17 * * mon-fri"`, `"0 22 * * *"`, `"0 0 * * sat-sun"`, `"0 0 * * fri,sat,sun"`, `"0 7-13 * * *"`, `"0 0 31 * *"`, `"0 2 1-7 * sat"`); one != "" {
			fields = append(fields, one, field("duration", `"24h"`, `"8h"`, `"16h"`, `"23h59m"`, `"24h"`, `"48h"`, `"2d"`))
			if fields[len(fields)-1] == "" {
				fields[len(fields)-1] = `duration: "8h"`
			}
		}
		fields = rapid.Permutation(fields).Draw(t, "order")
		comment := ""
		if rapid.Bool().Draw(t, "comment") {
			comment = fmt.Sprintf("# the budget %d\n", i)
		}
		switch {
		case isJSON:
			for j, f := range fields {
				name, value, _ := strings.Cut(f, ": ")
				fields[j] = fmt.Sprintf("%q: %s", name, value)
			}
			items = append(items, "{"+strings.Join(fields, ", ")+"}")
		case rapid.Bool().Draw(t, "braces"):
			items = append(items, comment+"- {"+strings.Join(fields, ", ")+"} # on purpose\n")
		default:
			items = append(items, comment+"- "+strings.Join(fields, " # why\n  ")+"\n")
		}
	}
	if isJSON {
		list := "[\n  " + strings.Join(items, ",\n  ") + "\n]\n"
		return rapid.SampledFrom([]string{list, strings.ReplaceAll(list, "\n", ""), `{"budgets": ` + list + "}\n"}).Draw(t, "form")
	}
	list := strings.Join(items, "")
	indented := strings.ReplaceAll(strings.TrimSuffix("\n"+list, "\n"), "\n", "\n    ")
	return rapid.SampledFrom([]string{list, "budgets:\n" + list, nodePool(`{nodes: "10%"}`, "\n    - {nodes: \"10%\"}", indented)}).Draw(t, "form")
}

// found are the findings that lint prints of a file.
func found(t rapid.TB, args ...string) (findings []forecast.JSONFinding, said string) {
	got := linted("", append(args, "-o", "json")...)
	var answer jsonAnswer
	if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil {
		t.Fatal(err, got)
	}
	return answer.Findings, got.stderr
}

// After --fix, lint is silent on what was fixed: there are fewer findings of the code, and no more errors. Comments stay.
func TestLintIsSilentOnWhatWasFixed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pool.yaml")
	tried := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		text := budgetLists(t)
		as := rapid.SampledFrom([]string{"karpenter", "guard", "steward", "disruptkit"}).Draw(t, "engine")
		write := func() {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write()
		before, _ := found(t, "--engine", as, path)
		of := func(all []forecast.JSONFinding, code string) (n int) {
			for _, f := range all {
				if f.Code == code || code == "" && f.Severity == "error" {
					n++
				}
			}
			return n
		}
		check := func(choice, code string) {
			write()
			after, said := found(t, "--engine", as, "--fix="+choice, path)
			changed, _ := os.ReadFile(path)
			fail := func(what string) {
				t.Fatalf("%s: --fix=%s for %s\n%s\nbecame\n%s\n%s\n%s%v", what, choice, as, text, changed, said, fmt.Sprint(before), after)
			}
			switch {
			case string(changed) == text:
				if !strings.Contains(said, "yourself") {
					fail("nothing is written")
				}
				tried["left to people"]++
				return
			case of(after, code) >= of(before, code), of(after, "") > of(before, ""):
				fail("it is still found")
			case strings.Count(string(changed), "# the budget") < strings.Count(text, "# the budget"):
				fail("a comment is gone")
			}
			tried[code]++
		}
		for _, f := range before {
			for i, fix := range f.Fixes {
				check(fmt.Sprintf("%s:%d", f.Code, i+1), f.Code)
				if len(f.Fixes) == 1 && fix.Obvious && of(before, f.Code) == 1 {
					check(obvious, f.Code)
				}
			}
		}
	})
	t.Log(tried)
}
