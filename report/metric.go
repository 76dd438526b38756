package report

import (
	"math"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// Names of metrics. The first two, with their labels, are from the disruption-controls-by-method RFC. The third
// answers an open question of the pod disruption schedule RFC. Those of blocked and overdue nodes and of stopped
// disruption, and those of when a pool is done, are disruptkit's own. The two of nodepools are Karpenter's own
// (pkg/controllers/disruption, metrics.go), with its labels and values: how many nodes may be disrupted at once for a
// reason, 2147483647 if unlimited, and how many nodes count against that. The last two are from Karpenter's RFC for
// disruption performance metrics (kubernetes-sigs/karpenter#3255), which became its accepted issue #3288. The RFC gives
// names without a prefix. Its one example of a query has this prefix, which is that of Karpenter's other metrics of
// disruption. The RFC's label consolidation_type is empty for what is not consolidation, and left out here.
const (
	MetricActiveBudgets      = "karpenter_nodepool_active_budgets"
	MetricDisruptedNodes     = "karpenter_nodepool_disrupted_nodes"
	MetricHeldPods           = "karpenter_nodepool_pods_held_by_schedule"
	MetricBlockedNodes       = "karpenter_nodepool_blocked_nodes"
	MetricOverdueNodes       = "karpenter_nodepool_overdue_nodes"
	MetricNoOpening          = "karpenter_nodepool_nodes_without_opening_before_deadline"
	MetricBrokenBudgets      = "karpenter_nodepool_broken_budgets"
	MetricStopped            = "karpenter_nodepool_disruption_stopped"
	MetricETA                = "karpenter_nodepool_disruption_eta_timestamp_seconds"
	MetricBehindPlan         = "karpenter_nodepool_disruption_behind_plan_seconds"
	MetricAllowedDisruptions = "karpenter_nodepools_allowed_disruptions"
	MetricConsumingNodes     = "karpenter_nodepools_nodes_consuming_budgets"
	MetricRemaining          = "karpenter_voluntary_disruption_candidates_remaining"
	MetricBacklogAge         = "karpenter_voluntary_disruption_oldest_backlog_age_seconds"
)

// A Metric is a family of samples.
type Metric struct {
	Name    string
	Help    string // one sentence or two
	Counter bool   // a counter, else a gauge
	Samples []Sample
}

// A Sample is the value of a metric for some labels. The order of a metric's labels is always the same.
type Sample struct {
	Labels []Label
	Value  float64
}

// A Label is a name with a value, such as nodepool="default".
type Label struct{ Name, Value string }

// parts splits a reason into the labels method and reason.
func parts(r candidate.Reason) (method, child string) {
	method, child, _ = strings.Cut(string(r), "/")
	return method, child
}

// metrics returns all metrics. Started has the reasons of newly started nodes by pool.
func (s *summary) metrics(started map[string][]candidate.Reason) []Metric {
	holds := s.holds()
	allowed, consuming := s.ofKarpenter()
	remaining, oldest := s.backlog()
	gauge := func(name, help string, samples []Sample) Metric {
		return Metric{Name: name, Help: help, Samples: samples}
	}
	return []Metric{
		gauge(MetricActiveBudgets, "Number of active budgets for a method and a reason. "+
			"Empty labels mean all methods or reasons.", s.activeBudgets()),
		{Name: MetricDisruptedNodes, Help: "Number of nodes that were disrupted.",
			Counter: true, Samples: s.disruptedNodes(started)},
		gauge(MetricHeldPods, "Number of pods that block their node now because their disruption schedule is closed.",
			s.heldPods(holds)),
		gauge(MetricBlockedNodes, "Number of candidates that may not be disrupted now, by the blockers of at least "+
			"one of their reasons.", blockedNodes(holds)),
		gauge(MetricOverdueNodes, "Number of candidates whose deadline for a method and a reason has passed, "+
			"and that are not yet in flight.", s.overdueNodes()),
		gauge(MetricNoOpening, "Number of candidates whose deadline for a method and a reason is ahead, and that "+
			"something blocks until then or longer.", s.withoutOpening()),
		gauge(MetricBrokenBudgets, "Number of budgets that are broken, and so allow nothing.", s.brokenBudgets()),
		gauge(MetricStopped, "Number of probes, breakers and other signals that block all nodes of a pool for a "+
			"method and a reason. Empty labels mean at least one of them.", s.stopped()),
		gauge(MetricAllowedDisruptions, "Number of nodes of a pool that may be disrupted at once for a reason.",
			allowed),
		gauge(MetricConsumingNodes, "Number of nodes of a pool that use up its budgets for a reason.", consuming),
		gauge(MetricRemaining, "Number of candidates that become actionable when the named blocker changes. "+
			"A candidate counts for the first of its blockers.", remaining),
		gauge(MetricBacklogAge, "Age of the oldest candidate that the named blocker blocks, "+
			"since its reason holds.", oldest),
	}
}

// activeBudgets counts the active budgets of each pool by the reasons that they name. There is a sample even if none is
// active.
func (s *summary) activeBudgets() []Sample {
	all := newSeries("nodepool", "method", "reason")
	for _, p := range s.pools {
		for _, b := range p.statuses {
			active := 0.0
			if b.active {
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

// named returns the reasons that a budget names, or "" if it is for all.
func named(reasons []candidate.Reason) []candidate.Reason {
	if len(reasons) == 0 {
		return []candidate.Reason{""}
	}
	return reasons
}

// disruptedNodes counts the nodes that were disrupted. The count is 0 for each reason that a node has to go: of a count
// that began with the first of them, Prometheus would miss that one.
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
	for c := range s.candidates() {
		if p := s.pool(c.Pool); p != nil && !p.Ambiguous {
			method, child := parts(c.Reason)
			all.add(0, c.Pool, method, child)
		}
	}
	return all.samples()
}

// overdueNodes counts the candidates that are overdue, whether they may be disrupted or not.
func (s *summary) overdueNodes() []Sample {
	return s.withDeadline(func(c candidate.Candidate) bool { return c.Overdue })
}

// withoutOpening counts the candidates that will be overdue before they may be disrupted. What blocks one until its
// deadline often ends there only because windows do not block what is overdue.
func (s *summary) withoutOpening() []Sample {
	return s.withDeadline(func(c candidate.Candidate) bool {
		return !c.Overdue && slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
			return b.ForGood || !b.Until.IsZero() && !b.Until.Before(c.Deadline)
		})
	})
}

// withDeadline counts the candidates with a deadline, and not yet in flight, that meet a condition. The count is 0
// if it is so of none. If several decisions are about one candidate, it counts if it is so in each of them.
func (s *summary) withDeadline(is func(candidate.Candidate) bool) []Sample {
	type request struct {
		pool, node string
		reason     candidate.Reason
	}
	so := map[request]bool{}
	for c := range s.candidates() {
		if c.Deadline.IsZero() || s.pool(c.Pool) == nil {
			continue
		}
		r := request{c.Pool, c.Node, c.Reason}
		before, seen := so[r]
		so[r] = is(c) && !slices.ContainsFunc(c.Blockers, saysInFlight) && (before || !seen)
	}
	all := newSeries("nodepool", "method", "reason")
	for r, counts := range so {
		n := 0.0
		if counts {
			n = 1
		}
		method, child := parts(r.reason)
		all.add(n, r.pool, method, child)
	}
	return all.samples()
}

// brokenBudgets counts the invalid budgets of each pool. A list that is too long is broken as a whole, and counts once.
func (s *summary) brokenBudgets() []Sample {
	all := newSeries("nodepool")
	for _, p := range s.pools {
		broken := 0
		for _, b := range p.set.Limits() {
			if b.Broken() {
				broken++
			}
		}
		all.set(float64(broken), p.Name)
	}
	return all.samples()
}

// stopped counts what stops each decided reason. If several decisions are about one reason, the last one counts.
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

// mostDisruptions is Karpenter's value for unlimited.
const mostDisruptions = math.MaxInt32

// ofKarpenter returns Karpenter's own gauges. Karpenter has no child reasons, so there is a sample for each decided
// method. Its label is in lower case, as in Karpenter since v1.15.
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
