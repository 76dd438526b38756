package httpget_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// well is the observation of a probe that answered well, once.
func well(at time.Time) probe.Observation {
	return probe.Observation{At: at, Healthy: true, Streak: 1}
}

func TestEveryFaultOfAProbeIsQuotedAndSaysWhatToWrite(t *testing.T) {
	long := strings.Repeat("a", 254)
	for _, c := range []struct {
		name   string
		change func(p *httpget.Spec)
		field  string   // at the start of the error
		says   []string // all of these
	}{
		{"a name of two lines", func(p *httpget.Spec) { p.Name = "health\nall is well" }, "name", []string{`"health\nall is well"`, "write it on one line"}},
		{"a mode that is none", func(p *httpget.Spec) { p.Mode = "readiness" }, "mode", []string{`"readiness"`, "write status, body or cluster"}},
		{"a mode in capitals", func(p *httpget.Spec) { p.Mode = "Body" }, "mode", []string{`"Body"`, "write status, body or cluster"}},
		{"a scheme that is none", func(p *httpget.Spec) { p.Scheme = "ftp" }, "scheme", []string{`"ftp"`, "write http or https"}},
		{"a scheme with its separator", func(p *httpget.Spec) { p.Scheme = "http://" }, "scheme", []string{`"http://"`, "write http or https"}},
		{"no host: there is no pod whose address could be meant", func(p *httpget.Spec) { p.Host = "" }, "host", []string{"missing", "write a name or an address"}},
		{"brackets around nothing", func(p *httpget.Spec) { p.Host = "[]" }, "host", []string{"missing", "write a name or an address"}},
		{"a URL for a host", func(p *httpget.Spec) { p.Host = "http://health/ok" }, "host", []string{`"http://health/ok"`, "URL", "write a name", "separate fields"}},
		{"a host with its port", func(p *httpget.Spec) { p.Host = "health:80" }, "host", []string{`"health:80"`, "write a name", "the port as a separate field"}},
		{"an IPv6 address with its port", func(p *httpget.Spec) { p.Host = "[fd00::1]:80" }, "host", []string{`"[fd00::1]:80"`, "the port as a separate field"}},
		{"an IPv6 address that is none", func(p *httpget.Spec) { p.Host = "fd00::g" }, "host", []string{`"fd00::g"`, "write a name or an address"}},
		{"an IPv6 address in two pairs of brackets", func(p *httpget.Spec) { p.Host = "[[fd00::1]]" }, "host", []string{`"[[fd00::1]]"`, "write a name or an address"}},
		{"an IPv6 address with an empty zone", func(p *httpget.Spec) { p.Host = "fe80::1%" }, "host", []string{`"fe80::1%"`, "write a name or an address"}},
		{"an IPv6 address with a zone of other characters", func(p *httpget.Spec) { p.Host = "fe80::1%eth0]@other:80/" }, "host", []string{`"…@other:80/"`, "write a name or an address"}},
		{"an IPv6 address with a zone of two lines", func(p *httpget.Spec) { p.Host = "fe80::1%\r\nHost: other" }, "host", []string{`"fe80::1%\r\nHost: other"`, "write a name or an address"}},
		{"an IPv4 address in brackets, which are for IPv6", func(p *httpget.Spec) { p.Host = "[10.0.0.7]" }, "host", []string{`"[10.0.0.7]"`, "write a name or an address"}},
		{"a name in brackets", func(p *httpget.Spec) { p.Host = "[health]" }, "host", []string{`"[health]"`, "write a name or an address"}},
		{"a zone that is escaped as in a URL", func(p *httpget.Spec) { p.Host = "fe80::1%25eth0" }, "host", []string{`"fe80::1%25eth0"`, "write fe80::1%eth0"}},
		{"a name with nothing between two dots", func(p *httpget.Spec) { p.Host = "health..svc" }, "host", []string{`"health..svc"`, "write a name or an address"}},
		{"a name that begins with a dot", func(p *httpget.Spec) { p.Host = ".svc" }, "host", []string{`".svc"`, "write a name or an address"}},
		{"a single bracket", func(p *httpget.Spec) { p.Host = "health]" }, "host", []string{`"health]"`, "write a name or an address"}},
		{"a host with spaces", func(p *httpget.Spec) { p.Host = " health" }, "host", []string{`" health"`, "write a name or an address"}},
		{"a host with a path", func(p *httpget.Spec) { p.Host = "health/ok" }, "host", []string{`"health/ok"`, "write a name or an address"}},
		{"a host with a user", func(p *httpget.Spec) { p.Host = "me@health" }, "host", []string{`"…@health"`, "write a name or an address"}},
		{"a host that no DNS name can be as long as", func(p *httpget.Spec) { p.Host = long }, "host", []string{`"aaa`, "write a name or an address"}},
		{"not a port", func(p *httpget.Spec) { p.Port = 0 }, "port", []string{"missing", "write a number from 1 to 65535"}},
		{"a port below all others", func(p *httpget.Spec) { p.Port = -1 }, "port", []string{"-1 ", "write a number from 1 to 65535"}},
		{"a port above all others", func(p *httpget.Spec) { p.Port = 65536 }, "port", []string{"65536 ", "write a number from 1 to 65535"}},
		{"a path without its slash", func(p *httpget.Spec) { p.Path = "healthz" }, "path", []string{`"healthz"`, "write one such as /healthz"}},
		{"a URL for a path", func(p *httpget.Spec) { p.Path = "http://health/ok" }, "path", []string{`"http://health/ok"`, "URL", "write the path alone", "separate fields"}},
		{"a path of spaces", func(p *httpget.Spec) { p.Path = " " }, "path", []string{`" "`, "write one such as /healthz"}},
		{"a path that asks for the server", func(p *httpget.Spec) { p.Path = "*" }, "path", []string{`"*"`, "write one such as /healthz"}},
		{"a space in a path", func(p *httpget.Spec) { p.Path = "/my pools" }, "path", []string{`"/my pools"`, "with spaces as %20"}},
		{"a query with an escape that is none", func(p *httpget.Spec) { p.Path = "/ok?pool=%zz" }, "path", []string{`"/ok"`, "its query is not valid"}},
		{"a query that is not ASCII", func(p *httpget.Spec) { p.Path = "/ok?pool=é" }, "path", []string{`"/ok"`, "its query is not valid"}},
		{"a tab in a query", func(p *httpget.Spec) { p.Path = "/ok?pool=\t" }, "path", []string{`"/ok"`, "write one such as"}},
		{"a space in a query, which would end the address", func(p *httpget.Spec) { p.Path = "/ok?pool=my pool" }, "path", []string{`"/ok"`, "with spaces as %20"}},
		{"a fragment", func(p *httpget.Spec) { p.Path = "/ok#pools" }, "path", []string{`"/ok#pools"`, "write %23 for #"}},
		{"a path with an escape that is none", func(p *httpget.Spec) { p.Path = "/%zz" }, "path", []string{`"/%zz"`, "write one such as /healthz"}},
		{"a path of two lines", func(p *httpget.Spec) { p.Path = "/ok\r\nHost: other" }, "path", []string{`"/ok\r\nHost: other"`, "write one such as /healthz"}},
		{"a header without a name", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{Value: "gpu"}} }, "httpHeaders[0]", []string{`""`, "write one such as X-Pool"}},
		{"a header's name with a space", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"X-Pool", "gpu"}, {"X Pool", "gpu"}} }, "httpHeaders[1]", []string{`"X"`, "write one such as X-Pool"}},
		{"a header's name with its value", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"X-Pool: gpu", ""}} }, "httpHeaders[0]", []string{`"X-Pool"`, "write one such as X-Pool", "its value"}},
		{"a header's name with an umlaut", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"Größe", "gpu"}} }, "httpHeaders[0]", []string{`"Größe"`, "write one such as X-Pool"}},
		{"a header's name with the character behind the last", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"X\x7f", "gpu"}} }, "httpHeaders[0]", []string{`"X\x7f"`, "write one such as X-Pool"}},
		{"a header's value of two lines", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"X-Pool", "gpu\r\nX-Other: x"}} }, "httpHeaders[0]", []string{"X-Pool", "write it on one line"}},
		{"a header's value with a control character", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"X-Pool", "gpu\x7f"}} }, "httpHeaders[0]", []string{"X-Pool", "write it on one line"}},
		{"a second Host", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"Host", "a"}, {"HOST", "b"}} }, "httpHeaders[1]", []string{"HOST", "delete it"}},
		{"a second User-Agent", func(p *httpget.Spec) {
			p.HTTPHeaders = []httpget.Header{{"User-Agent", "a"}, {"X-Pool", "gpu"}, {"user-agent", "a"}}
		}, "httpHeaders[2]", []string{"user-agent", "delete it"}},
		{"a timeout below zero", func(p *httpget.Spec) { p.TimeoutSeconds = -1 }, "timeoutSeconds", []string{"-1 ", "write 1 to 86400"}},
		{"a timeout of more than a day", func(p *httpget.Spec) { p.TimeoutSeconds = 86401 }, "timeoutSeconds", []string{"86401 ", "write 1 to 86400"}},
		{"a period below zero", func(p *httpget.Spec) { p.PeriodSeconds = -10 }, "periodSeconds", []string{"-10 ", "write 1 to 86400"}},
		{"a period of more than a day", func(p *httpget.Spec) { p.PeriodSeconds = 86401 }, "periodSeconds", []string{"86401 ", "write 1 to 86400"}},
		{"a success threshold below zero", func(p *httpget.Spec) { p.SuccessThreshold = -1 }, "successThreshold", []string{"-1 ", "write 1 to 1000000"}},
		{"a success threshold that nobody reaches", func(p *httpget.Spec) { p.SuccessThreshold = 1_000_001 }, "successThreshold", []string{"1000001 ", "write 1 to 1000000"}},
		{"a failure threshold below zero", func(p *httpget.Spec) { p.FailureThreshold = -1 }, "failureThreshold", []string{"-1 ", "write 1 to 1000000"}},
		{"a failure threshold that nobody reaches", func(p *httpget.Spec) { p.FailureThreshold = 1_000_001 }, "failureThreshold", []string{"1000001 ", "write 1 to 1000000"}},
		{"a maximum age below zero", func(p *httpget.Spec) { p.MaxAgeSeconds = -1 }, "maxAgeSeconds", []string{"-1 ", "write 1 to 259200"}},
		{"a maximum age of more than three days", func(p *httpget.Spec) { p.MaxAgeSeconds = 259201 }, "maxAgeSeconds", []string{"259201 ", "write 1 to 259200"}},
		{"a maximum age that ends with the period", func(p *httpget.Spec) { p.PeriodSeconds, p.MaxAgeSeconds = 60, 60 }, "maxAgeSeconds", []string{"60 ", "periodSeconds", "write more, such as 180"}},
		{"a maximum age that is shorter than the default of the period", func(p *httpget.Spec) { p.MaxAgeSeconds = 1 }, "maxAgeSeconds", []string{"1 ", "10 of periodSeconds", "write more, such as 30"}},
		{"a reader's verdict", func(p *httpget.Spec) { p.Broken = "nobody can read it: write a probe" }, "nobody can read it", []string{"write a probe"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := healthz(c.change)
			err := p.Validate()
			if err == nil {
				t.Fatal("it is valid")
			}
			if !strings.HasPrefix(err.Error(), c.field+": ") || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("%s is not of %s alone, in a few words", err, c.field)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%s does not say %s", err, s)
				}
			}
			v := probe.ProbeVerdict(p.Probe(), well(noon), noon)
			b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, noon)
			if v.Allowed || v.Code != "invalid-probe" || !blocked || b.Code != "invalid-probe" || b.Gate != "probe" {
				t.Errorf("such a probe says %s, and blocks with %q (%t)", v, b, blocked)
			}
			if !strings.Contains(b.Message, err.Error()) || !strings.HasPrefix(b.Message, wording.Quote(p.String())+": ") {
				t.Errorf("the blocker says %s", b)
			}
		})
	}
}

func TestProbesThatAreValid(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *httpget.Spec)
	}{
		{"the RFC's example", nil},
		{"each mode: status", func(p *httpget.Spec) { p.Mode = httpget.StatusMode }},
		{"each mode: body", func(p *httpget.Spec) { p.Mode = httpget.BodyMode }},
		{"each mode: cluster", func(p *httpget.Spec) { p.Mode = httpget.ClusterMode }},
		{"a name that is not ASCII, with spaces", func(p *httpget.Spec) { p.Name = "Störfälle, alle" }},
		{"no scheme", func(p *httpget.Spec) { p.Scheme = "" }},
		{"a scheme in any case", func(p *httpget.Spec) { p.Scheme = "hTTpS" }},
		{"the first port", func(p *httpget.Spec) { p.Port = 1 }},
		{"the last port", func(p *httpget.Spec) { p.Port = 65535 }},
		{"an IPv4 address", func(p *httpget.Spec) { p.Host = "10.0.0.7" }},
		{"an IPv6 address", func(p *httpget.Spec) { p.Host = "fd00::1" }},
		{"an IPv6 address in brackets", func(p *httpget.Spec) { p.Host = "[fd00::1]" }},
		{"an IPv6 address with a zone", func(p *httpget.Spec) { p.Host = "fe80::1%eth0" }},
		{"an IPv6 address with a zone, in brackets", func(p *httpget.Spec) { p.Host = "[fe80::1%eth0]" }},
		{"a name with a dash, an underscore and a dot at its end", func(p *httpget.Spec) { p.Host = "my-health_1.example.com." }},
		{"a name that is not ASCII", func(p *httpget.Spec) { p.Host = "gesundheit.münchen.example" }},
		{"a name as long as names can be", func(p *httpget.Spec) { p.Host = strings.Repeat("a.", 126) + "a" }},
		{"no path", func(p *httpget.Spec) { p.Path = "" }},
		{"a query", func(p *httpget.Spec) { p.Path = "/healthz?pool=gpu&zone=%23a" }},
		{"a query of odd characters", func(p *httpget.Spec) { p.Path = "/healthz?a=!~*'()+,;:@/?" }},
		{"two slashes", func(p *httpget.Spec) { p.Path = "//x" }},
		{"a header twice, one of them empty", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"X-Pool", "gpu"}, {"X-Pool", ""}} }},
		{"a Host and a User-Agent", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"Host", "other"}, {"User-Agent", "me"}} }},
		{"a header with all that a token may have", func(p *httpget.Spec) { p.HTTPHeaders = []httpget.Header{{"aZ09!#$%&'*+-.^_`|~", "a\tß \"<>"}} }},
		{"the longest of times", func(p *httpget.Spec) { p.TimeoutSeconds, p.PeriodSeconds, p.MaxAgeSeconds = 86400, 86400, 259200 }},
		{"the longest of times by default", func(p *httpget.Spec) { p.TimeoutSeconds, p.PeriodSeconds = 86400, 86400 }},
		{"the highest thresholds", func(p *httpget.Spec) { p.SuccessThreshold, p.FailureThreshold = 1_000_000, 1_000_000 }},
		{"a maximum age that is just longer than the period", func(p *httpget.Spec) { p.PeriodSeconds, p.MaxAgeSeconds = 60, 61 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := healthz(c.change)
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
			if err := p.WithDefaults().Validate(); err != nil {
				t.Errorf("with its defaults: %v", err)
			}
		})
	}
}

func TestAllFaultsAreNamedAtOnce(t *testing.T) {
	p := httpget.Spec{Name: "\t", Mode: "x", Scheme: "x", Host: "x y", Port: -1, Path: "x", HTTPHeaders: []httpget.Header{{}, {Name: "a", Value: "\n"}},
		TimeoutSeconds: -1, PeriodSeconds: -1, SuccessThreshold: -1, FailureThreshold: -1, MaxAgeSeconds: -1}
	var fields []string
	for line := range strings.Lines(p.Validate().Error()) {
		field, _, _ := strings.Cut(line, ":")
		fields = append(fields, field)
	}
	want := "name mode scheme host port path httpHeaders[0] httpHeaders[1] timeoutSeconds periodSeconds successThreshold failureThreshold maxAgeSeconds"
	if got := strings.Join(fields, " "); got != want {
		t.Errorf("%s", got)
	}
	v := probe.ProbeVerdict(p.Probe(), probe.Observation{}, noon)
	if strings.Contains(v.Cause, "\n") || strings.Count(v.Cause, "; ") != strings.Count(want, " ") {
		t.Errorf("the verdict does not name all in one line: %s", v.Cause)
	}
}

func TestABrokenProbeBlocksWhateverWasObserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := testkit.Arbitrary(generate.BrokenProbe).Draw(t, "probe")
		o := probe.Observation{At: noon, Healthy: true, Streak: rapid.IntRange(-2, 5).Draw(t, "streak")}
		now := noon.Add(time.Duration(rapid.IntRange(-1, 100).Draw(t, "seconds")) * time.Second)
		v := probe.ProbeVerdict(p.Probe(), o, now)
		b, blocked := v.Blocker(testkit.Arbitrary(generate.Reason).Draw(t, "reason"), "gpu", nil, now)
		if v.Allowed || !blocked || b.Code != candidate.CodeInvalidProbe || !b.Until.IsZero() {
			t.Fatalf("%s, blocks %t with %s", v, blocked, b)
		}
	})
}
