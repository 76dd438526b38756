package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/disruptkit/disruptkit/cmd/schema"
)

func caseSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Files.ReadFile("case.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("case.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("case.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEachCaseIsAsTheSchemaSays(t *testing.T) {
	s := caseSchema(t)
	random, errs, status := ran(nil, "cases", "--random", "240", "--seed", "7")
	if status != 0 {
		t.Fatal(errs)
	}
	for line := range strings.Lines(string(bundledCases(t)) + random) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = s.Validate(doc)
		}
		if err != nil {
			t.Fatalf("%v\n%.2000s", err, line)
		}
	}
}

// A schema that takes everything would pass as well.
func TestTheSchemaOfCasesRefusesWhatItDoesNotKnow(t *testing.T) {
	s := caseSchema(t)
	const good = `{"version": "2", "name": "a", "reason": "Drifted", "input": {"now": "2026-11-20T12:00:00Z", "nodes": [{"name": "n", "phase": "Running"}]}}`
	for _, row := range []struct{ from, to string }{
		{"", ""},
		{`"version": "2"`, `"version": "1"`}, {`"name": "a", `, ``}, {`"nodes"`, `"node"`}, {`"Running"`, `"Runing"`},
		{`"2026-11-20T12:00:00Z"`, `"today"`}, {`"name": "n"`, `"name": "n", "age": 3`},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(good, row.from, row.to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); (err == nil) != (row.from == "") {
			t.Errorf("%s for %s: %v", row.to, row.from, err)
		}
	}
}
