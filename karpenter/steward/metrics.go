package steward

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

var (
	nodes = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "disruptkit_steward_nodes",
		Help: "Nodes of NodePools that are opted in: held, released, ending (held again, and released for a little longer), in-flight, or held by somebody else.",
	}, []string{"nodepool", "state"})
	writes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "disruptkit_steward_writes_total", Help: "What the steward has written, by what it was for.",
	}, []string{"kind"})
	conflicts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "disruptkit_steward_conflicts_total", Help: "Writes that came too late, since another client had written the object.",
	}, []string{"kind"})
	failures = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "disruptkit_steward_write_failures_total", Help: "Writes that failed for another reason.",
	}, []string{"kind"})
	passSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "disruptkit_steward_pass_seconds", Help: "How long a pass over the cluster took, with its writes.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
	})
	clockSkew = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "disruptkit_steward_clock_ahead_seconds",
		Help: "By how much the steward's clock was ahead of the API server's when it last wrote a node, at least. Alert beyond 10 s either way.",
	})
	lastPass = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "disruptkit_steward_last_pass_timestamp_seconds", Help: "When the last pass without an error has ended. Alert if it is minutes ago.",
	})
)

func init() {
	metrics.Registry.MustRegister(nodes, writes, conflicts, failures, passSeconds, clockSkew, lastPass)
	failures.WithLabelValues("store") // 0: of a count that began above that, Prometheus would miss the first failures
}

// count sets the gauges.
func count(s Snapshot, p Plan) {
	nodes.Reset()
	for i := range s.Input.Nodes {
		n := &s.Input.Nodes[i]
		mark, there := s.Marks[n.Name]
		if _, takesPart := p.Pools[n.Pool]; !there || !takesPart {
			continue
		}
		state := "held"
		switch {
		case n.InFlight():
			state = "in-flight"
		case mark.Disrupt == annotation.Theirs:
			state = "held-by-others"
		case mark.Held() && mark.Until.After(s.Input.Now):
			state = "ending"
		case mark.Until.After(s.Input.Now):
			state = "released"
		case !mark.Held():
			state = "not-held"
		}
		nodes.WithLabelValues(n.Pool, state).Inc()
	}
}
