package httpget_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

func TestASecretInAProbeThatNobodyValidatedIsNotShown(t *testing.T) {
	for _, path := range []string{"healthz?token=hunter2", "/%zz?token=hunter2", "http://me:hunter2@health/ok", "/ok?token=hunter2#a"} {
		if p := healthz(func(p *httpget.Spec) { p.Path = path }); strings.Contains(p.String(), "hunter2") {
			t.Errorf("%s is called %s", path, p)
		}
	}
}

func TestASecretInTheSchemeOfAProbeThatNobodyValidatedIsNotShown(t *testing.T) {
	for _, scheme := range []string{"https://me:hunter2@health", "https://health/ok?token=hunter2"} {
		p := healthz(func(p *httpget.Spec) { p.Scheme = scheme })
		if v := probe.ProbeVerdict(p.Probe(), probe.Observation{}, noon); strings.Contains(p.String()+v.String(), "hunter2") || !strings.HasSuffix(p.String(), "//"+p.Host+":8080/healthz") {
			t.Errorf("%s is called %s, and says %s", scheme, p, v)
		}
	}
}

func TestAnInvalidHostDoesNotRevealASecret(t *testing.T) {
	for _, host := range []string{"https://me:hunter2@health/ok", "https://h/?token=hunter2", "me:hunter2@health", "health/ok?token=hunter2"} {
		p := httpget.Spec{Host: host, Port: 80}
		if s := fmt.Sprint(p, p.Validate(), probe.ProbeVerdict(p.Probe(), probe.Observation{}, noon)); strings.Contains(s, "hunter2") {
			t.Error(s)
		}
	}
}
