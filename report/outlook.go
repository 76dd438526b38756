package report

import "time"

// An Outlook says when a pool will be done. Decisions do not know that: whoever plans (package plan) hands it in.
type Outlook struct {
	Pool string
	// Early, Middle and Late are by when one in ten, half and nine in ten runs of a plan are done (plan.Spread). Zero:
	// by no time that is known, because some nodes are not disrupted.
	Early, Middle, Late time.Time
	// Planned is what Middle was in the first plan since the pool last had nothing to do. Zero: unknown. See After.
	// Exported for whoever stores it, so that a restart does not begin a new comparison.
	Planned time.Time
}

// After returns the outlook as one that follows an earlier one, whose Planned goes on. Without an earlier one, pass a
// zero Outlook.
func (o Outlook) After(earlier Outlook) Outlook {
	if o.Planned = earlier.Planned; o.Planned.IsZero() {
		o.Planned = o.Middle
	}
	return o
}

// behind returns how much later than first planned the pool is expected to be done, below 0 for earlier. It is not
// known while no time is known by which the pool is done.
func (o Outlook) behind() (late time.Duration, known bool) {
	if o.Middle.IsZero() || o.Planned.IsZero() {
		return 0, false
	}
	return o.Middle.Sub(o.Planned), true
}

// With returns the report with the gauges of outlooks added. What is not known has no sample.
func (r Report) With(outlooks ...Outlook) Report {
	eta, behind := newSeries("nodepool", "probability"), newSeries("nodepool")
	for _, o := range outlooks {
		for _, by := range []struct {
			probability string
			finish      time.Time
		}{{"0.1", o.Early}, {"0.5", o.Middle}, {"0.9", o.Late}} {
			if !by.finish.IsZero() {
				eta.set(float64(by.finish.UnixMilli())/1000, o.Pool, by.probability)
			}
		}
		if late, known := o.behind(); known {
			behind.set(late.Seconds(), o.Pool)
		}
	}
	r.Metrics = append(r.Metrics[:len(r.Metrics):len(r.Metrics)],
		Metric{Name: MetricETA, Samples: eta.samples(),
			Help: "When the last node of a pool that has to go is replaced, as a plan foresees it: " +
				"it is done by then with this probability. Absent if some nodes are not disrupted."},
		Metric{Name: MetricBehindPlan, Samples: behind.samples(),
			Help: "By how many seconds a pool is expected to be done later than the first plan of this roll said; " +
				"below 0 for earlier. Absent if no time is known."})
	return r
}
