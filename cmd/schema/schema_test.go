package schema_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/schema"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Files.ReadFile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// golden files of commands: a pattern that their paths have, and how many there are at least.
var golden = map[string]struct {
	files string
	least int
}{
	"blockers": {"blockers/testdata/*.json", 1},
	"decide":   {"decide/testdata/[^w]*.json", 3},
	"why":      {"decide/testdata/why-*.json", 2},
	"forecast": {"forecast/testdata/*.golden.json", 5},
	"plan":     {"planner/testdata/[^s]*.json", 1},
	"status":   {"planner/testdata/status*.json", 3},
	"lint":     {"lint/testdata/*.json", 1},
	"explain":  {"explain/testdata/*.json", 1},
}

// goldens returns the JSON that tests compare with what commands print.
func goldens(t *testing.T, command string) map[string]any {
	t.Helper()
	all := map[string]any{}
	files, err := filepath.Glob(filepath.Join("..", "internal", filepath.FromSlash(golden[command].files)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = doc
	}
	return all
}

func TestEveryCommandThatPrintsJSONHasASchema(t *testing.T) {
	entries, err := schema.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files, commands []string
	for _, e := range entries {
		if e.Name() != "disruptionpolicy.json" && e.Name() != "case.json" && e.Name() != "policytest.json" { // what no command prints
			files = append(files, strings.TrimSuffix(e.Name(), ".json"))
		}
	}
	for command := range golden {
		commands = append(commands, command)
	}
	slices.Sort(commands)
	if !slices.Equal(files, commands) {
		t.Errorf("there are schemas of %q, and golden files of %q", files, commands)
	}
}

func TestEveryGoldenFileIsAsItsSchemaSays(t *testing.T) {
	for command, of := range golden {
		s := compiled(t, command)
		files := goldens(t, command)
		if len(files) < of.least {
			t.Errorf("%s has only %d golden files", command, len(files))
		}
		for file, doc := range files {
			if err := s.Validate(doc); err != nil {
				t.Errorf("%s: %s: %v", command, file, err)
			}
		}
	}
}

// A blocker is the same in all answers, and so is a budget.
func TestWhatSchemasShareIsTheSame(t *testing.T) {
	first := map[string]any{}
	for command := range golden {
		text, err := schema.Files.ReadFile(command + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Defs map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"blocker", "source", "budget", "nodePool", "missing"} {
			def, known := doc.Defs[name], first[name]
			if first[name] == nil {
				first[name] = def
			} else if def != nil && !reflect.DeepEqual(def, known) {
				t.Errorf("%s: %s is another than elsewhere", command, name)
			}
		}
	}
}

// A schema that takes everything would pass as well.
func TestWhatTheSchemasDoNotSayIsRefused(t *testing.T) {
	for command, file := range map[string]string{
		"decide": "rfcs.json", "why": "why-held.json", "forecast": "bundled.golden.json", "lint": "findings.json", "plan": "rfcs.json",
		"explain": "codes.json", "status": "status-rfcs.json",
	} {
		s := compiled(t, command)
		doc, ok := goldens(t, command)[file].(map[string]any)
		if !ok {
			t.Fatalf("%s is not there", file)
		}
		for field := range doc {
			without := maps.Clone(doc)
			delete(without, field)
			if s.Validate(without) == nil {
				t.Errorf("%s: %s may be missing", command, field)
			}
			wrong := maps.Clone(doc)
			wrong[field] = json.Number("-1.5")
			if s.Validate(wrong) == nil {
				t.Errorf("%s: %s may be anything", command, field)
			}
		}
		more := maps.Clone(doc)
		more["surprise"] = true
		if s.Validate(more) == nil {
			t.Errorf("%s: there may be more", command)
		}
	}
}

// The example of the help of kubectl disruption test is one.
func TestTheExampleOfPolicyTestsHasItsSchema(t *testing.T) {
	help, err := os.ReadFile("../internal/forecast/policytest_print.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(help), "and tests:\n")
	example, _, _ = strings.Cut(example, "\n\nWithout")
	text, err := yaml.YAMLToJSON([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t, "policytest").Validate(doc); err != nil {
		t.Errorf("%v: %s", err, text)
	}
}
