package planner

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// A source is a histogram of Karpenter about how long something takes, for some of its labels.
type source struct {
	metric string
	labels map[string]string
}

// sources are those of drains, launches and passes. (Karpenter: EvaluationDurationSeconds; NodeClaimTerminationDurationSeconds, from the deletion of a
// NodeClaim on. The status controller of NodeClaims measures how long each condition takes to come true.)
var sources = map[string]source{
	"drain":  {"karpenter_nodeclaims_termination_duration_seconds", nil},
	"launch": {"operator_nodeclaim_status_condition_transition_seconds", map[string]string{"type": "Initialized", "to_status": "True"}},
	"pass":   {"karpenter_voluntary_disruption_decision_evaluation_duration_seconds", map[string]string{"reason": "drifted"}},
}

// histograms reads the histograms of what a Prometheus client prints.
func histograms(text []byte) map[string]*dto.MetricFamily {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, _ := parser.TextToMetricFamilies(bytes.NewReader(text)) // what comes before a fault is there
	maps.DeleteFunc(all, func(_ string, f *dto.MetricFamily) bool { return f.GetType() != dto.MetricType_HISTOGRAM })
	return all
}

// ofMetrics returns the times of Karpenter's histogram, or of the only one.
func ofMetrics(what string, all map[string]*dto.MetricFamily) (times, error) {
	wanted := sources[what]
	if names := slices.Sorted(maps.Keys(all)); all[wanted.metric] == nil {
		if wanted = (source{metric: names[0]}); len(names) > 1 {
			return times{}, fmt.Errorf("none of its %d histograms is Karpenter's for %s: leave one alone, such as %s", len(names), what, names[0])
		}
	}
	t, cases, found := times{pools: map[string][]share{}}, 0.0, false
	for _, m := range all[wanted.metric].Metric {
		labels := map[string]string{}
		for _, l := range m.Label {
			labels[l.GetName()] = l.GetValue()
		}
		if !within(wanted.labels, labels) {
			continue
		}
		shares, n := ofHistogram(m.Histogram)
		found = true
		t.all, cases = append(t.all, shares...), cases+n
		if pool := cmp.Or(labels["nodepool"], labels["karpenter_sh_nodepool"]); pool != "" && len(shares) > 0 {
			t.pools[pool] = append(t.pools[pool], shares...)
		}
	}
	t.source = fmt.Sprintf("%.0f that %s counts", cases, wanted.metric)
	switch {
	case len(t.all) > 0:
		return t, nil
	case found:
		return t, fmt.Errorf("the histogram %s has counted nothing", wanted.metric)
	}
	var labels []string
	for _, name := range slices.Sorted(maps.Keys(wanted.labels)) {
		labels = append(labels, fmt.Sprintf("%s=%q", name, wanted.labels[name]))
	}
	return t, fmt.Errorf("%s has no series with %s", wanted.metric, strings.Join(labels, " and "))
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

// seconds returns a duration, of ten years at the most.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 3e8) * float64(time.Second))
}
