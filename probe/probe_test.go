package probe_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
)

func TestAProbeHasDefaults(t *testing.T) {
	for _, c := range []struct {
		name        string
		probe, want probe.Probe
	}{
		{"all but the host and the port", probe.Probe{Host: "health", Port: 80},
			probe.Probe{Mode: probe.StatusMode, Scheme: "http", Host: "health", Port: 80, Path: "/", TimeoutSeconds: 1, PeriodSeconds: 10,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 21}},
		{"the maximum age is two periods and a timeout", probe.Probe{PeriodSeconds: 60, TimeoutSeconds: 5},
			probe.Probe{Mode: probe.StatusMode, Scheme: "http", Path: "/", TimeoutSeconds: 5, PeriodSeconds: 60,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 125}},
		{"what is written stays", probe.Probe{Name: "health", Mode: probe.BodyMode, Scheme: "https", Host: "h", Port: 1, Path: "/x",
			HTTPHeaders: []probe.Header{{Name: "A", Value: "b"}}, TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6},
			probe.Probe{Name: "health", Mode: probe.BodyMode, Scheme: "https", Host: "h", Port: 1, Path: "/x",
				HTTPHeaders: []probe.Header{{Name: "A", Value: "b"}}, TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6}},
		{"a scheme in capitals is that in small letters", probe.Probe{Scheme: "HTTPS", PeriodSeconds: 1},
			probe.Probe{Mode: probe.StatusMode, Scheme: "https", Path: "/", TimeoutSeconds: 1, PeriodSeconds: 1,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 3}},
		{"brackets are no part of an IPv6 address", probe.Probe{Host: "[fd00::1]", PeriodSeconds: 1},
			probe.Probe{Mode: probe.StatusMode, Scheme: "http", Host: "fd00::1", Path: "/", TimeoutSeconds: 1, PeriodSeconds: 1,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 3}},
		{"a single bracket stays, and is wrong", probe.Probe{Host: "[fd00::1", PeriodSeconds: 1},
			probe.Probe{Mode: probe.StatusMode, Scheme: "http", Host: "[fd00::1", Path: "/", TimeoutSeconds: 1, PeriodSeconds: 1,
				SuccessThreshold: 1, FailureThreshold: 1, MaxAgeSeconds: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.probe.WithDefaults()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDurationsAreWholeSeconds(t *testing.T) {
	for _, c := range []struct {
		name                    string
		probe                   probe.Probe
		timeout, period, maxAge time.Duration
	}{
		{"by default", probe.Probe{}, time.Second, 10 * time.Second, 21 * time.Second},
		{"as written", probe.Probe{TimeoutSeconds: 3, PeriodSeconds: 60, MaxAgeSeconds: 90}, 3 * time.Second, time.Minute, 90 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.probe.Timeout(); got != c.timeout {
				t.Errorf("timeout %s", got)
			}
			if got := c.probe.Period(); got != c.period {
				t.Errorf("period %s", got)
			}
			if got := c.probe.MaxAge(); got != c.maxAge {
				t.Errorf("maximum age %s", got)
			}
		})
	}
}

func TestWhatIsAskedAndWhatItIsCalled(t *testing.T) {
	for _, c := range []struct {
		name      string
		probe     probe.Probe
		url, text string
	}{
		{"the RFC's example", probe.Probe{Scheme: "http", Host: "myclusterhealth.svc.local", Port: 8080, Path: "/healthz"},
			"http://myclusterhealth.svc.local:8080/healthz", "http://myclusterhealth.svc.local:8080/healthz"},
		{"a port and a path are written out even where they are usual", probe.Probe{Scheme: "https", Host: "health", Port: 443},
			"https://health:443/", "https://health:443/"},
		{"a name", probe.Probe{Name: "health", Host: "10.0.0.7", Port: 80}, "http://10.0.0.7:80/", "health"},
		{"a scheme in capitals", probe.Probe{Scheme: "HTTPS", Host: "health", Port: 443}, "https://health:443/", "https://health:443/"},
		{"a query is asked, and not shown", probe.Probe{Host: "health", Port: 80, Path: "/ok?token=hunter2&pool=gpu"},
			"http://health:80/ok?token=hunter2&pool=gpu", "http://health:80/ok"},
		{"what is escaped stays so", probe.Probe{Host: "health", Port: 80, Path: "/a%2Fb%20c?d=%20"}, "http://health:80/a%2Fb%20c?d=%20", "http://health:80/a%2Fb%20c"},
		{"two slashes at the start name no other host", probe.Probe{Host: "health", Port: 80, Path: "//other/x"}, "http://health:80//other/x", "http://health:80//other/x"},
		{"an IPv6 address", probe.Probe{Host: "fd00::1", Port: 80}, "http://[fd00::1]:80/", "http://[fd00::1]:80/"},
		{"an IPv6 address in brackets", probe.Probe{Host: "[fd00::1]", Port: 80}, "http://[fd00::1]:80/", "http://[fd00::1]:80/"},
		{"an IPv6 address with a zone", probe.Probe{Host: "fe80::1%eth0", Port: 80}, "http://[fe80::1%25eth0]:80/", "http://[fe80::1%25eth0]:80/"},
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
	base := healthz(func(p *probe.Probe) { p.HTTPHeaders = []probe.Header{{Name: "X-Pool", Value: "gpu"}} })
	if got := base.WithDefaults().Key(); got != base.Key() {
		t.Errorf("with defaults it is %s, without %s", got, base.Key())
	}
	seen := map[string]string{base.Key(): "nothing"}
	for field, change := range map[string]func(p *probe.Probe){
		"name": func(p *probe.Probe) { p.Name = "other" }, "mode": func(p *probe.Probe) { p.Mode = probe.BodyMode },
		"scheme": func(p *probe.Probe) { p.Scheme = "https" }, "host": func(p *probe.Probe) { p.Host = "other" },
		"port": func(p *probe.Probe) { p.Port++ }, "query": func(p *probe.Probe) { p.Path += "?pool=a" },
		"another query": func(p *probe.Probe) { p.Path += "?pool=b" }, "header": func(p *probe.Probe) { p.HTTPHeaders = []probe.Header{{Name: "X-Pool", Value: "web"}} },
		"timeout": func(p *probe.Probe) { p.TimeoutSeconds = 2 }, "period": func(p *probe.Probe) { p.PeriodSeconds = 20 },
		"successes": func(p *probe.Probe) { p.SuccessThreshold = 2 }, "failures": func(p *probe.Probe) { p.FailureThreshold = 2 },
		"age": func(p *probe.Probe) { p.MaxAgeSeconds = 60 }, "fault": func(p *probe.Probe) { p.Broken = "it is" },
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
	for want, p := range map[string]probe.Probe{
		`{}`: {Broken: "nobody can read it"},
		`{"name":"n","mode":"body","scheme":"HTTP","host":"h","port":80,"path":"/x","httpHeaders":[{"name":"A","value":""}]}`: {
			Name: "n", Mode: probe.BodyMode, Scheme: "HTTP", Host: "h", Port: 80, Path: "/x", HTTPHeaders: []probe.Header{{Name: "A"}}},
		`{"timeoutSeconds":2,"periodSeconds":3,"successThreshold":4,"failureThreshold":5,"maxAgeSeconds":6}`: {
			TimeoutSeconds: 2, PeriodSeconds: 3, SuccessThreshold: 4, FailureThreshold: 5, MaxAgeSeconds: 6},
	} {
		if got, err := json.Marshal(p); string(got) != want || err != nil {
			t.Errorf("%s, want %s; %v", got, want, err)
		}
	}
}
