package annotation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/topology"
)

var since = time.Date(2026, 11, 20, 10, 20, 0, 0, time.UTC)

func in(domain string, idleSince time.Time) disruptkit.Memory {
	return disruptkit.Memory{Roll: topology.Roll{Key: zone, Domain: domain, IdleSince: idleSince}}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for rule, c := range map[string]struct {
		memory disruptkit.Memory
		want   string
	}{
		"a roll":                          {in("a", time.Time{}), `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}`},
		"that of nodes without the label": {in("", time.Time{}), `{"roll":{"key":"topology.kubernetes.io/zone","domain":""}}`},
		"one that is idle":                {in("a", since), `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a","idleSince":"2026-11-20T10:20:00Z"}}`},
		"one that is idle, on the clocks of Berlin": {
			in("a", since.In(time.FixedZone("", 3600))), `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a","idleSince":"2026-11-20T10:20:00Z"}}`,
		},
		"a back-off, on the clocks of Berlin": {
			disruptkit.Memory{Backoff: disruptkit.Backoff{Level: 2, Until: since.In(time.FixedZone("", 3600))}}, `{"backoff":{"level":2,"until":"2026-11-20T10:20:00Z"}}`,
		},
		"slots that soak, on the clocks of Berlin": {
			disruptkit.Memory{Soak: disruptkit.Soaking{For: "10m", Since: since.In(time.FixedZone("", 3600)), Slots: []disruptkit.Slot{
				{Node: "a", Reason: "Drifted", Since: since.In(time.FixedZone("", 3600)), Seen: true}, {Node: "b", Seen: true},
			}}},
			`{"soak":{"for":"10m","since":"2026-11-20T10:20:00Z","places":[{"node":"a","reason":"Drifted","since":"2026-11-20T10:20:00Z","seen":true},{"node":"b","seen":true}]}}`,
		},
		"starts, on the clocks of Berlin": {
			disruptkit.Memory{Starts: []disruptkit.Start{{Node: "a", Reason: "Drifted/AMIDrift", At: since.In(time.FixedZone("", 3600)), Seen: true}, {Node: "b", At: since}}},
			`{"starts":[{"node":"a","reason":"Drifted/AMIDrift","at":"2026-11-20T10:20:00Z","seen":true},{"node":"b","at":"2026-11-20T10:20:00Z"}]}`,
		},
	} {
		t.Run(rule, func(t *testing.T) {
			text, err := annotation.MemoryText(c.memory)
			if text != c.want || err != nil {
				t.Errorf("got %s (%v), want %s", text, err, c.want)
			}
			m, warnings := annotation.ReadMemory("NodePool/p", map[string]string{annotation.Memory: text})
			if !m.Equal(c.memory) || len(warnings) > 0 {
				t.Errorf("%s is read as %+v (%v)", text, m, warnings)
			}
		})
	}
	if text, err := annotation.MemoryText(disruptkit.Memory{}); text != "" || err != nil {
		t.Errorf("nothing to remember is %q (%v)", text, err)
	}
	if text, err := annotation.MemoryText(in("a", time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))); err == nil {
		t.Errorf("a time that JSON cannot express is %s", text)
	}
}

func TestRead(t *testing.T) {
	const newest = `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}`
	annotated := func(text string) map[string]string { return map[string]string{annotation.Memory: text} }
	for _, c := range []struct {
		rule        string
		annotations map[string]string
		want        disruptkit.Memory
		warnings    []string
	}{
		{rule: "no annotations"},
		{rule: "annotations of others", annotations: map[string]string{"disruptkit.dev/probes": "[]"}},
		{rule: "the memory", annotations: annotated(newest), want: in("a", time.Time{})},
		{
			rule: "a memory that is broken", annotations: annotated("x"),
			warnings: []string{`invalid-annotation NodePool/p: metadata.annotations[disruptkit.dev/memory]: "x" is no memory: it is not a JSON object: write text such as ` +
				`'{"roll":{"key":"topology.kubernetes.io/zone","domain":"us-west-2a"}}', or remove the annotation`},
		},
		{rule: "a memory of nothing", annotations: annotated(`{}`)},
		{rule: "a memory of a later version", annotations: annotated(`{"tides":["2026-11-20T10:20:00Z"],` + newest[1:]), want: in("a", time.Time{})},
		{rule: "a roll of a later version", annotations: annotated(`{"roll":{"wave":2,"key":"topology.kubernetes.io/zone","domain":"a"}}`), want: in("a", time.Time{})},
		{rule: "a memory of a later version, without a roll", annotations: annotated(`{"tides":[2]}`)},
		{rule: "members that are null", annotations: annotated(`{"roll":{"key":"topology.kubernetes.io/zone","domain":"a","idleSince":null}}`), want: in("a", time.Time{})},
		{rule: "a roll that is null", annotations: annotated(`{"roll":null}`)},
		{rule: "a roll of no key is none", annotations: annotated(`{"roll":{"key":"","domain":"a"}}`)},
		{rule: "blanks around it", annotations: annotated("\n " + newest + "\n"), want: in("a", time.Time{})},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, warnings := annotation.ReadMemory("NodePool/p", c.annotations)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var texts []string
			for _, w := range warnings {
				texts = append(texts, string(w.Code)+" "+w.Error())
				if w.Value != c.annotations[strings.TrimSuffix(strings.TrimPrefix(w.Field, "metadata.annotations["), "]")] {
					t.Errorf("%s is not about what is written", w.Value)
				}
			}
			if diff := cmp.Diff(c.warnings, texts); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}

// disruptkit.Memory: "Losing it exceeds no limit that holds at one time." So what is broken is nothing to remember.
func TestWhatIsBrokenIsNothingToRemember(t *testing.T) {
	for _, c := range []struct{ rule, memory, want string }{
		{"nothing", ``, "it is not a JSON object"},
		{"a zone alone", `us-west-2a`, "it is not a JSON object"},
		{"YAML", "roll: {}", "it is not a JSON object"},
		{"a list", `[1]`, "it is not a JSON object"},
		{"null", `null`, "it is not a JSON object"},
		{"a huge text", strings.Repeat("x", 250_000), "it is not a JSON object"},
		{"JSON that was cut off", `{"roll":{"key":`, "unexpected end of JSON input"},
		{"JSON, then something else", `{} {}`, "invalid character '{' after top-level value"},
		{"no key", `{"roll":{"domain":"a"}}`, "the roll has no key"},
		{"a key that is null", `{"roll":{"key":null,"domain":"a"}}`, "the roll has no key"},
		{"no domain", `{"roll":{"key":"zone"}}`, "the roll has no domain"},
		{"a domain that is no text", `{"roll":{"key":"zone","domain":2}}`, "domain cannot be of type number"},
		{"a roll that is not an object", `{"roll":"a"}`, "roll cannot be of type string"},
		{"a time that is none", `{"roll":{"key":"zone","domain":"a","idleSince":"10:20"}}`, `"10:20" is not a time such as 2026-11-20T10:30:00Z`},
		{"a time whose year in UTC is 10000", `{"roll":{"key":"zone","domain":"a","idleSince":"9999-12-31T23:30:00-01:00"}}`, `year outside of range [0,9999]`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			m, warnings := annotation.ReadMemory("NodePool/p", map[string]string{annotation.Memory: c.memory})
			if !m.Equal(disruptkit.Memory{}) || len(warnings) != 1 {
				t.Fatalf("%+v, warnings %v", m, warnings)
			}
			w := warnings[0]
			if w.Code != candidate.CodeInvalidAnnotation || w.Field != "metadata.annotations["+annotation.Memory+"]" || w.Value != c.memory {
				t.Errorf("got %s of %s", w.Code, w.Field)
			}
			if !strings.Contains(w.Message, c.want+": write text such as '{") || len(w.Message) > 400 || strings.Contains(w.Message, "\n") {
				t.Errorf("%.500q does not say %s", w.Message, c.want)
			}
		})
	}
}
