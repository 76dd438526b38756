package httpget_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// answered returns what is known of a probe that answered once, just now, with 200 and a body.
func answered(mode httpget.Mode, body string) probe.Observation {
	r := ok(noon)
	r.Body = []byte(body)
	return httpget.Observe(healthz(func(p *httpget.Spec) { p.Mode = mode }), probe.Observation{}, r)
}

// denied returns what is denied in a few words, without causes.
func denied(o probe.Observation) string {
	var all []string
	for _, d := range o.Denied {
		d.Cause = ""
		all = append(all, d.String())
	}
	return strings.Join(all, "; ")
}

func TestABodyDeniesReasons(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"none", `{"deniedActions": []}`, ""},
		{"white space around", " \r\n\t{ \"deniedActions\" : [ ] } \n", ""},
		{"the RFC's example", `{"deniedActions": ["drift"]}`, "Drifted"},
		{"emptiness", `{"deniedActions": ["emptiness"]}`, "Empty"},
		{"empty", `{"deniedActions": ["empty"]}`, "Empty"},
		{"underutilized", `{"deniedActions": ["underutilized"]}`, "Underutilized"},
		{"expiration", `{"deniedActions": ["expiration"]}`, "Expired"},
		{"expired", `{"deniedActions": ["eXpired"]}`, "Expired"},
		{"unhealthy: nodes are not repaired", `{"deniedActions": ["unhealthy"]}`, "Unhealthy"},
		{"the repair of one condition", `{"deniedActions": ["Unhealthy:example.com/DiskHealthy"]}`, "Unhealthy/example.com/DiskHealthy"},
		{"consolidation is all scale-down: an incident wants none", `{"deniedActions": ["consolidation"]}`, "Empty; Underutilized"},
		{"a child", `{"deniedActions": ["drift:AMIDrift"]}`, "Drifted/AMIDrift"},
		{"a child as it is in the API", `{"deniedActions": ["Drifted/AMIDrift"]}`, "Drifted/AMIDrift"},
		{"a child that repeats its method", `{"deniedActions": ["drift:Drifted"]}`, "Drifted"},
		{"a child that repeats its method in another case", `{"deniedActions": ["drift:DRIFT"]}`, "Drifted"},
		{"several, sorted", `{"deniedActions": ["underutilized", "drift", "expiration"]}`, "Drifted; Expired; Underutilized"},
		{"one several times, each once", `{"deniedActions": ["drift", "Drifted", "consolidation", "empty"]}`, "Drifted; Empty; Underutilized"},
		{"escaped", `{"denied\u0041ctions": ["dr\u0069ft"]}`, "Drifted"},

		// An entry that is not understood denies everything; the others count as well.
		{"a child that is another method", `{"deniedActions": ["drift:Empty"]}`, "everything"},
		{"an action that nobody knows", `{"deniedActions": ["scale-up"]}`, "everything"},
		{"an action that nobody knows among others", `{"deniedActions": ["drift", "scale-up"]}`, "everything; Drifted"},
		{"an empty one", `{"deniedActions": [""]}`, "everything"},
		{"null", `{"deniedActions": [null]}`, "everything"},
		{"a number", `{"deniedActions": [5]}`, "everything"},
		{"an object of ClusterMode", `{"deniedActions": [{"name": "drift", "clusterWide": true}]}`, "everything"},
		{"a child alone", `{"deniedActions": ["AMIDrift"]}`, "everything"},
		{"a child without a name", `{"deniedActions": ["drift:"]}`, "everything"},
		{"a child that is no name", `{"deniedActions": ["drift:an AMI"]}`, "everything"},
		{"a child of nothing", `{"deniedActions": [":AMIDrift"]}`, "everything"},
		{"a child of consolidation, which is two", `{"deniedActions": ["consolidation:Single"]}`, "everything"},
		{"nested as deep as a decoder goes", `{"deniedActions": [` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `]}`, "everything"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := answered(httpget.BodyMode, c.body)
			if !o.Healthy || o.Code != "" || o.Streak != 1 {
				t.Errorf("it is not a good answer: %+v", o)
			}
			if got := denied(o); got != c.want {
				t.Errorf("it denies %s, want %s", got, c.want)
			}
		})
	}
}

func TestAnActionThatIsNotUnderstoodIsQuoted(t *testing.T) {
	for _, c := range []struct {
		name       string
		mode       httpget.Mode
		body, want string
		more       []string
	}{
		{"an unknown action", httpget.BodyMode, `{"deniedActions": ["drift", "scale-up"]}`, `deniedActions[1]: "scale-up" `, []string{"write drift, emptiness, underutilized, consolidation"}},
		{"a number", httpget.BodyMode, `{"deniedActions": [5]}`, "deniedActions[0]: 5 ", []string{"write drift"}},
		{"the first of several", httpget.BodyMode, `{"deniedActions": ["x", "y"]}`, `deniedActions[0]: "x" `, nil},
		{"a long one in part", httpget.BodyMode, `{"deniedActions": ["` + strings.Repeat("x", 5000) + `"]}`, `deniedActions[0]: "xxx`, nil},
		{"text in ClusterMode", httpget.ClusterMode, `{"deniedActions": ["drift"]}`, `deniedActions[0]: "drift" is not an object`, []string{`write {"name": "drift", "clusterWide": true}`}},
		{"an unknown action in ClusterMode", httpget.ClusterMode, `{"deniedActions": [{"name": "scale-up", "clusterWide": true}]}`, `deniedActions[0]: "scale-up" `, []string{"write drift"}},
		{"neither of both", httpget.ClusterMode, `{"deniedActions": [{"name": "drift"}]}`, "deniedActions[0]: ", []string{"clusterWide", "nodePools", "write"}},
		{"a field that is almost one", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "clusterwide": true}]}`, `deniedActions[0]: `, []string{`"clusterwide"`, `write "clusterWide"`}},
		{"a name in capitals", httpget.ClusterMode, `{"deniedActions": [{"NAME": "drift"}]}`, `deniedActions[0]: `, []string{`"NAME"`, `write "name"`}},
		{"a field of nodePools that is almost one", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"label": ["gpu"]}}]}`, `deniedActions[0]: nodePools: `, []string{`"label"`, `write "labels"`}},
		{"a label that is none", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": [""]}}]}`, "deniedActions[0]: nodePools: ", []string{`""`, "write"}},
		{"an object that is none", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": "gpu"}]}`, "deniedActions[0]: nodePools: ", []string{`"gpu"`, `write {"labels": ["gpu"]}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := answered(c.mode, c.body)
			cause := o.Denied[0].Cause
			if !strings.HasPrefix(cause, c.want) || len(cause) > 500 {
				t.Errorf("%s, want %s", cause, c.want)
			}
			for _, s := range c.more {
				if !strings.Contains(cause, s) {
					t.Errorf("%s does not say %s", cause, s)
				}
			}
			v := probe.ProbeVerdict(healthz(nil).Probe(), o, noon)
			if b, blocked := v.Blocker(candidate.Expired, "web", nil, noon); !blocked || b.Code != "denied" || !strings.Contains(b.Message, cause) {
				t.Errorf("it blocks with %s (%t)", b, blocked)
			}
		})
	}
}

func TestABodyOfClusterModeDeniesReasonsToPools(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"none", `{"deniedActions": []}`, ""},
		{"the RFC's example", `{"deniedActions": [{"name": "drift", "clusterWide": false, "nodePools": {"labels": ["a-specific-az", "my-gpu-nodes", "my-specific-nodepool"]}}]}`,
			"Drifted in a-specific-az, my-gpu-nodes, my-specific-nodepool"},
		{"clusterWide", `{"deniedActions": [{"name": "drift", "clusterWide": true}]}`, "Drifted"},
		{"clusterWide ignores nodePools", `{"deniedActions": [{"name": "drift", "clusterWide": true, "nodePools": {"labels": ["gpu"]}}]}`, "Drifted"},
		{"clusterWide ignores nodePools also before it, and malformed ones", `{"deniedActions": [{"nodePools": [5], "name": "drift", "clusterWide": true}]}`, "Drifted"},
		{"clusterWide ignores fields of nodePools", `{"deniedActions": [{"name": "drift", "clusterWide": true, "nodePools": {"labels": [""], "names": 1}}]}`, "Drifted"},
		{"without clusterWide", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["team=search"]}}]}`, "Drifted in team=search"},
		{"clusterWide that is null", `{"deniedActions": [{"name": "drift", "clusterWide": null, "nodePools": {"labels": ["gpu"]}}]}`, "Drifted in gpu"},
		{"labels are sorted, and each is there once", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["web", "gpu", "web"]}}]}`, "Drifted in gpu, web"},
		{"consolidation is both, for the same pools", `{"deniedActions": [{"name": "consolidation", "nodePools": {"labels": ["gpu"]}}]}`, "Empty in gpu; Underutilized in gpu"},
		{"a child", `{"deniedActions": [{"name": "drift:AMIDrift", "clusterWide": true}]}`, "Drifted/AMIDrift"},
		{"one reason for several pools", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["web"]}}, {"name": "drift", "nodePools": {"labels": ["gpu"]}}, {"name": "drift", "clusterWide": true}]}`,
			"Drifted; Drifted in gpu; Drifted in web"},

		// Whatever is not understood denies everything to all pools.
		{"neither clusterWide nor nodePools", `{"deniedActions": [{"name": "drift"}]}`, "everything"},
		{"clusterWide false alone", `{"deniedActions": [{"name": "drift", "clusterWide": false}]}`, "everything"},
		{"nodePools that are null", `{"deniedActions": [{"name": "drift", "nodePools": null}]}`, "everything"},
		{"labels that are null", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": null}}]}`, "everything"},
		{"an empty label among others", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", ""]}}]}`, "everything"},
		{"a label that is null", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", null]}}]}`, "everything"},
		{"a label that is a number", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", 5]}}]}`, "everything"},
		{"labels that are text", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": "gpu"}}]}`, "everything"},
		{"a field of nodePools that is unknown", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu"], "names": ["web"]}}]}`, "everything"},
		{"labels in another case", `{"deniedActions": [{"name": "drift", "nodePools": {"Labels": ["gpu"]}}]}`, "everything"},
		{"clusterWide twice", `{"deniedActions": [{"name": "drift", "clusterWide": true, "clusterWide": true}]}`, "everything"},
		{"a name twice", `{"deniedActions": [{"name": "drift", "name": "drift", "clusterWide": true}]}`, "everything"},
		{"no name", `{"deniedActions": [{"clusterWide": true}]}`, "everything"},
		{"a name that is null", `{"deniedActions": [{"name": null, "clusterWide": true}]}`, "everything"},
		{"a name that nobody knows", `{"deniedActions": [{"name": "scale-up", "nodePools": {"labels": ["gpu"]}}]}`, "everything"},
		{"clusterWide as text", `{"deniedActions": [{"name": "drift", "clusterWide": "true"}]}`, "everything"},
		{"a field that is unknown", `{"deniedActions": [{"name": "drift", "clusterWide": true, "until": "noon"}]}`, "everything"},
		{"a field in another case", `{"deniedActions": [{"name": "drift", "ClusterWide": true}]}`, "everything"},
		{"null", `{"deniedActions": [null]}`, "everything"},
		{"a number", `{"deniedActions": [1]}`, "everything"},
		{"one that is not understood, next to one that is", `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu"]}}, {}]}`, "everything; Drifted in gpu"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := answered(httpget.ClusterMode, c.body)
			if !o.Healthy || o.Code != "" || o.Streak != 1 {
				t.Errorf("it is not a good answer: %+v", o)
			}
			if got := denied(o); got != c.want {
				t.Errorf("it denies %s, want %s", got, c.want)
			}
		})
	}
}

// padded returns a body that denies nothing, as long as that.
func padded(length int) string {
	const body = `{"deniedActions": []}`
	return body + strings.Repeat(" ", length-len(body))
}

func TestABodyThatIsNotUnderstoodAllowsNothing(t *testing.T) {
	for _, c := range []struct{ name, body, says string }{
		{"no body", "", "empty"},
		{"one byte too many", padded(httpget.MaxBody + 1), "longer than 65536 bytes"},
		{"a body of which some is missing", `{"deniedActions": ["drift"`, "malformed"},
		{"a body that ends before its last brace", `{"deniedActions": []`, "malformed"},
		{"bytes that are no text", "{\"deniedActions\": [\"\xff\"]}", "UTF-8"},
		{"a byte order mark", "\ufeff{\"deniedActions\": []}", "not an object"},
		{"HTML", "<html><body>All is well</body></html>", `"<html>`},
		{"text", "ok", `"ok"`},
		{"the RFC's YAML, without a Decoder", "deniedActions:\n  - drift\n", "not an object"},
		{"null", `null`, "not an object"},
		{"a number", `0`, "not an object"},
		{"deniedActions that are null", `{"deniedActions": null}`, "no deniedActions"},
		{"deniedActions that are text", `{"deniedActions": "drift"}`, `"drift" is not valid: write a list`},
		{"deniedActions that are an object", `{"deniedActions": {"name": "drift"}}`, "write a list"},
		{"deniedActions that are false", `{"deniedActions": false}`, "write a list"},
		{"another field", `{"deniedActions": [], "allowedActions": ["drift"]}`, `"allowedActions" is unknown: write`},
		{"a field in another case", `{"DeniedActions": []}`, `"DeniedActions" is unknown: write "deniedActions"`},
		{"a field in another case, next to the right one", `{"deniedActions": ["drift"], "deniedactions": []}`, `"deniedactions" is unknown`},
		{"a field in the singular", `{"deniedAction": ["drift"]}`, `write "deniedActions"`},
		{"a field twice", `{"deniedActions": ["drift"], "deniedActions": []}`, `"deniedActions" appears twice: write it once`},
		{"a field twice, escaped once", `{"deniedActions": ["drift"], "denied\u0041ctions": []}`, `"deniedActions" appears twice`},
		{"text behind it", `{"deniedActions": []} ok`, "malformed"},
		{"two documents", `{"deniedActions": []}{"deniedActions": []}`, "something follows"},
		{"a comma too many in the object", `{"deniedActions": [],}`, "malformed"},
		{"a key without quotes", `{deniedActions: []}`, "malformed"},
		{"a bracket that is closed by a brace", `{"deniedActions": [}}`, "malformed"},
		{"nested deeper than a decoder goes", `{"deniedActions": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []httpget.Mode{httpget.BodyMode, httpget.ClusterMode} {
				o := answered(mode, c.body)
				if o.Healthy || o.Code != "invalid-answer" || o.Streak != -1 || o.Denied != nil || !o.At.Equal(noon) {
					t.Errorf("mode %s: %+v", mode, o)
				}
				if !strings.Contains(o.Cause, c.says) || len(o.Cause) > 400 {
					t.Errorf("mode %s: %q, want in it %q", mode, o.Cause, c.says)
				}
			}
			if o := answered(httpget.StatusMode, c.body); !o.Healthy || o.Denied != nil {
				t.Errorf("in StatusMode the body counts: %+v", o)
			}
		})
	}
}

func TestABodyAsLongAsMayBeIsUnderstood(t *testing.T) {
	for _, mode := range []httpget.Mode{httpget.BodyMode, httpget.ClusterMode} {
		if o := answered(mode, padded(httpget.MaxBody)); !o.Healthy || o.Denied != nil {
			t.Errorf("mode %s: %+v", mode, o)
		}
	}
}

func TestMoreThanAThousandDenialsDenyEverything(t *testing.T) {
	body := func(n int) string {
		var actions []string
		for i := range n {
			actions = append(actions, fmt.Sprintf(`"drift:D%d"`, i))
		}
		return `{"deniedActions": [` + strings.Join(actions, ",") + `]}`
	}
	for _, c := range []struct {
		name string
		body string
		want int
	}{
		{"a thousand are kept", body(1000), 1000},
		{"one more denies everything", body(1001), 1},
		{"what is there several times counts once", strings.Replace(body(1000), "[", `["drift:D7","drift:D8",`, 1), 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := answered(httpget.BodyMode, c.body)
			if len(o.Denied) != c.want || !o.Healthy {
				t.Fatalf("%d denials", len(o.Denied))
			}
			b, blocked := probe.ProbeVerdict(healthz(nil).Probe(), o, noon).Blocker(candidate.Empty, "web", nil, noon)
			if blocked != (c.want == 1) || blocked && !strings.Contains(b.Message, "more than 1000") {
				t.Errorf("another reason is blocked: %t by %s", blocked, b)
			}
		})
	}

	for _, n := range []int{5000, 5001} {
		t.Run(fmt.Sprintf("%d pools", n), func(t *testing.T) {
			var pools []string
			for i := range n {
				pools = append(pools, fmt.Sprintf(`"%x"`, i))
			}
			o := answered(httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": [`+strings.Join(pools, ",")+`]}}]}`)
			if everything := denied(o) != "" && o.Denied[0].Reason == ""; everything != (n > 5000) || everything && !strings.Contains(o.Denied[0].Cause, "more than 5000 pools") {
				t.Errorf("everything is denied: %t, %.100v", everything, o.Denied)
			}
		})
	}

	t.Run("what several answers deny adds up", func(t *testing.T) {
		p := healthz(func(p *httpget.Spec) { p.Mode, p.SuccessThreshold = httpget.BodyMode, 2 })
		r := ok(noon)
		r.Body = []byte(body(1000))
		o := httpget.Observe(p, probe.Observation{}, r)
		r.Body = []byte(`{"deniedActions": ["empty"]}`)
		if o = httpget.Observe(p, o, r); denied(o) != "everything" {
			t.Fatalf("after 1001 different denials %d are there", len(o.Denied))
		}
		if o = httpget.Observe(p, o, r); denied(o) != "everything; Empty" {
			t.Fatalf("after one good answer it denies %s", denied(o))
		}
		if o = httpget.Observe(p, o, r); denied(o) != "Empty" {
			t.Fatalf("after two good answers it denies %s", denied(o))
		}
	})
}

func TestADecoderTurnsBodiesIntoJSON(t *testing.T) {
	yaml := []byte("deniedActions:\n- drift\n")
	asJSON := func(text string) httpget.Decoder {
		return func([]byte) ([]byte, error) { return []byte(text), nil }
	}
	fails := func([]byte) ([]byte, error) {
		return []byte(`{"deniedActions": []}`), errors.New("line 1: a key appears twice")
	}
	called := func(t *testing.T) httpget.Decoder {
		return func(body []byte) ([]byte, error) {
			t.Errorf("it is asked to decode %.20q", body)
			return body, nil
		}
	}
	for _, c := range []struct {
		name       string
		mode       httpget.Mode
		decoder    httpget.Decoder
		response   httpget.Response
		code, want string
	}{
		{"in BodyMode", httpget.BodyMode, asJSON(`{"deniedActions": ["drift"]}`), httpget.Response{Status: 200, Body: yaml}, "", "Drifted"},
		{"in ClusterMode", httpget.ClusterMode, asJSON(`{"deniedActions": [{"name": "drift", "clusterWide": true}]}`), httpget.Response{Status: 200, Body: yaml}, "", "Drifted"},
		{"one that is nil leaves bodies as they are", httpget.BodyMode, nil, httpget.Response{Status: 200, Body: []byte(`{"deniedActions": ["drift"]}`)}, "", "Drifted"},
		{"one that fails blocks, whatever it returns", httpget.BodyMode, fails, httpget.Response{Status: 200, Body: yaml}, "invalid-answer", ""},
		{"one that returns nothing blocks", httpget.BodyMode, asJSON(""), httpget.Response{Status: 200, Body: yaml}, "invalid-answer", ""},
		{"one that returns something else blocks", httpget.BodyMode, asJSON("deniedActions: []"), httpget.Response{Status: 200, Body: yaml}, "invalid-answer", ""},
		{"one whose JSON has a key twice blocks", httpget.BodyMode, asJSON(`{"deniedActions": [], "deniedActions": []}`), httpget.Response{Status: 200, Body: yaml}, "invalid-answer", ""},
		{"it sees no body of StatusMode", httpget.StatusMode, called(t), httpget.Response{Status: 200, Body: yaml}, "", ""},
		{"it sees no body that is too long", httpget.BodyMode, called(t), httpget.Response{Status: 200, Body: make([]byte, httpget.MaxBody+1)}, "invalid-answer", ""},
		{"it sees no body that is not UTF-8", httpget.BodyMode, called(t), httpget.Response{Status: 200, Body: []byte("\xff")}, "invalid-answer", ""},
		{"it sees no empty body", httpget.BodyMode, called(t), httpget.Response{Status: 200}, "invalid-answer", ""},
		{"it sees no body of an answer that is not good", httpget.BodyMode, called(t), httpget.Response{Status: 503, Body: yaml}, "unhealthy", ""},
		{"it sees no body of which some is missing", httpget.BodyMode, called(t), httpget.Response{Status: 200, Body: yaml, Err: errors.New("cut off")}, "no-answer", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.response.At = noon
			o := c.decoder.Observe(healthz(func(p *httpget.Spec) { p.Mode = c.mode }), probe.Observation{}, c.response)
			if string(o.Code) != c.code || o.Healthy != (c.code == "") || denied(o) != c.want {
				t.Errorf("code %s (%s), denied %s", o.Code, o.Cause, denied(o))
			}
		})
	}
	o := httpget.Decoder(fails).Observe(healthz(func(p *httpget.Spec) { p.Mode = httpget.BodyMode }), probe.Observation{}, httpget.Response{At: noon, Status: 200, Body: yaml})
	if diff := cmp.Diff("its answer is not understood: line 1: a key appears twice", o.Cause); diff != "" {
		t.Error(diff)
	}
}

// A selector that no pool can have would deny nothing, and stand in messages.
func TestASelectorThatNoPoolCanHaveDeniesEverything(t *testing.T) {
	for _, c := range []struct {
		name, selector string
		none           bool
	}{
		{"a name of two lines", "gpu\nnode a: allowed", true},
		{"one that clears a screen", "\u009b2J", true},
		{"one longer than any label", strings.Repeat("x", 382), true},
		{"one as long as the longest label", strings.Repeat("x", 381), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := json.Marshal(c.selector)
			if err != nil {
				t.Fatal(err)
			}
			o := answered(httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", `+string(text)+`]}}]}`)
			if none := len(o.Denied) == 1 && o.Denied[0].Reason == "" && o.Denied[0].Pools == nil; none != c.none {
				t.Fatalf("%v", o.Denied)
			}
			if v := probe.ProbeVerdict(healthz(nil).Probe(), o, noon).String(); len(v) > 1000 || strings.ContainsFunc(v, unicode.IsControl) {
				t.Errorf("%d bytes: %.200q", len(v), v)
			}
		})
	}
}
