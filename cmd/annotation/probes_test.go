package annotation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// The example of the RFC, with the defaults that it leaves out:
//
//	disruptionProbes:
//	  - path: "/healthz"
//	    port: 8080
//	    host: "myclusterhealth.svc.local"
//	    scheme: "http"
const example = `{"path": "/healthz", "port": 8080, "host": "myclusterhealth.svc.local", "scheme": "http"}`

var exampleRead = httpget.Spec{Mode: httpget.StatusMode, Scheme: "http", Host: "myclusterhealth.svc.local", Port: 8080, Path: "/healthz",
	TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 21}

// The newer name means the same, but the body is what its answers are read by.
func TestTheNewerNameDiffersInItsModeAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]string{"", `, "mode": "status"`, `, "mode": "body"`, `, "mode": "cluster"`}).Draw(t, "mode")
		port := rapid.IntRange(-1, 70_000).Draw(t, "port")
		list := fmt.Sprintf(`[{"host": "a", "port": %d%s}]`, port, mode)
		older, err := annotation.ParseField(annotation.ProbesField, []byte(list))
		newer, err2 := annotation.ParseField(annotation.ReadinessField, []byte(`{"httpProbes": `+list+`}`))
		alone, err3 := annotation.ParseProbes([]byte(`{"httpProbes": ` + list + `}`))
		if len(older) != 1 || len(newer) != 1 || (err == nil) != (err2 == nil) || (err == nil) != (err3 == nil) {
			t.Fatalf("%v %v; %v %v; %v", older, err, newer, err2, err3)
		}
		if diff := cmp.Diff(newer, alone); diff != "" {
			t.Errorf("with its name, and without: %s", diff)
		}
		want := older[0]
		if mode == "" {
			want.Mode = httpget.BodyMode
		}
		if want.Broken != "" {
			want.Name = "httpProbes[0]"
		}
		if diff := cmp.Diff(want, newer[0]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAFieldThatCannotBeReadBlocks(t *testing.T) {
	for _, c := range []struct {
		name, field, value string
		says               []string
	}{
		{"the newer name without probes", "disruptionReadiness", `{}`, []string{"disruptionReadiness has no httpProbes", "write one such as"}},
		{"the newer name with a list", "disruptionReadiness", `[` + example + `]`, []string{"a list is not an object", "write one such as"}},
		{"the newer name with another field", "disruptionReadiness", `{"tcpProbes": []}`, []string{`"tcpProbes" is unknown`, "httpProbes"}},
		{"the newer name twice", "disruptionReadiness", `{"httpProbes": [` + example + `], "httpProbes": []}`, []string{`"httpProbes" appears twice`}},
		{"an object instead of the list", "disruptionProbes", `{"host": "health", "port": 80}`, []string{"not a list", "write one such as"}},
		{"the value of the newer name", "disruptionProbes", `{"httpProbes": [` + example + `]}`, []string{"not a list", "write one such as"}},
		{"half of it", "disruptionProbes", `[{"host": `, []string{"malformed"}},
		{"nothing", "disruptionProbes", ``, []string{"nothing is not a list"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			probes, err := annotation.ParseField(c.field, []byte(c.value))
			if err == nil || len(probes) != 1 {
				t.Fatalf("%v, %v", probes, err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%s does not say %s", err, s)
				}
			}
			v := judged(probes[0])
			if v.Allowed || v.Code != "invalid-probe" || !strings.HasPrefix(v.Probe, "disruption") || !strings.Contains(v.Cause, err.Error()) {
				t.Errorf("it says %s", v)
			}
		})
	}
}

// judged returns the verdict of a probe that was answered well just now.
func judged(p httpget.Spec) probe.Verdict {
	return probe.ProbeVerdict(p.Probe(), probe.Observation{At: noon, Healthy: true, Streak: 1_000_000}, noon)
}

func TestFieldsOfAnEntry(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		want        httpget.Spec // before defaults
	}{
		{"all", `{"name": "health", "mode": "body", "scheme": "HTTPS", "host": "h", "port": 1, "path": "/x?y", "httpHeaders": [{"name": "A", "value": "b"}, {"name": "A", "value": "c"}],
			"timeoutSeconds": 2, "periodSeconds": 3, "successThreshold": 4, "failureThreshold": 5, "maxAgeSeconds": 6}`,
			httpget.Spec{Name: "health", Mode: "body", Scheme: "HTTPS", Host: "h", Port: 1, Path: "/x?y", HTTPHeaders: []httpget.Header{{Name: "A", Value: "b"}, {Name: "A", Value: "c"}},
				TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6}},
		{"the RFC's", example, httpget.Spec{Scheme: "http", Host: "myclusterhealth.svc.local", Port: 8080, Path: "/healthz"}},
		{"a port as text, as Kubernetes takes it", `{"host": "h", "port": "8080"}`, httpget.Spec{Host: "h", Port: 8080}},
		{"null is absent", `{"host": "h", "port": 80, "name": null, "mode": null, "scheme": null, "path": null, "httpHeaders": null, "timeoutSeconds": null,
			"periodSeconds": null, "successThreshold": null, "failureThreshold": null, "maxAgeSeconds": null}`, httpget.Spec{Host: "h", Port: 80}},
		{"zero is absent as well", `{"host": "h", "port": 80, "timeoutSeconds": 0, "maxAgeSeconds": 0}`, httpget.Spec{Host: "h", Port: 80}},
		{"a header without a value", `{"host": "h", "port": 80, "httpHeaders": [{"name": "A"}]}`, httpget.Spec{Host: "h", Port: 80, HTTPHeaders: []httpget.Header{{Name: "A"}}}},
		{"in another order, with white space around", "\n {\"port\":\t80 ,\n\"host\": \"h\"} ", httpget.Spec{Host: "h", Port: 80}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := annotation.ParseProbes([]byte("[" + c.entry + "]"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]httpget.Spec{c.want.WithDefaults()}, list); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// with returns the entry of the RFC's example with more fields.
func with(fields string) string { return strings.TrimSuffix(example, "}") + ", " + fields + "}" }

func TestAnEntryThatIsBrokenStaysInItsPlaceAndBlocks(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		says        []string
	}{
		{"null", `null`, []string{"null is not a probe", "delete it"}},
		{"text", `"http://health/ok"`, []string{"text is not an object", "write one such as"}},
		{"a number", `8080`, []string{"a number is not an object", "write one such as"}},
		{"a list in the list", `[]`, []string{"a list is not an object", "write one such as"}},
		{"nothing in it", `{}`, []string{"host: it is missing", "port: it is missing", "write"}},
		{"a field that is unknown", with(`"initialDelaySeconds": 5`), []string{`"initialDelaySeconds" is unknown`, "write one of name, mode, scheme, host, port, path, httpHeaders"}},
		{"a field that is almost one", with(`"httpHeader": []`), []string{`"httpHeader" is unknown`, `write "httpHeaders"`}},
		{"a field in another case, next to the right one", with(`"Port": 81`), []string{`"Port" is unknown`, `write "port"`}},
		{"a field in another case alone", `{"host": "h", "PORT": 81}`, []string{`"PORT" is unknown`, `write "port"`}},
		{"a field twice", with(`"port": 81`), []string{`"port" appears twice`, "write it once"}},
		{"a field twice, with the same value", with(`"port": 8080`), []string{`"port" appears twice`, "write it once"}},
		{"a field twice, escaped once", with(`"p\u006frt": 81`), []string{`"port" appears twice`, "write it once"}},
		{"nested as in a readiness probe", `{"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10}`, []string{`"httpGet"`, "write its fields next to"}},
		{"a port that is a name", `{"host": "h", "port": "http"}`, []string{`"port"`, `"http"`, "write a number from 1 to 65535"}},
		{"a port of 80.5", `{"host": "h", "port": 80.5}`, []string{`"port"`, "80.5", "write a number from 1 to 65535"}},
		{"a port that is a list", `{"host": "h", "port": [80]}`, []string{`"port"`, "a list is not a port", "write a number from 1 to 65535"}},
		{"a port that is true", `{"host": "h", "port": true}`, []string{`"port"`, "true", "write a number from 1 to 65535"}},
		{"a port that is empty text", `{"host": "h", "port": ""}`, []string{`"port"`, `""`, "write a number from 1 to 65535"}},
		{"a port that no number holds", `{"host": "h", "port": 99999999999999999999}`, []string{`"port"`, "99999999999999999999", "write a number from 1 to 65535"}},
		{"a port of 0", `{"host": "h", "port": 0}`, []string{"port: ", "write a number from 1 to 65535"}},
		{"a port of 0 as text", `{"host": "h", "port": "0"}`, []string{"port: ", "write a number from 1 to 65535"}},
		{"a port below all others", `{"host": "h", "port": -1}`, []string{"port: -1", "write a number from 1 to 65535"}},
		{"a port above all others", `{"host": "h", "port": "65536"}`, []string{"port: 65536", "write a number from 1 to 65535"}},
		{"a number as text", with(`"timeoutSeconds": "5"`), []string{`"timeoutSeconds"`, `"5"`, "write a whole number"}},
		{"half a second", with(`"timeoutSeconds": 0.5`), []string{`"timeoutSeconds"`, "0.5", "write a whole number"}},
		{"a duration", with(`"periodSeconds": "10s"`), []string{`"periodSeconds"`, `"10s"`, "write a whole number"}},
		{"a threshold as text", with(`"successThreshold": "1"`), []string{`"successThreshold"`, `"1"`, "write a whole number"}},
		{"a threshold of half an answer", with(`"failureThreshold": 1.5`), []string{`"failureThreshold"`, "1.5", "write a whole number"}},
		{"a number that no number holds", with(`"maxAgeSeconds": 1e30`), []string{`"maxAgeSeconds"`, "1e30", "write a whole number"}},
		{"a name that is a number", with(`"name": 5`), []string{`"name"`, "a number", "write a quoted string"}},
		{"a host that is a list", `{"host": ["h"], "port": 80}`, []string{`"host"`, "a list", "write a quoted string"}},
		{"a mode that is a number", with(`"mode": 1`), []string{`"mode"`, "1", "write status, body or cluster"}},
		{"a scheme that is a boolean", `{"host": "h", "port": 80, "scheme": true}`, []string{`"scheme"`, "true", "write http or https"}},
		{"a path that is a list", `{"host": "h", "port": 80, "path": []}`, []string{`"path"`, "a list", `write a string, such as "/healthz"`}},
		{"headers as an object", with(`"httpHeaders": {}`), []string{`"httpHeaders"`, "an object", "write a list, such as"}},
		{"a header that is null", with(`"httpHeaders": [null]`), []string{`"httpHeaders"`, "null is not a header", "write one such as"}},
		{"a header with a field that is unknown", with(`"httpHeaders": [{"name": "A", "Value": "b"}]`), []string{`"httpHeaders"`, `"Value" is unknown`, `write "value"`}},
		{"a header with a field in capitals", with(`"httpHeaders": [{"NAME": "A"}]`), []string{`"httpHeaders"`, `"NAME" is unknown`, `write "name"`}},
		{"a header with a field twice", with(`"httpHeaders": [{"name": "A", "name": "B"}]`), []string{`"httpHeaders"`, `"name" appears twice`, "write it once"}},
		{"a header without a name", with(`"httpHeaders": [{"value": "b"}]`), []string{"httpHeaders[0]", `""`, "write one such as X-Pool"}},
		{"what is wrong with the values", with(`"failureThreshold": -1, "maxAgeSeconds": 5`), []string{"failureThreshold: -1", "maxAgeSeconds: 5 "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			probes, err := annotation.ParseProbes([]byte("[" + example + ", " + c.entry + ", " + example + "]"))
			if err == nil || len(probes) != 3 {
				t.Fatalf("%v, %v", probes, err)
			}
			if !strings.HasPrefix(err.Error(), "disruptionProbes[1]: ") || strings.Contains(err.Error(), "disruptionProbes[0]") {
				t.Errorf("%s does not say where", err)
			}
			if !strings.HasSuffix(err.Error(), strings.ReplaceAll(probes[1].Broken, "\n", "; ")) {
				t.Errorf("%s, but the probe says %s", err, probes[1].Broken)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%s does not say %s", err, s)
				}
			}
			if diff := cmp.Diff([]httpget.Spec{exampleRead, exampleRead}, []httpget.Spec{probes[0], probes[2]}); diff != "" {
				t.Errorf("its neighbours change: %s", diff)
			}
			if v := judged(probes[1]); v.Allowed || v.Code != candidate.CodeInvalidProbe {
				t.Errorf("it says %s", v)
			}
			if v := judged(probes[0]); !v.Allowed {
				t.Errorf("its neighbour says %s", v)
			}
		})
	}
}

func TestAFieldInAnotherCaseSaysWhichIsMeant(t *testing.T) {
	for _, field := range []string{"name", "mode", "scheme", "host", "port", "path", "httpHeaders", "timeoutSeconds", "periodSeconds",
		"successThreshold", "failureThreshold", "maxAgeSeconds"} {
		upper := strings.ToUpper(field[:1]) + field[1:]
		_, err := annotation.ParseProbes([]byte(`[{"` + upper + `": null}]`))
		if want := fmt.Sprintf("field %q is unknown: write %q", upper, field); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestABrokenEntryIsCalledByItsNameOrItsPlace(t *testing.T) {
	probes, err := annotation.ParseProbes([]byte(`[{"name": "health", "host": "h"}, {"host": "h"}, {"name": "incident", "host": "h", "port": "x"}, null]`))
	var names []string
	for _, p := range probes {
		names = append(names, p.String())
	}
	if diff := cmp.Diff([]string{"health", "disruptionProbes[1]", "incident", "disruptionProbes[3]"}, names); diff != "" {
		t.Error(diff)
	}
	for i := range probes {
		if !strings.Contains(fmt.Sprint(err), fmt.Sprintf("disruptionProbes[%d]: ", i)) {
			t.Errorf("entry %d is not in %v", i, err)
		}
	}
}

func TestAListThatIsNone(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"an object", `{"host":"h","port":80}`, `an object is not a list: write one such as [{`},
		{"text", `"none"`, `text is not a list: write one such as [{`},
		{"a number", `0`, `a number is not a list: write one such as [{`},
		{"a boolean", ` false`, `false is not a list: write one such as [{`},
		{"half of one", `[{"host":"h"`, `the list is malformed: `},
		{"two of them", `[][]`, `the list is malformed: `},
		{"YAML", "- host: h", "text that is not JSON is not a list: write one such as [{"},
		{"nothing", " \n", "nothing is not a list: write one such as [{"},
	} {
		t.Run(c.name, func(t *testing.T) {
			probes, err := annotation.ParseProbes([]byte(c.list))
			if err == nil || len(probes) != 1 {
				t.Fatalf("%v, %v", probes, err)
			}
			if !strings.HasPrefix(err.Error(), "disruptionProbes: "+c.want) {
				t.Errorf("%s, want %s", err, c.want)
			}
			if v := judged(probes[0]); v.Allowed || v.Code != "invalid-probe" || v.Probe != "disruptionProbes" {
				t.Errorf("it says %s", v)
			}
		})
	}
	for _, list := range []string{"null", "[]", " [ ] ", `{"httpProbes": null}`, `{"httpProbes": []}`} {
		if probes, err := annotation.ParseProbes([]byte(list)); probes != nil || err != nil {
			t.Errorf("%s: %v, %v", list, probes, err)
		}
	}
}

func TestProbesSurviveBeingWrittenAndRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		probes := rapid.SliceOfN(testkit.Arbitrary(generate.Probe), 1, 3).Draw(t, "probes")
		text, err := json.Marshal(probes)
		if err != nil {
			t.Fatal(err)
		}
		read, err := annotation.ParseProbes(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range probes {
			probes[i] = probes[i].WithDefaults()
		}
		if diff := cmp.Diff(probes, read); diff != "" {
			t.Fatal(diff)
		}
	})
}
