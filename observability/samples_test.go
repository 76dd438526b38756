package observability

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	stale "github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// When the samples are from, and how often they were scraped. A test of kubectl disruption metrics writes roll.txt.
var (
	from  = time.Date(2026, 11, 19, 14, 45, 0, 0, time.UTC)
	until = from.Add(24 * time.Hour)
	every = 5 * time.Minute
)

// A table has series. It is what Prometheus' engine asks.
type table []storage.Series

// recorded returns the series of a file, a line each. What is not exposed any more is stale, as it is after a scrape.
func recorded(t *testing.T, paths ...string) (all table) {
	t.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			of, samples, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %v: %s", path, err, line)
			}
			all = append(all, series(of, samples))
		}
	}
	return all
}

func series(of labels.Labels, values []parser.SequenceValue) storage.Series {
	var samples []chunks.Sample
	for i, v := range values {
		if v.Omitted {
			v.Value = math.Float64frombits(stale.StaleNaN)
		}
		samples = append(samples, sample{at: from.Add(time.Duration(i) * every).UnixMilli(), value: v.Value})
	}
	return storage.NewListSeries(of, samples)
}

// A sample is a number.
type sample struct {
	chunks.Sample // nil: what only histograms have
	at            int64
	value         float64
}

func (s sample) T() int64                 { return s.at }
func (s sample) ST() int64                { return 0 }
func (s sample) F() float64               { return s.value }
func (s sample) Type() chunkenc.ValueType { return chunkenc.ValFloat }

// Querier returns one of all series, whenever they are from.
func (s table) Querier(int64, int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		matching := &set{}
		for _, one := range s {
			of, matches := one.Labels(), true
			for _, m := range matchers {
				matches = matches && m.Matches(of.Get(m.Name))
			}
			if matches {
				matching.left = append(matching.left, one)
			}
		}
		return matching
	}}, nil
}

// A set is series that are read one after the other.
type set struct {
	at   storage.Series
	left []storage.Series
}

func (s *set) Next() (more bool) {
	if more = len(s.left) > 0; more {
		s.at, s.left = s.left[0], s.left[1:]
	}
	return more
}
func (s *set) At() storage.Series                { return s.at }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

// A curve is one series of a panel: what the legend calls it, and its points.
type curve struct {
	name   string
	points []promql.FPoint
}

// ask returns the curves of a panel, as Grafana asks for them where all is chosen of each variable.
func (s table) ask(t *testing.T, d dashboard, p panel) (all []curve) {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: every})
	defer engine.Close()
	for _, target := range p.Targets {
		expr, begin := target.Expr, from
		for _, v := range d.Templating.List {
			expr = strings.ReplaceAll(expr, "$"+v.Name, v.AllValue)
		}
		if target.Instant {
			begin = until
		}
		q, err := engine.NewRangeQuery(t.Context(), s, nil, expr, begin, until, every)
		if err != nil {
			t.Fatalf("%s: %v", p.Title, err)
		}
		answer := q.Exec(t.Context())
		matrix, err := answer.Matrix()
		if err != nil {
			t.Fatalf("%s: %v", p.Title, err)
		}
		for _, one := range matrix {
			name := legend.ReplaceAllStringFunc(target.LegendFormat, func(l string) string { return one.Metric.Get(legend.FindStringSubmatch(l)[1]) })
			all = append(all, curve{name, one.Floats})
		}
	}
	return all
}
