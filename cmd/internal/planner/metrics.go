package planner

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// A source is a metric of Karpenter about how long something takes, for some of its labels.
type source struct {
	metric string
	labels map[string]string
}

// sources are those of drains, launches and passes, the best first. (Karpenter: EvaluationDurationSeconds; NodeClaimTerminationDurationSeconds, a histogram from the deletion of a
// NodeClaim on; termination.DurationSeconds, a summary, up to when the node's finalizer is removed. The status controller of NodeClaims
// measures how long each condition takes to come true.)
var sources = map[string][]source{
	"drain": {
		{"karpenter_nodeclaims_termination_duration_seconds", nil},
		{"karpenter_nodes_termination_duration_seconds", nil},
	},
	"launch": {
		{"operator_nodeclaim_status_condition_transition_seconds", map[string]string{"type": "Initialized", "to_status": "True"}},
	},
	"pass": {
		{"karpenter_voluntary_disruption_decision_evaluation_duration_seconds", map[string]string{"reason": "drifted"}},
	},
}

// families reads the histograms and summaries of what a Prometheus client prints.
func families(text []byte) map[string]*dto.MetricFamily {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, _ := parser.TextToMetricFamilies(bytes.NewReader(text)) // what comes before a fault is there
	maps.DeleteFunc(all, func(_ string, f *dto.MetricFamily) bool {
		return f.GetType() != dto.MetricType_HISTOGRAM && f.GetType() != dto.MetricType_SUMMARY
	})
	return all
}

// ofMetrics returns the times of Karpenter's metric, or of the only one.
func ofMetrics(what string, families map[string]*dto.MetricFamily) (times, error) {
	wanted, err := meant(what, families)
	if err != nil {
		return times{}, err
	}
	t := times{pools: map[string][]share{}}
	family, cases := families[wanted.metric], 0.0
	idle := 0
	for _, m := range family.Metric {
		labels := map[string]string{}
		for _, l := range m.Label {
			labels[l.GetName()] = l.GetValue()
		}
		if !within(wanted.labels, labels) {
			continue
		}
		shares, n := ofHistogram(m.Histogram)
		if family.GetType() == dto.MetricType_SUMMARY {
			shares, n = ofSummary(m.Summary)
		}
		if len(shares) == 0 {
			idle++
			continue
		}
		t.all, cases = append(t.all, shares...), cases+n
		if pool := cmp.Or(labels["nodepool"], labels["karpenter_sh_nodepool"]); pool != "" {
			t.pools[pool] = append(t.pools[pool], shares...)
		}
	}
	switch {
	case len(t.all) > 0:
		t.source = fmt.Sprintf("%.0f that %s counts", cases, wanted.metric)
		return t, nil
	case idle > 0 && family.GetType() == dto.MetricType_SUMMARY:
		return t, fmt.Errorf("the summary %s knows nothing of the last ten minutes: write a histogram", wanted.metric)
	case idle > 0:
		return t, fmt.Errorf("the histogram %s has counted nothing", wanted.metric)
	}
	return t, fmt.Errorf("%s has no series with the labels %v", wanted.metric, wanted.labels)
}

// meant returns the metric that is meant.
func meant(what string, families map[string]*dto.MetricFamily) (source, error) {
	for _, s := range sources[what] {
		if families[s.metric] != nil {
			return s, nil
		}
	}
	names := slices.Sorted(maps.Keys(families))
	if len(names) == 1 {
		return source{metric: names[0]}, nil
	}
	return source{}, fmt.Errorf("none of its %d histograms and summaries is Karpenter's for %s: leave one alone, such as %s", len(names), what, names[0])
}

func within(wanted, labels map[string]string) bool {
	for name, value := range wanted {
		if labels[name] != value {
			return false
		}
	}
	return true
}

// ofHistogram returns a share for each bucket, and how many cases there are. Those above the last bound take from it to twice as long.
func ofHistogram(h *dto.Histogram) (shares []share, cases float64) {
	buckets := slices.Clone(h.GetBucket())
	slices.SortFunc(buckets, func(a, b *dto.Bucket) int { return cmp.Compare(a.GetUpperBound(), b.GetUpperBound()) })
	last, below := 0.0, uint64(0)
	add := func(count uint64, to float64) {
		if count > below {
			shares = append(shares, share{float64(count - below), seconds(last), seconds(to)})
			cases, below = cases+float64(count-below), count
		}
		last = max(last, to)
	}
	for _, b := range buckets {
		if bound := b.GetUpperBound(); !math.IsInf(bound, 1) && !math.IsNaN(bound) {
			add(b.GetCumulativeCount(), bound)
		}
	}
	add(h.GetSampleCount(), 2*last)
	return shares, cases
}

// ofSummary returns a share from each quantile to the next, and how many cases there are. A summary that is idle has no quantiles.
func ofSummary(s *dto.Summary) (shares []share, cases float64) {
	cases = float64(s.GetSampleCount())
	if cases == 0 {
		return nil, 0
	}
	quantiles := slices.DeleteFunc(slices.Clone(s.GetQuantile()), func(q *dto.Quantile) bool {
		return math.IsNaN(q.GetValue()) || !(q.GetQuantile() >= 0 && q.GetQuantile() <= 1)
	})
	slices.SortFunc(quantiles, func(a, b *dto.Quantile) int { return cmp.Compare(a.GetQuantile(), b.GetQuantile()) })
	part, from := 0.0, 0.0
	for i, q := range quantiles {
		if i == 0 {
			from = q.GetValue()
		}
		shares = append(shares, share{cases * (q.GetQuantile() - part), seconds(from), seconds(q.GetValue())})
		part, from = q.GetQuantile(), q.GetValue()
	}
	if len(quantiles) > 0 && part < 1 {
		shares = append(shares, share{cases * (1 - part), seconds(from), seconds(from)})
	}
	return shares, cases
}

// seconds returns a duration, of ten years at the most.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 3e8) * float64(time.Second))
}
