package karpenter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/topology"
)

// aliasBomb is YAML of a few lines that says billions of things.
func aliasBomb() string {
	text := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'l'; c++ {
		text += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8), c-1)
	}
	return text
}

func TestWhatIsWrongWithAnAnnotationHoldsBackThePool(t *testing.T) {
	for _, tt := range []struct {
		name, annotation, text string
		says                   []string // in the message
	}{
		{"an empty text", "disruption", "", []string{`""`, "leave the annotation out"}},
		{"a comment alone", "topology", "# later", []string{`"# later"`, "leave the annotation out"}},
		{"text that is not an object", "disruption", "ten", []string{`"ten" is not an object`, "write one such as {}"}},
		{"a list that is not an object", "disruption", `[{nodes: "1"}]`,
			[]string{`[{"nodes":"1"}] is not an object`, "write one such as {}"}},
		{"a field that nobody knows", "disruption", "budget: []", []string{`"budget" is unknown`, `write "budgets"`}},
		{"a field in other case", "disruption", "Budgets: []", []string{`"Budgets" is unknown`, `write "budgets"`}},
		{"a whole spec", "disruption", "disruption: {budgets: []}",
			[]string{`"disruption" is unknown`, "write one of budgets"}},
		{"an object that is not a list", "disruption", "budgets: {nodes: 1}",
			[]string{`{"nodes":1} is not valid`, "write a list"}},
		{"a field of a budget that nobody knows", "disruption", "budgets: [{node: 1}]",
			[]string{`"node" is unknown`, `write "nodes"`}},
		{"a number of nodes that is neither", "disruption", "budgets: [{nodes: true}]",
			[]string{"true is neither a string nor a number", "write a count"}},
		{"a key that appears twice", "disruption", "budgets: [{nodes: 0}]\nbudgets: []",
			[]string{`key "budgets" already set`, "write one object or list, with each key once"}},
		{"tabs", "disruption", "budgets:\n\t- nodes: 1", []string{`\t- nodes`, "write spaces instead of tabs"}},
		{"two documents", "disruption", "budgets: []\n---\nbudgets: [{nodes: 0}]",
			[]string{`---`, "more than one document", "write one"}},
		{"an object that does not end", "disruption", `{"budgets": [`,
			[]string{`"{\"budgets\": ["`, "neither YAML nor JSON"}},
		{"an alias bomb", "disruption", aliasBomb(), []string{"excessive aliasing"}},
		{"a huge text", "disruption", "budgets: " + strings.Repeat("x", 250_000),
			[]string{"is not valid", "write a list"}},
		{"probes among budgets", "disruption", "disruptionProbes: [{host: health.svc, port: 80}]",
			[]string{"disruptionProbes", "write them as the annotation disruptkit.dev/probes"}},
		{"a wait that nobody waits for", "disruption", "consolidateAfter: 5m",
			[]string{"5m", "write it under spec.disruption of the NodePool"}},
		{"yes", "most-specific", "yes", []string{`"yes"`, "write true or false"}},
		{"nothing, in place of true", "most-specific", "", []string{`""`, "write true or false"}},
		{"a probe that is not a list", "probes", "host: health.svc", []string{"an object is not a list", "write one such as"}},
		{"a probe without a port", "probes", "[{host: health.svc}]",
			[]string{"disruptionProbes[0]: port: it is missing", "write a number"}},
		{"a probe with a wrong port", "probes", "[{host: health.svc, port: 99999}]",
			[]string{"99999 is not a port", "write a number"}},
		{"a list that is not an object of options", "topology", "[]",
			[]string{`"[]" is not an object`, "write one such as {patience: 15m}"}},
		{"a number that is not a duration", "topology", "patience: 15",
			[]string{`"patience": 15 `, "write a duration such as 15m"}},
		{"a duration in words", "topology", "soak: 5 minutes",
			[]string{`"soak": "5 minutes" `, "write a duration such as 15m"}},
		{"a duration of nothing", "topology", "soak: 0s", []string{`"0s"`, "write a duration such as 15m"}},
		{"an option that nobody knows", "topology", "patiense: 5m",
			[]string{`"patiense" is unknown`, `write "patience"`}},
		{"a choice that is none", "topology", "unlabelled: exempt", []string{`"exempt"`, "write TakeTurn, Exempt or Block"}},
		{"text that is no truth", "topology", `unsettled: "true"`, []string{`"true"`, "write true or false"}},
		{"repair that is not an object", "repair", "backOff", []string{`"backOff" is not an object`, "write one such as {backOff: true}"}},
		{"an option of repair that nobody knows", "repair", "backoff: true", []string{`"backoff" is unknown`, `write "backOff"`}},
		{"a back-off that is neither", "repair", "backOff: 5m", []string{`"5m"`, "write true or false"}},
		{"a pause of some time", "pause", "2h", []string{`"2h" is not a pause`, "write a time such as 2026-11-22T14:00:00Z, true, or an object"}},
		{"an option of a pause that nobody knows", "pause", "Until: 2026-11-22T14:00:00Z", []string{`"Until" is unknown`, `write "until"`}},
		{"an annotation that nobody knows", "disruptions", "{}", []string{"write one of", "disruptkit.dev/disruption, "}},
		{"an annotation without a name", "", "", []string{"write one of"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := karpenter.ToPolicy(annotatedPool(map[string]string{tt.annotation: tt.text}), nil)
			if len(p.Blockers) != 1 || len(p.Warnings) != 1 {
				t.Fatalf("blockers %v, warnings %v", p.Blockers, p.Warnings)
			}
			b, w, name := p.Blockers[0], p.Warnings[0], "disruptkit.dev/"+tt.annotation
			if b.Gate != candidate.GateBudget || b.Code != candidate.CodeInvalidAnnotation ||
				b.Message != "annotation "+name+" of the NodePool: "+w.Message {
				t.Errorf("%+v", b)
			}
			if w.Code != candidate.CodeInvalidAnnotation || w.Object != "NodePool/default" ||
				w.Field != "metadata.annotations["+name+"]" ||
				w.Value != tt.text {
				t.Errorf("%s %s %s", w.Code, w.Object, w.Field)
			}
			for _, part := range tt.says {
				if !strings.Contains(w.Message, part) {
					t.Errorf("%q does not say %s", w.Message, part)
				}
			}
			if len(w.Message) > 400 || strings.Contains(w.Message, "\n") {
				t.Errorf("%d bytes on one or more lines: %.500q", len(w.Message), w.Message)
			}
		})
	}
}

func TestABrokenBudgetOfTheAnnotationAllowsNothing(t *testing.T) {
	p := karpenter.ToPolicy(annotatedPool(map[string]string{"disruption": "budgets: [{nodes: 5}, {nodes: ten}]"}), nil)
	if len(p.Blockers) > 0 || p.Budgets.Broken().String() != "1" || allowed(p, noon, 10, candidate.Drifted) != 0 {
		t.Errorf("%v, broken %s", p.Blockers, p.Budgets.Broken())
	}
	if w := p.Budgets.Warnings(); len(w) != 1 || w[0].Field != "disruptkit.dev/disruption budgets[1].nodes" || w[0].Value != "ten" {
		t.Errorf("%+v", w)
	}
}

func TestSeveralAnnotationsAreEachToldOf(t *testing.T) {
	p := karpenter.ToPolicy(annotatedPool(map[string]string{
		"disruption": "budget: []", "most-specific": "", "topology": "[]", "probes": "", "memory": "",
		"e": "", "c": "", "a": "", "d": "", "b": "", "f": "",
	}), nil)
	var fields []string
	for _, w := range p.Warnings {
		fields = append(fields, strings.TrimSuffix(strings.TrimPrefix(w.Field, "metadata.annotations[disruptkit.dev/"), "]"))
	}
	want := []string{"disruption", "most-specific", "topology", "probes", "a", "b", "c", "d", "e", "f", "memory"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	if len(p.Blockers) != 10 { // what is remembered is no limit
		t.Error(p.Blockers)
	}
}

func TestOptionsForZones(t *testing.T) {
	for text, want := range map[string]topology.Options{
		"{}":                                {},
		"patience: 15m":                     {Patience: 15 * 60e9},
		"patience: Never":                   {Patience: candidate.Forever},
		"soak: 1h30m":                       {Soak: 90 * 60e9},
		"unlabelled: TakeTurn":              {},
		"unlabelled: Exempt":                {Unlabelled: topology.Exempt},
		"unlabelled: Block":                 {Unlabelled: topology.Block},
		"unsettled: true":                   {Unsettled: true},
		`{"patience":null,"soak":"5m"}`:     {Soak: 5 * 60e9},
		"patience: 1m\nunsettled: false\n":  {Patience: 60e9},
		"---\n{soak: 1m, unlabelled: null}": {Soak: 60e9},
	} {
		t.Run(text, func(t *testing.T) {
			p := karpenter.ToPolicy(annotatedPool(map[string]string{"topology": text}), nil)
			if diff := cmp.Diff(want, p.Topology); diff != "" || len(p.Warnings) > 0 {
				t.Error(diff, p.Warnings)
			}
		})
	}
}

// annotationNames are those of annotations, some of them of none.
var annotationNames = rapid.SampledFrom(
	[]string{"disruption", "disruption", "topology", "repair", "pause", "probes", "most-specific", "memory", "roll", "rolls", "Topology"},
)

// annotationParts are what annotations are made of.
var annotationParts = rapid.SampledFrom([]string{
	"budgets", "nodes", "reasons", "schedule", "duration", "drift", "defaults", "disruptAfter", "disruptionProbes",
	"consolidateAfter", "host", "port",
	"patience", "soak", "unlabelled", "unsettled", "key", "domain", ": ", ":", "{", "}", "[", "]", ",", ", ", "\"", "'",
	"\n", "\n  ", "\n- ", "\t", "---\n", "...\n",
	"&a ", "*a", "<<: ", "!!str ", "!!binary ", "|\n ", "? ", "#", "%YAML 1.2\n", "null", "true", "15m", "1h", "Never",
	"0 9 * * *", "5", "10%", "0", "-1", "1e999", ".inf",
	"Drifted", "Exempt", "\x00", "\xff", "\ufeff", "é", `\u0000`,
})

// wellWritten are annotations that can be read.
var wellWritten = map[string][]string{
	"disruption": {
		`{"budgets": [{"nodes": "1", "topologyKey": "zone"}]}`, "budgets:\n- nodes: 10%\n  reasons: [Drifted]\n",
		"drift:\n  disruptAfter: 1h\n",
		"budgets: [{schedule: 0 9 * * *, duration: 8h}, {}]\nconsolidateAfter: Never",
	},
	"topology":      {"patience: 15m\nsoak: 5m\n", `{"unlabelled":"Exempt","unsettled":true}`},
	"probes":        {`[{"host": "health.svc", "port": 80}]`, "- host: health.svc\n  port: 80\n"},
	"most-specific": {"true", "false"},
	"pause":         {"true", "2026-11-22T14:00:00Z", "{until: 2026-11-22T14:00:00Z, by: alice, why: INC-1234}", `{"reasons": ["Drifted"], "zones": ["a"]}`},
	"repair":        {"backOff: true", `{"backOff": false}`},
	"memory":        {`{"roll":{"key":"zone","domain":"a"}}`, `{"roll":{"key":"zone","domain":"a","idleSince":"2026-11-20T12:00:00Z"},"starts":[]}`},
	"roll":          {`{"key":"zone","domain":"a"}`, `{"key":"zone","domain":"a","idleSince":"2026-11-20T12:00:00Z"}`},
}

// drawText draws the text of an annotation: anything, its parts in any order, or one that is well written but in one
// place.
func drawText(t *rapid.T, name string) string {
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return rapid.String().Draw(t, "text")
	case 1:
		return strings.Join(rapid.SliceOfN(annotationParts, 0, 12).Draw(t, "parts"), "")
	}
	text := rapid.SampledFrom(append([]string{"{}"}, wellWritten[name]...)).Draw(t, "text")
	from := rapid.IntRange(0, len(text)).Draw(t, "from")
	to := min(from+rapid.IntRange(0, 3).Draw(t, "length"), len(text))
	return text[:from] + rapid.OneOf(rapid.Just(""), annotationParts).Draw(t, "instead") + text[to:]
}

// fieldsOf are the fields that the objects of annotations may have.
var fieldsOf = map[string][]string{
	"disruption": {
		"budgets",
		"consolidationPolicy",
		"consolidateAfter",
		"defaults",
		"consolidation",
		"drift",
		"expiration",
		"emptiness",
		"expireAfter",
	},
	"topology": {"patience", "soak", "unlabelled", "unsettled"},
	"repair":   {"backOff"},
	"pause":    {"from", "until", "by", "why", "reasons", "zones", "key", "domains"},
}

// mayBeRead reports whether a text is one that an annotation could be, judged coarsely, and by other means.
func mayBeRead(name, text string) bool {
	var value any
	if yaml.Unmarshal([]byte(text), &value) != nil {
		return false
	}
	if name == "pause" {
		if text, is := value.(string); is {
			_, err := time.Parse(time.RFC3339, text)
			return err == nil
		} else if _, is := value.(bool); is {
			return true
		}
	}
	switch name {
	case "disruption", "topology", "repair", "pause":
		object, is := value.(map[string]any)
		for field := range object {
			is = is && strings.Contains(" "+strings.Join(fieldsOf[name], " ")+" ", " "+field+" ")
		}
		return is
	case "probes":
		_, is := value.([]any)
		return is
	case "most-specific":
		return text == "true" || text == "false"
	}
	return false
}

// Whatever somebody writes, nothing panics; what is no annotation holds back the pool, and the annotations that are
// budgets are all there.
func TestNoTextOfAnAnnotationIsLost(t *testing.T) {
	read := 0
	rounds(t, 60, func(t *rapid.T) {
		name := annotationNames.Draw(t, "name")
		text := drawText(t, name)
		p := karpenter.ToPolicy(annotatedPool(map[string]string{name: text}), nil)
		if name == "memory" || name == "roll" {
			if remembers := !p.Memory.Equal(disruptkit.Memory{}); len(p.Blockers) > 0 || remembers && len(p.Warnings) > 0 ||
				len(p.Warnings) == 0 && !json.Valid([]byte(text)) {
				t.Fatalf("%+v, %v, %v", p.Memory, p.Blockers, p.Warnings)
			}
			return
		}
		if len(p.Blockers) != len(p.Warnings) {
			t.Fatalf("blockers %v, warnings %v", p.Blockers, p.Warnings)
		}
		if len(p.Blockers) > 0 {
			if len(p.Warnings[0].Message) > 2000 {
				t.Fatalf("%d bytes", len(p.Warnings[0].Message))
			}
			return
		}
		if !mayBeRead(name, text) {
			t.Fatalf("nothing is wrong with %s", name)
		}
		var written struct{ Budgets []any }
		if name == "disruption" && yaml.Unmarshal([]byte(text), &written) == nil &&
			len(p.Budgets.Budgets()) < len(written.Budgets) {
			t.Fatalf("%d budgets are written, %v read", len(written.Budgets), p.Budgets.Budgets())
		}
		read++
	})
	if read == 0 && !testing.Short() {
		t.Error("no text could be read")
	}
	t.Logf("%d texts could be read", read)
}
