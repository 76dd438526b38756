package disruptkit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// The names of metrics. The first two, and their labels, are those of the disruption-controls-by-method RFC; the
// third answers a question that the pod disruption schedule RFC leaves open.
const (
	MetricActiveBudgets  = "karpenter_nodepool_active_budgets"
	MetricDisruptedNodes = "karpenter_nodepool_disrupted_nodes"
	MetricHeldPods       = "karpenter_nodepool_pods_held_by_schedule"
	MetricBlockedNodes   = "karpenter_nodepool_blocked_nodes"
	MetricStopped        = "karpenter_nodepool_disruption_stopped"
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

// A counter counts by the values of at most three labels.
type counter struct {
	names  []string
	values map[[3]string]float64
}

func newCounter(names ...string) counter { return counter{names, map[[3]string]float64{}} }

func (c counter) add(n float64, values ...string) {
	var key [3]string
	copy(key[:], values)
	c.values[key] += n
}

// samples returns the counts by the values of their labels.
func (c counter) samples() []Sample {
	all := make([]Sample, 0, len(c.values))
	for key, value := range c.values {
		sample := Sample{Value: value}
		for i, name := range c.names {
			sample.Labels = append(sample.Labels, Label{name, key[i]})
		}
		all = append(all, sample)
	}
	slices.SortFunc(all, func(a, b Sample) int {
		return slices.CompareFunc(a.Labels, b.Labels, func(a, b Label) int { return cmp.Compare(a.Value, b.Value) })
	})
	return all
}

// parts returns a reason as the labels method and reason have it.
func parts(r candidate.Reason) (method, child string) {
	method, child, _ = strings.Cut(string(r), "/")
	return method, child
}

func (s *summary) metrics(started map[string][]candidate.Reason) []Metric {
	holds := s.holds()
	return []Metric{
		{Name: MetricActiveBudgets, Help: "Number of active budgets for a method and a reason; without either, of those for all.",
			Samples: s.activeBudgets()},
		{Name: MetricDisruptedNodes, Help: "Number of nodes that were disrupted.", Counter: true, Samples: s.disruptedNodes(started)},
		{Name: MetricHeldPods, Help: "Number of pods that hold back their node now because a disruption schedule lets them go only at other times.", Samples: s.heldPods(holds)},
		{Name: MetricBlockedNodes, Help: "Number of nodes that are to go and may not now, by what holds them back for at least one of their reasons.", Samples: blockedNodes(holds)},
		{Name: MetricStopped, Help: "Number of probes, breakers and others that let no node of a pool go for a method and a reason; without either, for at least one.", Samples: s.stopped()},
	}
}

// activeBudgets counts the budgets of each pool by what they name; also where none is active now.
func (s *summary) activeBudgets() []Sample {
	all := newCounter("nodepool", "method", "reason")
	for _, p := range s.pools {
		if p.ambiguous {
			continue
		}
		for _, b := range s.budgets(p) {
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
	all := newCounter("nodepool", "method", "reason")
	for _, m := range s.previous.Metrics {
		if m.Name != MetricDisruptedNodes {
			continue
		}
		for _, sample := range m.Samples {
			if l := sample.Labels; len(l) == 3 && s.pools.of(l[0].Value) != nil {
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

// A hold is a thing that holds back a node now.
type hold struct {
	pool, node string
	gate       candidate.Gate
	code       string
	pod        string // whose it is, if any
}

// holds returns what holds back the nodes that no decision lets go, each once. Nodes in flight are on their way: nothing
// holds them back any more.
func (s *summary) holds() (all []hold) {
	goes := map[string]bool{}
	for i := range s.in.Nodes {
		if n := &s.in.Nodes[i]; n.InFlight() {
			goes[n.Name] = true
		}
	}
	for _, d := range s.decisions {
		for _, c := range d.Allowed {
			goes[c.Node] = true
		}
	}
	seen := map[hold]bool{}
	for _, d := range s.decisions {
		for _, c := range d.Blocked {
			if goes[c.Node] || s.pools.of(c.Pool) == nil {
				continue
			}
			for _, b := range c.Blockers {
				h := hold{c.Pool, c.Node, b.Gate, b.Code, b.Pod}
				if !b.Later && !seen[h] {
					seen[h] = true
					all = append(all, h)
				}
			}
		}
	}
	return all
}

// heldPods counts each pod once, whether one schedule holds it back or several.
func (s *summary) heldPods(holds []hold) []Sample {
	all := newCounter("nodepool")
	for _, p := range s.pools {
		all.add(0, p.Name)
	}
	for _, h := range holds {
		if h.gate == candidate.GatePod && h.code == candidate.CodeOutsideSchedule {
			all.add(1, h.pool)
		}
	}
	return all.samples()
}

// blockedNodes counts each node once for each gate and code, however many of its pods say the same.
func blockedNodes(holds []hold) []Sample {
	all := newCounter("nodepool", "gate", "code")
	seen := map[hold]bool{}
	for _, h := range holds {
		h.pod = ""
		if !seen[h] {
			seen[h] = true
			all.add(1, h.pool, string(h.gate), h.code)
		}
	}
	return all.samples()
}

func (s *summary) stopped() []Sample {
	all := newCounter("nodepool", "method", "reason")
	type key struct {
		pool   string
		reason candidate.Reason
	}
	seen := map[key]bool{}
	for _, d := range s.decisions {
		for _, p := range d.Pools {
			k := key{p.Pool, p.Reason}
			if seen[k] || s.pools.of(p.Pool) == nil {
				continue
			}
			seen[k] = true
			method, child := parts(p.Reason)
			all.add(float64(len(p.Blockers)), p.Pool, method, child)
		}
	}
	return all.samples()
}
