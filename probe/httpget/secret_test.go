package httpget_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// An endpoint may repeat what it was asked: an error page has the address, and servers for tests have the whole request. What is
// quoted of such an answer may be cut off, escaped or decoded, so that a secret cannot be looked for in it.
func TestASecretThatAnAnswerRepeatsIsNotShown(t *testing.T) {
	asked := map[string]func(p *httpget.Spec){
		"a query": func(p *httpget.Spec) { p.Path = "/ok?token=hunter2" },
		"a header": func(p *httpget.Spec) {
			p.HTTPHeaders = []httpget.Header{{Name: "Authorization", Value: "Basic aHVudGVyMg=="}}
		},
	}
	for _, c := range []struct {
		name string
		mode httpget.Mode
		body string
		want string // is still said
	}{
		{"not an object", httpget.BodyMode, "Cannot GET /ok?token=hunter2", "and is not an object: write"},
		{"a field that is unknown", httpget.BodyMode, `{"token=hunter2": 1}`, "the body is malformed: …"},
		{"a list that is none", httpget.BodyMode, `{"deniedActions": "/ok?token=hunter2"}`, "the body is malformed: …"},
		{"an unknown action", httpget.BodyMode, `{"deniedActions": ["token=hunter2"]}`, "deniedActions[0]: … is not a known action: write drift"},
		{"what is not an action", httpget.BodyMode, `{"deniedActions": ["drift", {"token": "hunter2"}]}`, "deniedActions[1]: … is not an action: write drift"},
		{"what is escaped", httpget.BodyMode, `{"deniedActions": ["h\u0075nter2"]}`, "deniedActions[0]: … is not a known action"},
		{"what is not an object", httpget.ClusterMode, `{"deniedActions": ["hunter2"]}`, "deniedActions[0]: … is not an object: write"},
		{"a field of an action", httpget.ClusterMode, `{"deniedActions": [{"hunter2": ""}]}`, "deniedActions[0]: …"},
		{"an action of ClusterMode", httpget.ClusterMode, `{"deniedActions": [{"name": "hunter2", "clusterWide": true}]}`, "deniedActions[0]: … is not a known action"},
		{"no nodePools", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": "hunter2"}]}`, "deniedActions[0]: nodePools: … is not an object: write"},
		{"a field of nodePools", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"hunter2": ""}}]}`, "deniedActions[0]: nodePools: …"},
		{"a label", httpget.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["hunter2\n"]}}]}`, "deniedActions[0]: nodePools: … is neither a pool nor a label: write"},
	} {
		for what, ask := range asked {
			t.Run(c.name+", where a probe has "+what, func(t *testing.T) {
				p := healthz(func(p *httpget.Spec) { p.Mode = c.mode; ask(p) })
				r := ok(noon)
				r.Body = []byte(c.body)
				o := httpget.Observe(p, probe.Observation{}, r)
				v := probe.ProbeVerdict(p.Probe(), o, noon)
				b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, noon)
				shown := fmt.Sprint(o, v, b)
				if strings.Contains(shown, "hunter2") || strings.Contains(shown, "h\\u0075nter2") || !blocked || !strings.Contains(shown, c.want) || !strings.Contains(shown, "not quoted") {
					t.Errorf("it is shown as %s", shown)
				}
			})
		}
	}
	secretive := httpget.Decoder(func(body []byte) ([]byte, error) { return nil, fmt.Errorf("line 1: %s is no YAML", body) })
	p := healthz(func(p *httpget.Spec) { p.Mode = httpget.BodyMode; asked["a query"](p) })
	r := ok(noon)
	r.Body = []byte("hunter2")
	if o := secretive.Observe(p, probe.Observation{}, r); strings.Contains(o.Cause, "hunter2") || !strings.Contains(o.Cause, "not quoted") {
		t.Errorf("of a decoder it is shown as %s", o.Cause)
	}
}

// The errors of http.Client have the address with its query.
func TestASecretInTheErrorOfAClientIsNotShown(t *testing.T) {
	p := healthz(func(p *httpget.Spec) { p.Path = "/ok?token=hunter2" })
	err := &url.Error{Op: "Get", URL: p.URL().String(), Err: errors.New("connection refused")}
	for _, err := range []error{err, fmt.Errorf("probing: %w", err)} {
		o := httpget.Observe(p, probe.Observation{}, httpget.Response{At: noon, Err: err})
		if strings.Contains(o.Cause, "hunter2") || !strings.Contains(o.Cause, "connection refused") {
			t.Errorf("the cause is %s", o.Cause)
		}
	}
}

// An error of net/http quotes what is malformed.
func TestASecretThatTheErrorOfAClientQuotesIsNotShown(t *testing.T) {
	p := healthz(func(p *httpget.Spec) {
		p.Path = "/ok?token=hunter%322&a=b"
		p.HTTPHeaders = []httpget.Header{{Name: "Authorization", Value: "Bearer correcthorse"}}
	})
	for _, text := range []string{"GET /ok?token=hunter%322&a=b", "token is hunter22", "Authorization: Bearer correcthorse", "correcthorse", "token=hunter%322"} {
		err := fmt.Errorf("malformed HTTP response %q: try b", text)
		o := httpget.Observe(p, probe.Observation{}, httpget.Response{At: noon, Err: err})
		if strings.Contains(o.Cause, "hunter") || strings.Contains(o.Cause, "correcthorse") || !strings.Contains(o.Cause, "malformed HTTP response") || !strings.HasSuffix(o.Cause, ": try b") {
			t.Errorf("the cause is %s", o.Cause)
		}
	}
}

// What is cut off, or quoted once more, holds the secret all the same.
func TestASecretIsNotShownInParts(t *testing.T) {
	const secret = `HUNTER"2" CORRECT HORSE`
	p := healthz(func(p *httpget.Spec) {
		p.HTTPHeaders = []httpget.Header{{Name: "Authorization", Value: secret}}
	})
	for before := range 400 {
		for _, text := range []string{secret, fmt.Sprintf("%q", secret), fmt.Sprintf("%q", "it said "+secret)} {
			err := errors.New(strings.Repeat("x", before) + text)
			o := httpget.Observe(p, probe.Observation{}, httpget.Response{At: noon, Err: err})
			if strings.ContainsAny(o.Cause, secret[:6]+"2COS") {
				t.Fatalf("%d: the cause is %s", before, o.Cause)
			}
		}
	}
}
