package report

import (
	"math"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// The names of metrics. The first two, and their labels, are those of the disruption-controls-by-method RFC; the third answers a
// question that the pod disruption schedule RFC leaves open. The last two are Karpenter's own (pkg/controllers/disruption,
// metrics.go), with its labels and values: what may be disrupted at once for a reason, 2147483647 where nothing limits it, and
// how many nodes use that up.
const (
	MetricActiveBudgets      = "karpenter_nodepool_active_budgets"
	MetricDisruptedNodes     = "karpenter_nodepool_disrupted_nodes"
	MetricHeldPods           = "karpenter_nodepool_pods_held_by_schedule"
	MetricBlockedNodes       = "karpenter_nodepool_blocked_nodes"
	MetricStopped            = "karpenter_nodepool_disruption_stopped"
	MetricAllowedDisruptions = "karpenter_nodepools_allowed_disruptions"
	MetricConsumingNodes     = "karpenter_nodepools_nodes_consuming_budgets"
)

// A Metric is a family of samples.
type Metric struct {
	Name    string
	Help    string // a sentence
	Counter bool   // it only rises; else it is a gauge
	Samples []Sample
}

// A Sample is the value of a metric for some labels, always in the same order.
type Sample struct {
	Labels []Label
	Value  float64
}

// A Label names something that a sample is about.
type Label struct{ Name, Value string }

// parts returns a reason as the labels method and reason have it.
func parts(r candidate.Reason) (method, child string) {
	method, child, _ = strings.Cut(string(r), "/")
	return method, child
}

// metrics returns all of them. Nodes have been started for some reasons, by pool.
func (s *summary) metrics(started map[string][]candidate.Reason) []Metric {
	holds := s.holds()
	allowed, consuming := s.ofKarpenter()
	gauge := func(name, help string, samples []Sample) Metric {
		return Metric{Name: name, Help: help, Samples: samples}
	}
	return []Metric{
		gauge(MetricActiveBudgets, "Number of active budgets for a method and a reason; without either, of those for all.", s.activeBudgets()),
		{Name: MetricDisruptedNodes, Help: "Number of nodes that were disrupted.", Counter: true, Samples: s.disruptedNodes(started)},
		gauge(MetricHeldPods, "Number of pods that hold back their node now because a disruption schedule lets them go only at other times.", s.heldPods(holds)),
		gauge(MetricBlockedNodes, "Number of candidates that may not be disrupted now, by what holds them back for at least one of their reasons.", blockedNodes(holds)),
		gauge(MetricStopped, "Number of probes, breakers and other signals that hold back all nodes of a pool for a method and a reason; without either, for at least one.", s.stopped()),
		gauge(MetricAllowedDisruptions, "Number of nodes of a pool that may be disrupted at once for a reason.", allowed),
		gauge(MetricConsumingNodes, "Number of nodes of a pool that count against what may be disrupted at once for a reason.", consuming),
	}
}

// activeBudgets counts the budgets of each pool by what they name; also where none is active now.
func (s *summary) activeBudgets() []Sample {
	all := newSeries("nodepool", "method", "reason")
	for _, p := range s.pools {
		for _, b := range p.statuses {
			active := 0.0
			if b.Active {
				active = 1
			}
			for _, r := range named(b.Reasons) {
				method, child := parts(r)
				all.add(active, p.Name, method, child)
			}
		}
	}
	return all.samples()
}

// named returns the reasons that a budget names, or "" for all.
func named(reasons []candidate.Reason) []candidate.Reason {
	if len(reasons) == 0 {
		return []candidate.Reason{""}
	}
	return reasons
}

func (s *summary) disruptedNodes(started map[string][]candidate.Reason) []Sample {
	all := newSeries("nodepool", "method", "reason")
	for _, m := range s.previous.Metrics {
		if m.Name != MetricDisruptedNodes {
			continue
		}
		for _, sample := range m.Samples {
			if l := sample.Labels; len(l) == 3 && s.pool(l[0].Value) != nil {
				all.add(sample.Value, l[0].Value, l[1].Value, l[2].Value)
			}
		}
	}
	for pool, reasons := range started {
		for _, r := range reasons {
			method, child := parts(r)
			all.add(1, pool, method, child)
		}
	}
	return all.samples()
}

// stopped counts what stops each reason that a decision was about. Of several decisions about one the last counts.
func (s *summary) stopped() []Sample {
	all := newSeries("nodepool", "method", "reason")
	for _, d := range s.decisions {
		for _, p := range d.Pools {
			if s.pool(p.Pool) != nil {
				method, child := parts(p.Reason)
				all.set(float64(len(p.Blockers)), p.Pool, method, child)
			}
		}
	}
	return all.samples()
}

// mostDisruptions is what Karpenter takes for no limit.
const mostDisruptions = math.MaxInt32

// ofKarpenter returns Karpenter's own gauges. Karpenter knows no children, so there is a value for each method that a decision was
// about. Its name is in lower case, as Karpenter writes it since v1.15.
func (s *summary) ofKarpenter() (allowed, consuming []Sample) {
	mayGo, inUse := newSeries("nodepool", "reason"), newSeries("nodepool", "reason")
	for _, d := range s.decisions {
		for _, p := range d.Pools {
			if of := s.pool(p.Pool); of == nil || of.Ambiguous || p.Reason == "" || p.Reason != p.Reason.Method() {
				continue
			}
			mayGo.set(float64(min(p.Allowance.Nodes, mostDisruptions)), p.Pool, strings.ToLower(string(p.Reason)))
			inUse.set(float64(p.Disrupting), p.Pool, strings.ToLower(string(p.Reason)))
		}
	}
	return mayGo.samples(), inUse.samples()
}
