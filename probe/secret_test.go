package probe_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// A secret may be in a query, or in the value of a header. What is shown of a probe ends up in logs and events.
func TestASecretIsNeverShown(t *testing.T) {
	const word, number = "hunter2", "86753"
	for _, c := range []struct{ name, list string }{
		{"in a query", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2"}]`},
		{"in a query, next to a fault", `[{"host": "health", "port": 0, "path": "/ok?token=hunter2"}]`},
		{"in the query of a path without its slash", `[{"host": "health", "port": 80, "path": "healthz?token=hunter2"}]`},
		{"in the query of a path with a fragment", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2#pools"}]`},
		{"in a fragment", `[{"host": "health", "port": 80, "path": "/ok?token=#hunter2"}]`},
		{"in the query of a path with a space", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2 "}]`},
		{"in the query of a path with an escape that is none", `[{"host": "health", "port": 80, "path": "/%zz?token=hunter2"}]`},
		{"in a URL for a path", `[{"host": "health", "port": 80, "path": "https://me:hunter2@health/ok?token=hunter2"}]`},
		{"in a URL for a host", `[{"host": "https://me:hunter2@health/ok?token=hunter2", "port": 80}]`},
		{"in a URL for a probe", `["https://me:hunter2@health/ok?token=hunter2"]`},
		{"in a URL for a list", `"https://me:hunter2@health/ok?token=hunter2"`},
		{"in a path that is a list", `[{"host": "health", "port": 80, "path": ["/ok?token=hunter2"]}]`},
		{"in a probe for a list", `{"host": "health", "port": 80, "path": "/ok?token=hunter2"}`},
		{"in a list that is malformed", `[{"host": "health", "port": 80, "path": "/ok?token=hunter2"`},
		{"in a header for the list of them", `[{"host": "health", "port": 80, "httpHeaders": {"name": "Authorization", "value": "hunter2"}}]`},
		{"in the line of a header", `[{"host": "health", "port": 80, "httpHeaders": ["Authorization: hunter2"]}]`},
		{"in the line of a header for its name", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization: hunter2"}]}]`},
		{"in the value of a header that is a list", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": ["hunter2"]}]}]`},
		{"in the value of a header that is a number", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": 8675309123}]}]`},
		{"in the value of a header that is a fraction", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": -86753.09123}]}]`},
		{"in the name of a header that is a number", `[{"host": "health", "port": 80, "httpHeaders": [{"name": 8675309123, "value": "x"}]}]`},
		{"in a header that is a number", `[{"host": "health", "port": 80, "httpHeaders": [8675309123]}]`},
		{"in headers that are a number", `[{"host": "health", "port": 80, "httpHeaders": 8675309123}]`},
		{"in a path that is a number", `[{"host": "health", "port": 80, "path": 8675309123}]`},
		{"in a host that is a list", `[{"host": ["https://me:hunter2@health/ok?token=hunter2"], "port": 80}]`},
		{"in a name that is an object", `[{"name": {"Authorization": "hunter2"}, "host": "health", "port": 80}]`},
		{"in a URL for a port", `[{"host": "health", "port": "80/ok?token=hunter2"}]`},
		{"in a URL for a scheme", `[{"scheme": "https://me:hunter2@health/ok?token=hunter2", "host": "health", "port": 80}]`},
		{"in a URL for a mode", `[{"mode": "https://me:hunter2@health/ok?token=hunter2", "host": "health", "port": 80}]`},
		{"in a timeout that is a header", `[{"host": "health", "port": 80, "timeoutSeconds": {"Authorization": "hunter2"}}]`},
		{"in a header line for a field of a header", `[{"host": "health", "port": 80, "httpHeaders": [{"Authorization: hunter2": ""}]}]`},
		{"in a header line for a field of a header, twice", `[{"host": "health", "port": 80, "httpHeaders": [{"Authorization: hunter2": "", "Authorization: hunter2": ""}]}]`},
		{"in a header line without a colon for its name", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization=hunter2 hunter2"}]}]`},
		{"in a URL for a field of a probe", `[{"https://me:hunter2@health/ok?token=hunter2": ""}]`},
		{"in the name of a header that is a list", `[{"host": "health", "port": 80, "httpHeaders": [{"name": ["Authorization", "hunter2"]}]}]`},
		{"in a header", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": "Bearer hunter2"}]}]`},
		{"in a header, next to a fault", `[{"host": "health", "port": 0, "httpHeaders": [{"name": "Authorization", "value": "Bearer hunter2"}]}]`},
		{"in a header of two lines", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": "Bearer hunter2\n"}]}]`},
		{"in a header with a name that is wrong", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "X Token", "value": "hunter2"}]}]`},
		{"in a header with a field that is unknown", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "values": "hunter2"}]}]`},
		{"in a header with a field that stands twice", `[{"host": "health", "port": 80, "httpHeaders": [{"name": "Authorization", "value": "hunter2", "value": "hunter2"}]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			probes, err := probe.Parse([]byte(c.list))
			shown := []string{fmt.Sprint(err)}
			for _, p := range probes {
				shown = append(shown, p.String(), p.Broken, fmt.Sprint(p.Validate()))
				for _, r := range []probe.Response{ok(noon), {At: noon}, {At: noon, Status: 503}} {
					o := probe.Observe(p, probe.Observation{}, r)
					for _, now := range []time.Time{noon, noon.Add(time.Hour), noon.Add(-time.Hour)} {
						v := probe.ProbeVerdict(p, o, now)
						b, _ := v.Blocker(candidate.Drifted, "gpu", nil, now)
						shown = append(shown, o.Cause, v.String(), v.Cause, b.String())
					}
				}
			}
			for _, s := range shown {
				if strings.Contains(s, word) || strings.Contains(s, number) {
					t.Errorf("it is there: %s", s)
				}
			}
		})
	}
}

func TestASecretInAProbeThatNobodyValidatedIsNotShown(t *testing.T) {
	for _, path := range []string{"healthz?token=hunter2", "/%zz?token=hunter2", "http://me:hunter2@health/ok", "/ok?token=hunter2#a"} {
		if p := healthz(func(p *probe.Probe) { p.Path = path }); strings.Contains(p.String(), "hunter2") {
			t.Errorf("%s is called %s", path, p)
		}
	}
}

func TestASecretInTheSchemeOfAProbeThatNobodyValidatedIsNotShown(t *testing.T) {
	for _, scheme := range []string{"https://me:hunter2@health", "https://health/ok?token=hunter2"} {
		p := healthz(func(p *probe.Probe) { p.Scheme = scheme })
		if v := probe.ProbeVerdict(p, probe.Observation{}, noon); strings.Contains(p.String()+v.String(), "hunter2") || !strings.HasSuffix(p.String(), "//"+p.Host+":8080/healthz") {
			t.Errorf("%s is called %s, and says %s", scheme, p, v)
		}
	}
}

// The errors of http.Client have the address with its query.
func TestASecretInTheErrorOfAClientIsNotShown(t *testing.T) {
	p := healthz(func(p *probe.Probe) { p.Path = "/ok?token=hunter2" })
	err := &url.Error{Op: "Get", URL: p.URL().String(), Err: errors.New("connection refused")}
	for _, err := range []error{err, fmt.Errorf("probing: %w", err)} {
		o := probe.Observe(p, probe.Observation{}, probe.Response{At: noon, Err: err})
		if strings.Contains(o.Cause, "hunter2") || !strings.Contains(o.Cause, "connection refused") {
			t.Errorf("the cause is %s", o.Cause)
		}
	}
}

func TestAnInvalidHostDoesNotRevealASecret(t *testing.T) {
	for _, host := range []string{"https://me:hunter2@health/ok", "https://h/?token=hunter2", "me:hunter2@health", "health/ok?token=hunter2"} {
		p := probe.Probe{Host: host, Port: 80}
		if s := fmt.Sprint(p, p.Validate(), probe.ProbeVerdict(p, probe.Observation{}, noon)); strings.Contains(s, "hunter2") {
			t.Error(s)
		}
	}
}

// An endpoint may repeat what it was asked: an error page has the address, and servers for tests have the whole request. What is
// quoted of such an answer may be cut off, escaped or decoded, so that a secret cannot be looked for in it.
func TestASecretThatAnAnswerRepeatsIsNotShown(t *testing.T) {
	asked := map[string]func(p *probe.Probe){
		"a query": func(p *probe.Probe) { p.Path = "/ok?token=hunter2" },
		"a header": func(p *probe.Probe) {
			p.HTTPHeaders = []probe.Header{{Name: "Authorization", Value: "Basic aHVudGVyMg=="}}
		},
	}
	for _, c := range []struct {
		name string
		mode probe.Mode
		body string
		want string // is still said
	}{
		{"not an object", probe.BodyMode, "Cannot GET /ok?token=hunter2", "and is not an object: write"},
		{"a field that is unknown", probe.BodyMode, `{"token=hunter2": 1}`, "the body is malformed: …"},
		{"a list that is none", probe.BodyMode, `{"deniedActions": "/ok?token=hunter2"}`, "the body is malformed: …"},
		{"an unknown action", probe.BodyMode, `{"deniedActions": ["token=hunter2"]}`, "deniedActions[0]: … is not a known action: write drift"},
		{"what is not an action", probe.BodyMode, `{"deniedActions": ["drift", {"token": "hunter2"}]}`, "deniedActions[1]: … is not an action: write drift"},
		{"what is escaped", probe.BodyMode, `{"deniedActions": ["h\u0075nter2"]}`, "deniedActions[0]: … is not a known action"},
		{"what is not an object", probe.ClusterMode, `{"deniedActions": ["hunter2"]}`, "deniedActions[0]: … is not an object: write"},
		{"a field of an action", probe.ClusterMode, `{"deniedActions": [{"hunter2": ""}]}`, "deniedActions[0]: …"},
		{"an action of ClusterMode", probe.ClusterMode, `{"deniedActions": [{"name": "hunter2", "clusterWide": true}]}`, "deniedActions[0]: … is not a known action"},
		{"no nodePools", probe.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": "hunter2"}]}`, "deniedActions[0]: nodePools: … is not an object: write"},
		{"a field of nodePools", probe.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"hunter2": ""}}]}`, "deniedActions[0]: nodePools: …"},
		{"a label", probe.ClusterMode, `{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["hunter2\n"]}}]}`, "deniedActions[0]: nodePools: … is neither a pool nor a label: write"},
	} {
		for what, ask := range asked {
			t.Run(c.name+", where a probe has "+what, func(t *testing.T) {
				p := healthz(func(p *probe.Probe) { p.Mode = c.mode; ask(p) })
				r := ok(noon)
				r.Body = []byte(c.body)
				o := probe.Observe(p, probe.Observation{}, r)
				v := probe.ProbeVerdict(p, o, noon)
				b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, noon)
				shown := fmt.Sprint(o, v, b)
				if strings.Contains(shown, "hunter2") || strings.Contains(shown, "h\\u0075nter2") || !blocked || !strings.Contains(shown, c.want) || !strings.Contains(shown, "not quoted") {
					t.Errorf("it is shown as %s", shown)
				}
			})
		}
	}
	secretive := probe.Decoder(func(body []byte) ([]byte, error) { return nil, fmt.Errorf("line 1: %s is no YAML", body) })
	p := healthz(func(p *probe.Probe) { p.Mode = probe.BodyMode; asked["a query"](p) })
	r := ok(noon)
	r.Body = []byte("hunter2")
	if o := secretive.Observe(p, probe.Observation{}, r); strings.Contains(o.Cause, "hunter2") || !strings.Contains(o.Cause, "not quoted") {
		t.Errorf("of a decoder it is shown as %s", o.Cause)
	}
}

// An error of net/http quotes what is malformed.
func TestASecretThatTheErrorOfAClientQuotesIsNotShown(t *testing.T) {
	p := healthz(func(p *probe.Probe) {
		p.Path = "/ok?token=hunter%322&a=b"
		p.HTTPHeaders = []probe.Header{{Name: "Authorization", Value: "Bearer correcthorse"}}
	})
	for _, text := range []string{"GET /ok?token=hunter%322&a=b", "token is hunter22", "Authorization: Bearer correcthorse", "correcthorse", "token=hunter%322"} {
		err := fmt.Errorf("malformed HTTP response %q: try b", text)
		o := probe.Observe(p, probe.Observation{}, probe.Response{At: noon, Err: err})
		if strings.Contains(o.Cause, "hunter") || strings.Contains(o.Cause, "correcthorse") || !strings.Contains(o.Cause, "malformed HTTP response") || !strings.HasSuffix(o.Cause, ": try b") {
			t.Errorf("the cause is %s", o.Cause)
		}
	}
}

// What is cut off, or quoted once more, holds the secret all the same.
func TestASecretIsNotShownInParts(t *testing.T) {
	const secret = `HUNTER"2" CORRECT HORSE`
	p := healthz(func(p *probe.Probe) {
		p.HTTPHeaders = []probe.Header{{Name: "Authorization", Value: secret}}
	})
	for before := range 400 {
		for _, text := range []string{secret, fmt.Sprintf("%q", secret), fmt.Sprintf("%q", "it said "+secret)} {
			err := errors.New(strings.Repeat("x", before) + text)
			o := probe.Observe(p, probe.Observation{}, probe.Response{At: noon, Err: err})
			if strings.ContainsAny(o.Cause, secret[:6]+"2COS") {
				t.Fatalf("%d: the cause is %s", before, o.Cause)
			}
		}
	}
}
