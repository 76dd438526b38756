package httpget_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

func TestAProbeHasDefaults(t *testing.T) {
	for _, c := range []struct {
		name        string
		probe, want httpget.Spec
	}{
		{"all but the host and the port", httpget.Spec{Host: "health", Port: 80},
			httpget.Spec{Mode: httpget.StatusMode, Scheme: "http", Host: "health", Port: 80, Path: "/", TimeoutSeconds: 1, PeriodSeconds: 10,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 21}},
		{"the maximum age is two periods and a timeout", httpget.Spec{PeriodSeconds: 60, TimeoutSeconds: 5},
			httpget.Spec{Mode: httpget.StatusMode, Scheme: "http", Path: "/", TimeoutSeconds: 5, PeriodSeconds: 60,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 125}},
		{"what is written stays", httpget.Spec{Name: "health", Mode: httpget.BodyMode, Scheme: "https", Host: "h", Port: 1, Path: "/x",
			HTTPHeaders: []httpget.Header{{Name: "A", Value: "b"}}, TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6},
			httpget.Spec{Name: "health", Mode: httpget.BodyMode, Scheme: "https", Host: "h", Port: 1, Path: "/x",
				HTTPHeaders: []httpget.Header{{Name: "A", Value: "b"}}, TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6}},
		{"a scheme in capitals is that in small letters", httpget.Spec{Scheme: "HTTPS", PeriodSeconds: 1},
			httpget.Spec{Mode: httpget.StatusMode, Scheme: "https", Path: "/", TimeoutSeconds: 1, PeriodSeconds: 1,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 3}},
		{"brackets are no part of an IPv6 address", httpget.Spec{Host: "[fd00::1]", PeriodSeconds: 1},
			httpget.Spec{Mode: httpget.StatusMode, Scheme: "http", Host: "fd00::1", Path: "/", TimeoutSeconds: 1, PeriodSeconds: 1,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 3}},
		{"a single bracket stays, and is wrong", httpget.Spec{Host: "[fd00::1", PeriodSeconds: 1},
			httpget.Spec{Mode: httpget.StatusMode, Scheme: "http", Host: "[fd00::1", Path: "/", TimeoutSeconds: 1, PeriodSeconds: 1,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.probe.WithDefaults()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsAskedAndWhatItIsCalled(t *testing.T) {
	for _, c := range []struct {
		name      string
		probe     httpget.Spec
		url, text string
	}{
		{"the RFC's example", httpget.Spec{Scheme: "http", Host: "myclusterhealth.svc.local", Port: 8080, Path: "/healthz"},
			"http://myclusterhealth.svc.local:8080/healthz", "http://myclusterhealth.svc.local:8080/healthz"},
		{"a port and a path are written out even where they are usual", httpget.Spec{Scheme: "https", Host: "health", Port: 443},
			"https://health:443/", "https://health:443/"},
		{"a name", httpget.Spec{Name: "health", Host: "10.0.0.7", Port: 80}, "http://10.0.0.7:80/", "health"},
		{"a scheme in capitals", httpget.Spec{Scheme: "HTTPS", Host: "health", Port: 443}, "https://health:443/", "https://health:443/"},
		{"a query is asked, and not shown", httpget.Spec{Host: "health", Port: 80, Path: "/ok?token=hunter2&pool=gpu"},
			"http://health:80/ok?token=hunter2&pool=gpu", "http://health:80/ok"},
		{"what is escaped stays so", httpget.Spec{Host: "health", Port: 80, Path: "/a%2Fb%20c?d=%20"}, "http://health:80/a%2Fb%20c?d=%20", "http://health:80/a%2Fb%20c"},
		{"two slashes at the start name no other host", httpget.Spec{Host: "health", Port: 80, Path: "//other/x"}, "http://health:80//other/x", "http://health:80//other/x"},
		{"an IPv6 address", httpget.Spec{Host: "fd00::1", Port: 80}, "http://[fd00::1]:80/", "http://[fd00::1]:80/"},
		{"an IPv6 address in brackets", httpget.Spec{Host: "[fd00::1]", Port: 80}, "http://[fd00::1]:80/", "http://[fd00::1]:80/"},
		{"an IPv6 address with a zone", httpget.Spec{Host: "fe80::1%eth0", Port: 80}, "http://[fe80::1%25eth0]:80/", "http://[fe80::1%25eth0]:80/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.probe.URL().String(); got != c.url {
				t.Errorf("it asks %s, want %s", got, c.url)
			}
			if got := c.probe.String(); got != c.text {
				t.Errorf("it is called %s, want %s", got, c.text)
			}
		})
	}
}

func TestDefaultsAreFilledInOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := testkit.Arbitrary(generate.Probe).Draw(t, "probe")
		full := p.WithDefaults()
		if diff := cmp.Diff(full, full.WithDefaults()); diff != "" {
			t.Fatal(diff)
		}
		if p.URL().String() != full.URL().String() || p.String() != full.String() {
			t.Fatalf("%s is %s, with defaults %s is %s", p, p.URL(), full, full.URL())
		}
		if err := full.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestProbesThatAskAnythingElseHaveAnotherKey(t *testing.T) {
	base := healthz(func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{Name: "X-Pool", Value: "gpu"}} })
	if got := base.WithDefaults().Key(); got != base.Key() {
		t.Errorf("with defaults it is %s, without %s", got, base.Key())
	}
	seen := map[string]string{base.Key(): "nothing"}
	for field, change := range map[string]func(p *httpget.Spec){
		"name": func(p *httpget.Spec) { p.Name = "other" }, "mode": func(p *httpget.Spec) { p.Mode = httpget.BodyMode },
		"scheme": func(p *httpget.Spec) { p.Scheme = "https" }, "host": func(p *httpget.Spec) { p.Host = "other" },
		"port": func(p *httpget.Spec) { p.Port++ }, "query": func(p *httpget.Spec) { p.Path += "?pool=a" },
		"another query": func(p *httpget.Spec) { p.Path += "?pool=b" }, "header": func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{Name: "X-Pool", Value: "web"}} },
		"timeout": func(p *httpget.Spec) { p.TimeoutSeconds = 2 }, "period": func(p *httpget.Spec) { p.PeriodSeconds = 20 },
		"successes": func(p *httpget.Spec) { p.SuccessThreshold = 2 }, "failures": func(p *httpget.Spec) { p.FailureThreshold = 2 },
		"age": func(p *httpget.Spec) { p.MaxAgeSeconds = 60 }, "fault": func(p *httpget.Spec) { p.Broken = "it is" },
	} {
		p := base
		change(&p)
		if other, there := seen[p.Key()]; there {
			t.Errorf("with another %s it has the key of one with another %s", field, other)
		}
		seen[p.Key()] = field
	}
}

func TestAProbeIsWrittenAsPeopleWriteIt(t *testing.T) {
	for want, p := range map[string]httpget.Spec{
		`{}`: {Broken: "nobody can read it"},
		`{"name":"n","mode":"body","scheme":"HTTP","host":"h","port":80,"path":"/x","httpHeaders":[{"name":"A","value":""}]}`: {
			Name: "n", Mode: httpget.BodyMode, Scheme: "HTTP", Host: "h", Port: 80, Path: "/x", HTTPHeaders: []httpget.Header{{Name: "A"}}},
		`{"timeoutSeconds":2,"periodSeconds":3,"successThreshold":4,"failureThreshold":5,"maxAgeSeconds":6}`: {
			TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6},
	} {
		if got, err := json.Marshal(p); string(got) != want || err != nil {
			t.Errorf("%s, want %s; %v", got, want, err)
		}
	}
}
