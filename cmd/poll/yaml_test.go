package poll_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

func TestYAMLSaysTheSameAsJSON(t *testing.T) {
	for _, test := range []struct{ rule, body, want string }{
		{"the RFC's sample of a structured response", "deniedActions:\n  - drift\n", `{"deniedActions":["drift"]}`},
		{"the RFC's sample of a cluster's response", `deniedActions:
- name: drift
  clusterWide: false # If flipped to true, the nodePools parameter is ignored and drift is blocked cluster-wide
  nodePools:
    labels: [ "a-specific-az", "my-gpu-nodes", "my-specific-nodepool" ]
`, `{"deniedActions":[{"clusterWide":false,"name":"drift","nodePools":{"labels":["a-specific-az","my-gpu-nodes","my-specific-nodepool"]}}]}`},
		{"nothing denied", "deniedActions: []", `{"deniedActions":[]}`},
		{"nothing there", "deniedActions:", `{"deniedActions":null}`},
		{"flow style", "{deniedActions: [drift, 'emptiness']}", `{"deniedActions":["drift","emptiness"]}`},
		{"JSON is left as it is, that appears twice as well", ` {"a":1, "a":[true,  null]}`, ` {"a":1, "a":[true,  null]}`},
		{"JSON of one line more than JSON", "{\"deniedActions\": [\n\"drift\", # while we look\n]}", `{"deniedActions":["drift"]}`},
		{"a document start and end", "---\ndeniedActions: []\n...\n", `{"deniedActions":[]}`},
		{"a list", "- drift", `["drift"]`},
		{"numbers, and what is null or true", "{a: 1, b: -0.5, c: ~, d: true, e: 0x10}", `{"a":1,"b":-0.5,"c":null,"d":true,"e":16}`},
		{"texts that look like something else", `{a: "1", b: 'true', c: !!str 5, "true": x, !!str 6: y}`, `{"6":"y","a":"1","b":"true","c":"5","true":"x"}`},
		{"a time is text", "a: 2026-11-20", `{"a":"2026-11-20"}`},
		{"yes and no are texts, which are no booleans", "a: yes", `{"a":"yes"}`},
		{"an anchor that nobody uses", "a: &x [drift]", `{"a":["drift"]}`},
		{"characters that HTML minds", "a: <drift> & more", `{"a":"<drift> & more"}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := poll.YAML([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestYAMLThatIsRefused(t *testing.T) {
	const none = ", and says nothing in YAML: write deniedActions: [] to deny nothing"
	for _, test := range []struct{ rule, body, want string }{
		{"nothing", "", "the body is empty: write deniedActions: [] to deny nothing"},
		{"a comment", "# all is well\n", "the body is empty: write deniedActions: [] to deny nothing"},
		{"null", "--- # all is well", `the body begins with "--- # all is well"` + none},
		{"text", "OK", `the body begins with "OK"` + none},
		{"HTML", "<html><body>502 Bad Gateway</body></html>", `the body begins with "<html><body>502 Bad Gateway</body></html"` + none},
		{"HTML that is no YAML", "<html>\n\t<p style=\"x: y\">a: b: c</p>", "the body is neither JSON nor YAML: yaml: "},
		{"a second document", "deniedActions: []\n---\ndeniedActions: [drift]\n", "the body has more than one document: write one, without ---"},
		{"a second document that is empty", "deniedActions: []\n---\n", "the body has more than one document: write one, without ---"},
		{"something after it", `{"deniedActions": []} or so`, "the body is neither JSON nor YAML: yaml: "},
		{"JSON that is cut off", `{"deniedActions": ["drift"`, "the body is neither JSON nor YAML: yaml: "},
		{"a key that appears twice", "deniedActions: [drift]\ndeniedActions: []", `yaml: unmarshal errors: line 2: mapping key "deniedActions" already defined at line 1: write each key once`},
		{"the same, deep down", "a: [{b: {c: 1,\n'c': 2}}]", `yaml: unmarshal errors: line 2: mapping key "c" already defined at line 1: write each key once`},
		{"a key that is a number", "1: x", `line 1: the key "1" is not a string: write it in quotes`},
		{"a key that is true", "true: x", `line 1: the key "true" is not a string: write it in quotes`},
		{"a key that is null", "? \n: x", `line 1: the key "" is not a string: write it in quotes`},
		{"a key that is a list", "? [a]\n: x", `line 1: the key "" is not a string: write it in quotes`},
		{"a key that is an alias", "a: &a b\n*a : c", `line 2: the key "a" is not a string: write it in quotes`},
		{"an alias", "a: &x [drift]\nb: *x", "line 2: *x is an alias: write what it stands for"},
		{"an alias in itself", "a: &x [*x]", "line 1: *x is an alias: write what it stands for"},
		{"a merge", "a: &x {b: c}\nd:\n  <<: *x", `line 3: the key "<<" is not a string: write it in quotes`},
		{"a type of its own", "a: !secret b", `line 1: nobody knows the tag "!secret" here: leave it out`},
		{"bytes", "a: !!binary ZHJpZnQ=", `line 1: nobody knows the tag "!!binary" here: leave it out`},
		{"a list that says it is text", "deniedActions: !!str []", `line 1: nobody knows the tag "!!str" here: leave it out`},
		{"a list of a type of its own", "deniedActions: !removed []", `line 1: nobody knows the tag "!removed" here: leave it out`},
		{"a set", "!!set {deniedActions: []}", `line 1: nobody knows the tag "!!set" here: leave it out`},
		{"a number that is none", "a: !!int drift", "yaml: "},
		{"a number without end", "a: .inf", "json: unsupported value: +Inf"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := poll.YAML([]byte(test.body))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %s and the error %v, want %s", got, err, test.want)
			}
		})
	}
}

// mostBytes is the length of the longest body that package httpget accepts.
const mostBytes = 64 << 10

func TestHostileYAMLIsRefusedOrSmall(t *testing.T) {
	fill := func(head, part, tail string) string {
		return head + strings.Repeat(part, (mostBytes-len(head)-len(tail))/len(part)) + tail
	}
	for rule, body := range map[string]string{
		"a long text many times":     fill("a: &a "+strings.Repeat("x", mostBytes/2)+"\nb: [", "*a,", "]"),
		"lists in lists":             fill("", "[", ""),
		"lists in lists that close":  strings.Repeat("[", mostBytes/2) + strings.Repeat("]", mostBytes/2),
		"blocks in blocks":           fill("a:\n", "- ", "x"),
		"questions":                  fill("", "? ", "x"),
		"many fields":                fill("", "{a: ", ""),
		"many documents":             fill("", "---\n", ""),
		"many anchors":               fill("", "&a ", "x"),
		"many tags":                  fill("", "!a ", "x"),
		"many quotes":                fill("", "'' ", "x"),
		"directives":                 fill("", "%a\n", "x"),
		"many aliases of each other": "a: &a [x,x,x,x,x,x,x,x,x]\n" + fill("b: &b [", "*a,", "]"),
	} {
		t.Run(rule, func(t *testing.T) {
			out, err := poll.YAML([]byte(body))
			if err == nil && (len(out) > 2*mostBytes || !json.Valid(out)) {
				t.Errorf("%d bytes became %d", len(body), len(out))
			}
		})
	}
}

// What comes out of the decoder is what the verdict is made of.
func TestABodyInYAMLDenies(t *testing.T) {
	p := httpget.Spec{Name: "health", Host: "127.0.0.1", Port: 80, Mode: httpget.BodyMode}
	for _, test := range []struct{ rule, body, want string }{ // what it begins with
		{"nothing", "deniedActions: []", "health: all nodes are allowed"},
		{"drift", "deniedActions:\n- drift\n", "health: it denies Drifted"},
		{"an action that nobody knows", "deniedActions: [<none>]", `health: it denies everything (deniedActions[0]: "<none>" is not a known action`},
		{"a field that nobody knows", "denied: []", `health: its answer is not understood: `},
		{"a list", "- drift", `health: its answer is not understood: `},
	} {
		t.Run(test.rule, func(t *testing.T) {
			o := httpget.Decoder(poll.YAML).Observe(p, probe.Observation{}, httpget.Response{At: t0, Status: 200, Body: []byte(test.body)})
			v := probe.ProbeVerdict(p.Probe(), o, t0)
			_, blocked := v.Blocker(candidate.Drifted, "gpu", nil, t0)
			if v.StaleAt = zero; !strings.HasPrefix(v.String(), test.want) || blocked == strings.HasSuffix(test.want, "all nodes are allowed") {
				t.Errorf("got %v; blocked: %t", v, blocked)
			}
		})
	}
}

func FuzzYAML(f *testing.F) {
	for _, body := range []string{"deniedActions:\n- drift", "{a: [1, ~], 'b': !!str 5}", "a: &x 1\nb: *x", "---\n...\n", "<html>", `{"a": 1}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := poll.YAML(body)
		if err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", body, out)
		}
	})
}
