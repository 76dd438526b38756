package karpenter_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/karpenter"
)

// annotationNames are those of annotations, some of them of none.
var annotationNames = rapid.SampledFrom(
	[]string{"disruption", "disruption", "topology", "repair", "pause", "probes", "most-specific", "memory", "memory", "rolls", "Topology"},
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

// Whatever somebody writes, nothing panics; what is no annotation blocks the pool, and the annotations that are
// budgets are all there.
func TestNoTextOfAnAnnotationIsLost(t *testing.T) {
	read := 0
	rounds(t, 60, func(t *rapid.T) {
		name := annotationNames.Draw(t, "name")
		text := drawText(t, name)
		p := karpenter.ToPolicy(annotatedPool(map[string]string{name: text}), nil)
		if name == "memory" {
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
