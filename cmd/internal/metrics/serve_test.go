package metrics

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/report"
)

// begin is when most tests look: on a Thursday, in business hours.
var begin = time.Date(2026, 11, 19, 14, 45, 0, 0, time.UTC)

// clusterOf reads a cluster as an engine does.
func clusterOf(t testing.TB, text string, as engine.Engine) *manifest.Cluster {
	t.Helper()
	cluster, err := manifest.Policy{As: as}.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func server(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// scraped serves the metrics of reports.
func scraped(t *testing.T, latest func() (report.Report, error)) *httptest.Server {
	t.Helper()
	return server(t, host{}.scraped(promhttp.HandlerFor(newRegistry(latest), promhttp.HandlerOpts{})))
}

// pages serves the page of a picture.
func pages(t *testing.T, p picture) (*live, *httptest.Server) {
	t.Helper()
	l := &live{watch: watch{as: engine.Disruptkit}, zone: time.UTC}
	l.draw(p)
	return l, server(t, l.handler(host{}))
}

func get(t *testing.T, s *httptest.Server, path string) (status int, header http.Header, body string) {
	t.Helper()
	answer, err := http.Get(s.URL + path)
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
	w := &watch{}
	p := w.look(clusterOf(t, string(bundled.Cluster), engine.Disruptkit), bundled.Now)
	status, header, text := get(t, scraped(t, func() (report.Report, error) { return p.report, nil }), "/metrics")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%d, %v", status, header)
	}
	if diff := cmp.Diff(reported(p.report), parsed(t, text)); diff != "" {
		t.Errorf("samples (-report +scrape)\n%s", diff)
	}
}

func TestManyMayLookAtOnce(t *testing.T) {
	cluster, w := clusterOf(t, twoNodes, engine.Disruptkit), &watch{}
	scrapes := scraped(t, func() (report.Report, error) { return w.look(cluster, begin).report, nil })
	l, page := pages(t, picture{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				if status, _, text := get(t, scrapes, "/metrics"); status != http.StatusOK {
					t.Errorf("%d %s", status, text)
				}
				l.take(planner.Rolled{Cluster: cluster, Now: begin})
				if status, _, text := get(t, page, "/"); status != http.StatusOK {
					t.Errorf("%d %s", status, text)
				}
			}
		})
	}
	all.Wait()
}

func TestAFileIsReadAgainAtEachScrape(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "cluster.yaml"), twoNodes)
	ctx, interrupt := context.WithCancel(t.Context())
	address, ended := serving(t, ctx, "-f", path, "--listen", "localhost:0")
	t.Cleanup(func() { interrupt(); <-ended })
	s := &httptest.Server{URL: "http://" + address}
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
	if status, _, text := get(t, s, "/metrics"); status != http.StatusInternalServerError || !strings.Contains(text, "the JSON ends in the middle") {
		t.Errorf("of a file that is broken: %d %s", status, text)
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
		{"a byte that is no UTF-8", "a\xffb", "a\uFFFDb"},
		{"half a rune", "日\xe6\x97", "日\uFFFD"},
		{"the replacement rune, which is UTF-8", "a\uFFFDb", "a\uFFFDb"},
		{"a NUL", "a\x00b", "a\x00b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			odd := report.Report{Metrics: []report.Metric{{Name: "odd", Help: `With "quotes" and \.`, Samples: []report.Sample{
				{Labels: []report.Label{{Name: "nodepool", Value: c.value}}, Value: 7},
			}}}}
			status, _, text := get(t, scraped(t, func() (report.Report, error) { return odd, nil }), "/metrics")
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
		status, _, text := get(t, scraped(t, func() (report.Report, error) { return odd, nil }), "/metrics")
		if status != http.StatusInternalServerError {
			t.Errorf("%+v: %d %s", m, status, text)
		}
	}
}

func TestWhereThereIsNoReportTheScrapeFails(t *testing.T) {
	s := scraped(t, func() (report.Report, error) { return report.Report{}, errors.New("the cluster is out") })
	if status, _, text := get(t, s, "/metrics"); status != http.StatusInternalServerError || !strings.Contains(text, "the cluster is out") {
		t.Errorf("%d %s", status, text)
	}
}
