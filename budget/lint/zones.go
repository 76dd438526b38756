package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// severalSequential finds budgets that would order the pool while an earlier one does. It skips a freeze that comes
// first, which is intended.
func (l *linter) severalSequential() {
	var found budget.Indexes
	for _, s := range l.zones(l.now, l.end) {
		var first *budget.Limit
		for _, b := range l.scoped {
			switch {
			case !s.Binding.Has(b.Index) || !orders(b):
			case first == nil, first.N == 0 && (first.Covers(candidate.Drifted) || coversReasons(first, b)):
				first = b
			case !found.Has(b.Index):
				found.Add(b.Index)
				both := schedule.Union(first.Window.Outside(), b.Window.Outside()).Outside()
				_, span := both.State(s.Start)
				l.add(Finding{Budgets: only(first.Index) | only(b.Index), Span: span,
					Message: fmt.Sprintf("%s and %s are active together %s, and only the first orders the pool",
						l.name(first.Index), l.name(b.Index), l.span(span)),
					Advice: "write one sequential budget for all of their reasons"}, nil)
			}
		}
	}
}

// idleOrder finds sequential budgets for reasons other than drift.
func (l *linter) idleOrder(b *budget.Limit) (f Finding, fix func() remedy) {
	if b.Sequential && !orders(b) {
		f.Message = ", and limits nothing: sequential budgets are for drift"
	}
	return f, func() remedy {
		each := way{so: " to limit each zone",
			edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Sequential = false })}
		return remedy{ways: []way{l.deleting(b.Index), each}, tail: ", or also name Drifted",
			otherwise: "also name Drifted"}
	}
}

// unorderedSpan finds times at which all zones may roll at once because no sequential budget is active. A sequential
// budget of 0 is a freeze, and orders nothing.
func (l *linter) unorderedSpan() {
	var ordering []*budget.Limit
	var which budget.Indexes
	for _, b := range l.scoped {
		if orders(b) && b.N > 0 {
			ordering = append(ordering, b)
			which.Add(b.Index)
		}
	}
	if which == 0 || !slices.Contains(l.reasons, candidate.Drifted) {
		return
	}
	if span, found := l.inactive(which, l.effective(candidate.Drifted)); found {
		l.add(Finding{Budgets: which, Span: span, Reason: candidate.Drifted,
			Message: fmt.Sprintf("all zones may roll at once %s, since a sequential budget orders nothing while "+
				"it is not active: %s", l.span(span), l.names(which))},
			func() remedy { return l.turning(ordering, which) })
	}
}

// inactive returns the first span of a timeline in which more than one node may go (a single node is in a single zone)
// and none of the given budgets for single zones is active.
func (l *linter) inactive(which budget.Indexes, timeline []budget.Segment) (first schedule.Span, found bool) {
	for span, both := range together(timeline, l.zones(l.now, l.end)) {
		inactive := both[0].Nodes > 1 && both[1].Binding&which == 0
		switch {
		case inactive && !found:
			first, found = span, true
		case inactive:
			first.End = span.End
		case found:
			return first, true
		}
	}
	return first, found
}

// turning returns how to make zones take turns at all times. The freeze that it offers leaves most of the time in which
// the budgets are active open: a freeze that recurs weekly does not fit windows that recur monthly.
func (l *linter) turning(budgets []*budget.Limit, which budget.Indexes) remedy {
	r := remedy{otherwise: "write a sequential budget that is always active, at the end of the list"}
	untimed := l.untimed(budgets[0].Index)
	untimed.so = ", so that zones always take turns"
	r.ways = append(r.ways, untimed)
	var windows []schedule.Window
	for _, b := range budgets {
		windows = append(windows, b.Window)
	}
	if freeze := l.weekly(schedule.Union(windows...).Outside(), candidate.Drifted); len(freeze) > 0 {
		r.ways = append(r.ways, way{
			so:    ", so that zones take turns, and no node is allowed at other times",
			edits: slices.Concat(untimed.edits, l.adding(freeze...)),
			good: func(after *linter) bool {
				before, then := l.effective(candidate.Drifted), after.effective(candidate.Drifted)
				return 4*l.openWhile(which, then) >= 3*l.openWhile(which, before) &&
					changesOnly(before, then, func(before, after int) bool { return after == before || after == 0 })
			}})
	}
	return r
}

// openWhile returns for how long nodes are allowed while one of the given budgets for single zones is active.
func (l *linter) openWhile(which budget.Indexes, timeline []budget.Segment) (sum time.Duration) {
	for span, both := range together(timeline, l.zones(l.now, l.end)) {
		if both[0].Nodes > 0 && both[1].Binding&which != 0 {
			sum += length(span)
		}
	}
	return sum
}

// topologyKeys are the labels of nodes that people name in topologyKey. (Kubernetes: "Well-Known Labels, Annotations
// and Taints"; Karpenter: pkg/apis/v1/labels.go.)
var topologyKeys = []string{
	"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname",
	"node.kubernetes.io/instance-type",
	"karpenter.sh/capacity-type", "karpenter.sh/nodepool", "topology.k8s.aws/zone-id",
}

// formerKeys are what these were called, or are called by mistake.
var formerKeys = map[string]string{
	"failure-domain.beta.kubernetes.io/zone":   "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
	"failure-domain.kubernetes.io/zone":        "topology.kubernetes.io/zone",
	"topology.k8s.io/zone":                     "topology.kubernetes.io/zone",
	"kubernetes.io/zone":                       "topology.kubernetes.io/zone",
	"beta.kubernetes.io/instance-type":         "node.kubernetes.io/instance-type",
}

// unknownKey finds budgets whose topologyKey is almost the label of a zone: nodes do not have it.
func (l *linter) unknownKey(b *budget.Limit) (f Finding, fix func() remedy) {
	key := l.list[b.Index].TopologyKey
	meant := formerKeys[key]
	for _, known := range topologyKeys {
		if key == known || meant == "" && key != "" && wording.Near(key, known) {
			meant = known
		}
	}
	if meant != "" && meant != key {
		f.Message = ": nodes have no label " + key
	}
	return f, func() remedy {
		w := way{obvious: true, raises: true,
			edits: l.edit(only(b.Index), func(b *budget.Budget) { b.TopologyKey = meant })}
		return remedy{ways: []way{w}, otherwise: "the label is " + meant}
	}
}
