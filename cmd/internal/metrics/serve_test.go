package metrics

import (
	"errors"
	"fmt"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/report"
)

func server(t *testing.T, look func() (picture, error)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(site{engine.Disruptkit, time.UTC, look}.handler(host{}))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, s *httptest.Server, path string) (status int, header http.Header, body string) {
	t.Helper()
	answer, err := s.Client().Get(s.URL + path)
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// simulated returns a watch of a fleet some time after the simulation began.
func simulated(t *testing.T, after time.Duration) (*watch, *fleet) {
	t.Helper()
	f, err := newFleet()
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{cluster: f}
	if _, err := w.look(); err != nil {
		t.Fatal(err)
	}
	for f.now.Before(begin.Add(after)) {
		if _, err := w.advance(f); err != nil {
			t.Fatal(err)
		}
	}
	return w, f
}

// parsed returns the samples of a scrape, as the parser of Prometheus reads them: name, labels and value.
func parsed(t *testing.T, text string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	all := map[string]float64{}
	for name, family := range families {
		for _, m := range family.Metric {
			key := name
			for _, l := range m.Label {
				key += fmt.Sprintf(" %s=%q", l.GetName(), l.GetValue())
			}
			all[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return all
}

// reported returns the same of a report.
func reported(r report.Report) map[string]float64 {
	all := map[string]float64{}
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			labels := map[string]string{}
			for _, l := range s.Labels {
				labels[l.Name] = l.Value
			}
			key := m.Name
			for _, name := range []string{"blocker", "code", "gate", "method", "nodepool", "probability", "reason"} { // as they are exposed
				if value, there := labels[name]; there {
					key += fmt.Sprintf(" %s=%q", name, value)
				}
			}
			all[key] = s.Value
		}
	}
	return all
}

func TestAScrapeIsWhatTheReportSays(t *testing.T) {
	w, _ := simulated(t, 24*time.Hour)
	status, header, text := get(t, server(t, w.seen), "/metrics")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%d, %v", status, header)
	}
	golden.Check(t, "metrics.txt", text)
	if diff := cmp.Diff(reported(w.last.report), parsed(t, text)); diff != "" {
		t.Errorf("samples (-report +scrape)\n%s", diff)
	}
}

func TestManyMayScrapeWhileTimePasses(t *testing.T) {
	w, f := simulated(t, 0)
	s := server(t, w.seen)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				path := []string{"/metrics", "/"}[i%2]
				if status, _, text := get(t, s, path); status != http.StatusOK {
					t.Errorf("%s: %d %s", path, status, text)
				}
			}
		})
	}
	for range 100 {
		if _, err := w.advance(f); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}

func TestAFileIsReadAgainAtEachScrape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	w := &watch{cluster: newFile(write(t, path, twoNodes), nil, manifest.Policy{}, time.Time{})}
	s := server(t, w.look)
	const gone = `karpenter_nodepool_disrupted_nodes method="" nodepool="default" reason=""` // what for, the file does not say
	_, _, text := get(t, s, "/metrics")
	if n := parsed(t, text)[gone]; n != 0 {
		t.Errorf("nodes have gone before anything happened:\n%s", text)
	}
	write(t, path, strings.Replace(twoNodes, "{name: claim-a,", "{name: claim-a, deletionTimestamp: 2026-11-20T12:00:00Z,", 1))
	for range 2 {
		_, _, text = get(t, s, "/metrics")
		if n := parsed(t, text)[gone]; n != 1 {
			t.Errorf("%v nodes have gone, want 1:\n%s", n, text)
		}
	}
	write(t, path, "{")
	if status, _, text := get(t, s, "/metrics"); status != http.StatusInternalServerError || !strings.Contains(text, "cluster.yaml") {
		t.Errorf("of a file that is broken: %d %s", status, text)
	}
	if status, _, _ := get(t, s, "/"); status != http.StatusInternalServerError {
		t.Errorf("its page: %d", status)
	}
	write(t, path, twoNodes)
	if status, _, text := get(t, s, "/metrics"); status != http.StatusOK || parsed(t, text)[gone] != 1 {
		t.Errorf("once it is mended: %d %s", status, text)
	}
}

func TestLabelsMayHoldAnyText(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"a quote", `say "hi"`, `say "hi"`},
		{"a line break", "two\nlines", "two\nlines"},
		{"a backslash", `a\nb\`, `a\nb\`},
		{"nothing", "", ""},
		{"other alphabets", "узел-七-🚀", "узел-七-🚀"},
		{"a byte that is no UTF-8", "a\xffb", `a\xffb`},
		{"half a rune", "日\xe6\x97", `日\xe6\x97`},
		{"the replacement rune, which is UTF-8", "a\uFFFDb", "a\uFFFDb"},
		{"a NUL", "a\x00b", "a\x00b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			odd := report.Report{Metrics: []report.Metric{{Name: "odd", Help: `With "quotes" and \.`, Samples: []report.Sample{
				{Labels: []report.Label{{Name: "nodepool", Value: c.value}}, Value: 7},
			}}}}
			status, _, text := get(t, server(t, func() (picture, error) { return picture{report: odd}, nil }), "/metrics")
			want := map[string]float64{fmt.Sprintf("odd nodepool=%q", c.want): 7}
			if diff := cmp.Diff(want, parsed(t, text)); status != http.StatusOK || diff != "" {
				t.Errorf("status %d (-want +got)\n%s", status, diff)
			}
		})
	}
}

func TestTheCollectorKeepsTypesHelpAndValues(t *testing.T) {
	sample := func(v float64) []report.Sample { return []report.Sample{{Value: v}} }
	all := report.Report{Metrics: []report.Metric{
		{Name: "going_up_total", Help: "It rises.", Counter: true, Samples: sample(3)},
		{Name: "level", Help: "It does not.", Samples: sample(-0.5)},
		{Name: "endless", Help: "It has no end.", Samples: sample(math.Inf(1))},
		{Name: "nothing", Help: "There are none."},
	}}
	registry := newRegistry(func() (report.Report, error) { return all, nil })
	want := `# HELP endless It has no end.
# TYPE endless gauge
endless +Inf
# HELP going_up_total It rises.
# TYPE going_up_total counter
going_up_total 3
# HELP level It does not.
# TYPE level gauge
level -0.5
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

func TestAMetricThatPrometheusCannotHaveFailsTheScrape(t *testing.T) {
	for _, m := range []report.Metric{
		{Name: "", Samples: []report.Sample{{}}},
		{Name: "twice", Samples: []report.Sample{{}, {}}},
		{Name: "label", Samples: []report.Sample{{Labels: []report.Label{{Name: "__name__"}}}}},
	} {
		odd := report.Report{Metrics: []report.Metric{m}}
		status, _, text := get(t, server(t, func() (picture, error) { return picture{report: odd}, nil }), "/metrics")
		if status != http.StatusInternalServerError {
			t.Errorf("%+v: %d %s", m, status, text)
		}
	}
}

func TestWhereThereIsNoReportTheScrapeFails(t *testing.T) {
	s := server(t, func() (picture, error) { return picture{}, errors.New("the cluster is out") })
	for _, path := range []string{"/metrics", "/"} {
		if status, _, text := get(t, s, path); status != http.StatusInternalServerError || !strings.Contains(text, "the cluster is out") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

func TestOnlyThePageAndTheMetricsAreServed(t *testing.T) {
	w, _ := simulated(t, 0)
	s := server(t, w.seen)
	for _, path := range []string{"/metrics/", "/index.html", "/debug/pprof/"} {
		if status, _, _ := get(t, s, path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	for _, path := range []string{"/", "/metrics"} {
		answer, err := s.Client().Post(s.URL+path, "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %s", path, answer.Status)
		}
	}
}
