package schema_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/disruptkit/disruptkit/examples/schema"
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

// goldens returns the JSON that tests compare with what commands print.
func goldens(t *testing.T, command string) map[string]any {
	t.Helper()
	all := map[string]any{}
	if command == "plan" {
		command = "planner" // the name of its package
	}
	files, err := filepath.Glob(filepath.Join("..", "internal", command, "testdata", "*.json"))
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
			continue // an input that is broken on purpose
		}
		if fields, ok := doc.(map[string]any); ok && fields["version"] != nil {
			all[filepath.Base(file)] = doc
		}
	}
	return all
}

func TestEveryGoldenFileIsAsItsSchemaSays(t *testing.T) {
	for command, least := range map[string]int{"decide": 3, "forecast": 15, "lint": 1, "plan": 1} {
		s := compiled(t, command)
		files := goldens(t, command)
		if len(files) < least {
			t.Errorf("%s has only %d golden files", command, len(files))
		}
		for file, doc := range files {
			if err := s.Validate(doc); err != nil {
				t.Errorf("%s: %s: %v", command, file, err)
			}
		}
	}
}

// A schema that takes everything would pass, too.
func TestWhatTheSchemasDoNotSayIsRefused(t *testing.T) {
	for command, file := range map[string]string{"decide": "bundled.json", "forecast": "bundled.golden.json", "lint": "findings.json", "plan": "bundled.json"} {
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
