package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/disruptkit/disruptkit/report"
)

// A collector turns the metrics of reports into those of the Prometheus client library. Each scrape asks for a report of its
// own; where there is none, the scrape fails, so that nobody takes old numbers for new ones.
type collector struct {
	latest func() (report.Report, error)
}

// newRegistry returns a registry that has the metrics of reports, and nothing else.
func newRegistry(latest func() (report.Report, error)) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{latest})
	return registry
}

// Describe describes nothing: what metrics there are, the report says.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of a report.
func (c collector) Collect(metrics chan<- prometheus.Metric) {
	r, err := c.latest()
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	for _, m := range r.Metrics {
		collect(m, metrics)
	}
}

// collect sends the samples of a metric.
func collect(m report.Metric, metrics chan<- prometheus.Metric) {
	kind := prometheus.GaugeValue
	if m.Counter {
		kind = prometheus.CounterValue
	}
	for _, s := range m.Samples {
		var names, values []string
		for _, l := range s.Labels {
			names, values = append(names, l.Name), append(values, strings.ToValidUTF8(l.Value, "\uFFFD"))
		}
		desc := prometheus.NewDesc(m.Name, m.Help, names, nil)
		sample, err := prometheus.NewConstMetric(desc, kind, s.Value, values...)
		if err != nil {
			sample = prometheus.NewInvalidMetric(desc, err)
		}
		metrics <- sample
	}
}
