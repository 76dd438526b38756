package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same objects, with the line of each thing in a comment where that can be.
const (
	positionsYAML = `# 1
- 5
---
kind: List # 4
items: # 5
- kind: NodePool # 6
  metadata: {name: a} # 7
  spec: # 8
    disruption: &shared # 9
      budgets: # 10
      - nodes: 1 # 11
        schedule: # 12
          "@daily"
      - {nodes: 2, # 14
         "odd.name[0]": 3} # 15
- # 16
  kind: NodePool # 17
  spec:
    disruption: *shared # 19
...
kind: NodePool # 21
spec: # 22
  x: |
    --- # no document begins here
  disruption: # 25
---
x: 1 # 27`

	positionsJSON = `
{"kind": "List",
 "items": [
   {"kind": "NodePool",
    "metadata": {"name": "a"}, "spec": {
      "disruption": {"budgets":
        [
          {"nodes": 1, "schedule":
             "@daily"}

          ,
          {"nodes": 2,
           "odd.name[0]": 3}]}}}, 7]} [
{"kind": "NodePool",
 "spec": {}}]`
)

func TestFaultsAreOnTheLineThatTheyAreOn(t *testing.T) {
	for _, test := range []struct {
		text     string
		document int    // from 0
		path     string // in the objects of lists
		want     int
	}{
		{positionsYAML, 0, "", 2},
		{positionsYAML, 0, "[0]", 2},
		{positionsYAML, 0, "items[0]", 2},
		{positionsYAML, 1, "kind", 4},
		{positionsYAML, 1, "items[0].metadata.name", 7},
		{positionsYAML, 1, "items[0].spec.disruption", 9},
		{positionsYAML, 1, "items[0].spec.disruption.budgets", 10},
		{positionsYAML, 1, "items[0].spec.disruption.budgets[0].schedule", 12},
		{positionsYAML, 1, "items[0].spec.disruption.budgets[1]", 14},
		{positionsYAML, 1, "items[0].spec.disruption.budgets[1].nodes", 14},
		{positionsYAML, 1, "items[0].spec.disruption.budgets[2]", 10},          // which is not there
		{positionsYAML, 1, "items[0].spec.disruption.budgets[1].schedule", 14}, // the same
		{positionsYAML, 1, "items[0].spec.replicas", 8},                        // the same
		{positionsYAML, 1, "items[1].spec.disruption.budgets[0].schedule", 12}, // an alias
		{positionsYAML, 1, "items[1].kind", 17},
		{positionsYAML, 2, "kind", 21},
		{positionsYAML, 2, "spec.disruption.budgets", 25},
		{positionsYAML, 3, "x", 27},
		{positionsJSON, 0, "", 2},
		{positionsJSON, 0, "items", 3},
		{positionsJSON, 0, "items[0]", 4},
		{positionsJSON, 0, "items[0].spec.disruption", 6},
		{positionsJSON, 0, "items[0].spec.disruption.budgets[0]", 8},
		{positionsJSON, 0, "items[0].spec.disruption.budgets[0].schedule", 8},
		{positionsJSON, 0, "items[0].spec.disruption.budgets[1]", 12},
		{positionsJSON, 0, "items[0].spec.disruption.budgets[1].nodes", 12},
		{positionsJSON, 0, "items[0].spec.disruption.budgets[2]", 6},
		{positionsJSON, 0, "items[0].spec.replicas", 5},
		{positionsJSON, 0, "items[1].kind", 13},
		{positionsJSON, 1, "items[0]", 14},
		{positionsJSON, 1, "items[0].spec.x", 15},
	} {
		for _, newline := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%.1q, document %d, %s, %q", strings.TrimSpace(test.text), test.document, test.path, newline), func(t *testing.T) {
				n := 0
				for d, broken := range documents(newSource([]byte(strings.ReplaceAll(test.text, "\n", newline)))) {
					if broken != nil {
						t.Fatal(broken.line, broken)
					}
					if n == test.document {
						if got := (writing{in: d}).line(test.path); got != test.want {
							t.Errorf("line %d, want %d", got, test.want)
						}
					}
					n++
				}
				if n <= test.document {
					t.Errorf("%d documents", n)
				}
			})
		}
	}
}

// Objects of one text that stand in a list twice have lines of their own.
func TestEachObjectOfAListInJSONHasItsLine(t *testing.T) {
	const pool = `{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a"}}`
	f, err := ReadPools("list.json", strings.NewReader("{\"kind\": \"List\", \"items\": [\n"+pool+",\n{\"kind\": \"List\", \"items\": [\n"+pool+"]}, {\"kind\": \"Node\"},\n"+pool+"]}\n\n["+pool+"]"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range f.Pools {
		lines = append(lines, p.Named.Line)
	}
	if diff := cmp.Diff([]int{2, 4, 5, 7}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestABrokenDocumentIsNamedWithItsLineAndDoesNotStopTheRest(t *testing.T) {
	const before, after = "# a comment\na: 1\n---\n", "\n---\nb: 2\n"
	for _, test := range []struct{ rule, broken, want string }{
		{"a list that is not closed", "kind: [Node", "4 not valid YAML: line 4: "},
		{"a tab", "kind:\n\tx: 1", "5 not valid YAML: line 5 is indented with a tab: write spaces there"},
		{"a tab after spaces", "kind:\n- a: 1\n \tb: 2\n", "6 not valid YAML: line 6 is indented with a tab: write spaces there"},
		{"a tab below what package yaml names", "kind:\n  - a: 10%\n\tb: 1\n\tc: 2", "6 not valid YAML: line 6 is indented with a tab: write spaces there"},
		{"no tab, but one elsewhere", "x: |\n  a\n  \ttext\nkind: [Node", "7 not valid YAML: line 7: "},
		{"a field that appears twice", "kind: 1\n\nkind: 2", `6 not valid YAML: line 6: mapping key "kind" already defined at line 4`},
		{"an alias of nothing", "kind: *x", "3 not valid YAML: unknown anchor 'x' referenced"},
		{"an alias of what it is in", "a: &a [*a]", "3 not valid YAML: anchor 'a' value contains itself"},
		{"a text that is not closed", "kind: \"x", "4 not valid YAML: line 4: "},
		{"an end, then something else", "a: 1\n...\nkind: [Node", "6 not valid YAML: line 6: "},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var got []string
			for d, broken := range documents(newSource([]byte(before + test.broken + after))) {
				if broken != nil {
					got = append(got, fmt.Sprint(broken.line, " ", broken))
				} else {
					got = append(got, string(d.json))
				}
			}
			last := len(got) - 1
			if last < 2 || got[0] != `{"a":1}` || got[last] != `{"b":2}` || !strings.HasPrefix(got[last-1], test.want) {
				t.Errorf("got %q, want %s", got, test.want)
			}
		})
	}
}

func TestDirectivesAndCommentsBelongToWhatComesAfterThem(t *testing.T) {
	text := "# one\n%YAML 1.1\n---\na: 1\n...\n# two\n%YAML 1.1\n---\nb: 2\n--- # three\n--- {c: 3}\n"
	var got []string
	for d, broken := range documents(newSource([]byte(text))) {
		if broken != nil {
			t.Fatal(broken.line, broken)
		}
		got = append(got, fmt.Sprint(writing{in: d}.line("a"), " ", string(d.json)))
	}
	want := []string{`4 {"a":1}`, `9 {"b":2}`, "11 null", `11 {"c":3}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
