package httpget_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// healthz returns the probe of the RFC's example, changed.
func healthz(change func(p *httpget.Spec)) httpget.Spec {
	p := httpget.Spec{Scheme: "http", Host: "myclusterhealth.svc.local", Port: 8080, Path: "/healthz"}
	if change != nil {
		change(&p)
	}
	return p
}

// ok is an answer of 200.
func ok(at time.Time) httpget.Response { return httpget.Response{At: at, Status: 200} }

func TestOnlyAnAnswerOf200To202AllowsNodes(t *testing.T) {
	for _, c := range []struct {
		name     string
		response httpget.Response
		code     string
		says     string
	}{
		{"200", httpget.Response{Status: 200}, "", ""},
		{"201", httpget.Response{Status: 201}, "", ""},
		{"a body does not matter", httpget.Response{Status: 200, Body: []byte("all is lost")}, "", ""},
		{"no answer", httpget.Response{}, "no-answer", "no answer"},
		{"an error", httpget.Response{Err: errors.New("connection refused")}, "no-answer", "connection refused"},
		{"an error after the status", httpget.Response{Status: 200, Err: errors.New("cut off")}, "no-answer", "cut off"},
		{"an error without words", httpget.Response{Status: 200, Err: errors.New("")}, "no-answer", "no answer"},
		{"a long error in part", httpget.Response{Err: errors.New(strings.Repeat("x", 10_000))}, "no-answer", "xxx"},
		{"a negative status", httpget.Response{Status: -1}, "unhealthy", "-1"},
		{"199", httpget.Response{Status: 199}, "unhealthy", "199"},
		{"203", httpget.Response{Status: 203}, "unhealthy", "203"},
		{"204, which has no content", httpget.Response{Status: 204}, "unhealthy", "204"},
		{"300", httpget.Response{Status: 300}, "unhealthy", "redirects are not followed"},
		{"399", httpget.Response{Status: 399}, "unhealthy", "redirects are not followed"},
		{"400", httpget.Response{Status: 400}, "unhealthy", "only 200 to 202"},
		{"503", httpget.Response{Status: 503}, "unhealthy", "503"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []httpget.Mode{"", httpget.StatusMode, httpget.BodyMode, httpget.ClusterMode} {
				p := healthz(func(p *httpget.Spec) { p.Mode = mode })
				r := c.response
				r.At = noon
				if mode == httpget.BodyMode || mode == httpget.ClusterMode {
					r.Body = []byte(`{"deniedActions": []}`)
				}
				o := httpget.Observe(p, probe.Observation{}, r)
				want := probe.Observation{At: noon, Healthy: c.code == "", Streak: 1, Code: candidate.Code(c.code), Cause: o.Cause}
				if c.code != "" {
					want.Streak = -1
				}
				if diff := cmp.Diff(want, o); diff != "" {
					t.Errorf("mode %s: %s", mode, diff)
				}
				if !strings.Contains(o.Cause, c.says) || (o.Cause == "") != (c.code == "") || len(o.Cause) > 400 {
					t.Errorf("mode %s: the cause is %q", mode, o.Cause)
				}
				v := probe.ProbeVerdict(p.Probe(), o, noon)
				b, blocked := v.Blocker(candidate.Drifted, "gpu", nil, noon)
				if v.Allowed != (c.code == "") || blocked == v.Allowed || string(b.Code) != c.code {
					t.Errorf("mode %s: %s, blocked by %s", mode, v, b)
				}
				if blocked && b.Message != p.String()+": "+o.Cause {
					t.Errorf("mode %s: it says %s", mode, b.Message)
				}
			}
		})
	}
}

// A story is a sequence of answers: "+" is good and denies nothing, "-" is bad, anything else is what a good one denies.
func tell(p httpget.Spec, story string) probe.Observation {
	var o probe.Observation
	for i, word := range strings.Fields(story) {
		r := ok(noon.Add(time.Duration(i) * time.Second))
		switch word {
		case "-":
			r.Status = 503
		case "+":
			r.Body = []byte(`{"deniedActions": []}`)
		default:
			r.Body = []byte(`{"deniedActions": ["` + strings.ReplaceAll(word, ",", `","`) + `"]}`)
		}
		o = httpget.Observe(p, o, r)
	}
	return o
}

func TestCausesAreOnOneLine(t *testing.T) {
	for _, o := range []probe.Observation{
		httpget.Observe(healthz(nil), probe.Observation{}, httpget.Response{At: noon, Err: errors.New("line 1\n\tline 2\n")}),
		answered(httpget.BodyMode, "{\"deniedActions\": [{\n\"name\": 1}]}"),
		answered(httpget.BodyMode, "{\"deniedActions\": {\n\"name\": 1}}"),
		answered(httpget.ClusterMode, "{\"deniedActions\": [{\"name\": \"drift\",\n\"nodePools\": [\n]}]}"),
		answered(httpget.BodyMode, "{\"deniedActions\": [{\"\u202eafter\u200b\": 1}]}"),
		httpget.Observe(healthz(nil), probe.Observation{}, httpget.Response{At: noon, Err: errors.New("\u202eafter\xff")}),
	} {
		v := probe.ProbeVerdict(healthz(nil).Probe(), o, noon)
		if b, blocked := v.Blocker("Drifted", "gpu", nil, noon); !blocked || strings.ContainsFunc(b.Message, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(b.Message) {
			t.Errorf("it says %q", b.Message)
		}
	}
}

func TestTheCauseOfADenialIsThatOfTheLastAnswer(t *testing.T) {
	p := healthz(func(p *httpget.Spec) { p.Mode, p.SuccessThreshold = httpget.BodyMode, 3 })
	for story, want := range map[string]string{"first second": `"second"`, "first +": `"first"`, "first second -": `"second"`} {
		o := tell(p, story)
		if len(o.Denied) != 1 || !strings.Contains(o.Denied[0].Cause, want) {
			t.Errorf("%s: %+v, want %s", story, o.Denied, want)
		}
	}
}

func TestTheLastCauseStaysUntilThereAreEnoughGoodAnswers(t *testing.T) {
	p := healthz(func(p *httpget.Spec) { p.SuccessThreshold = 2 })
	bad := httpget.Observe(p, tell(p, "+ +"), httpget.Response{At: noon, Status: 500})
	worse := httpget.Observe(p, bad, httpget.Response{At: noon, Err: errors.New("connection refused")})
	if worse.Code != "no-answer" || !strings.Contains(worse.Cause, "connection refused") {
		t.Errorf("after another bad answer %+v", worse)
	}
	better := httpget.Observe(p, worse, ok(noon))
	if better.Code != worse.Code || better.Cause != worse.Cause {
		t.Errorf("after one good answer %+v", better)
	}
	if good := httpget.Observe(p, better, ok(noon)); good.Code != "" || good.Cause != "" {
		t.Errorf("after two good answers %+v", good)
	}
}

func TestAnObservationIsFromWhenTheLastQuestionWasAsked(t *testing.T) {
	asked := time.Now() // with a monotonic clock, which stands still while a machine sleeps
	berlin := time.FixedZone("", 3600)
	for _, c := range []struct {
		name     string
		response httpget.Response
		want     time.Time
	}{
		{"of a good answer", ok(noon), noon},
		{"of a bad answer", httpget.Response{At: noon.Add(time.Second)}, noon.Add(time.Second)},
		{"in another zone", ok(noon.In(berlin)), noon.In(berlin)},
		{"without the monotonic clock", ok(asked), asked.Round(0)},
		{"never", ok(time.Time{}), time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if o := httpget.Observe(healthz(nil), probe.Observation{At: noon.Add(time.Hour)}, c.response); o.At != c.want {
				t.Errorf("%v, want %v", o.At, c.want)
			}
		})
	}
}

func TestObservingNeverChangesItsInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := testkit.Arbitrary(generate.Probe).Draw(t, "probe")
		o := testkit.Arbitrary(generate.Observation(p, noon)).Draw(t, "observation")
		for range 3 { // appending to what is denied must not be seen elsewhere
			o.Denied = append(make([]probe.Denial, 0, len(o.Denied)+4), o.Denied...)
			r := testkit.Arbitrary(response(p.Mode, noon)).Draw(t, "response")
			before := fmt.Sprintf("%+v %+v %+v", p, o, r)
			first := httpget.Observe(p, o, r)
			said := fmt.Sprintf("%+v", first)
			other := testkit.Arbitrary(response(p.Mode, noon)).Draw(t, "another")
			httpget.Observe(p, o, other)
			httpget.Observe(p, first, other)
			probe.ProbeVerdict(p.Probe(), first, noon).Blocker(candidate.Drifted, "gpu", nil, noon)
			if after := fmt.Sprintf("%+v %+v %+v", p, o, r); after != before {
				t.Fatalf("%s becomes %s", before, after)
			}
			if again := fmt.Sprintf("%+v", first); again != said {
				t.Fatalf("what is returned changes later: %s becomes %s", said, again)
			}
			o = first
		}
	})
}

func TestTheMonotonicClockDoesNotMatter(t *testing.T) {
	p, now := healthz(nil), time.Now()
	o := httpget.Observe(p, probe.Observation{}, ok(now))
	if v := probe.ProbeVerdict(p.Probe(), o, now); !v.Allowed {
		t.Errorf("at the same time it says %s", v)
	}
	// Where a machine sleeps or its clock is set, the wall clock goes on, and the monotonic one does not.
	for _, c := range []struct {
		after time.Duration
		code  string
	}{{p.MaxAge() - 1, ""}, {p.MaxAge(), "stale"}, {-1, "from-the-future"}} {
		for _, later := range []time.Time{now.Add(c.after), now.Add(c.after).Round(0)} {
			v := probe.ProbeVerdict(p.Probe(), o, later)
			if string(v.Code) != c.code || v.StaleAt != now.Add(p.MaxAge()).Round(0) {
				t.Errorf("at %v: %+v", later, v)
			}
		}
	}
}
