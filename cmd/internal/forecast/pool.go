package forecast

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A pool is a NodePool and what its budgets allow.
type pool struct {
	manifest.NodePool
	budgets   budget.Set
	theirs    budget.Set // what Karpenter makes of its own budgets, where the guard runs
	nodes     int
	assumed   bool // the number is unknown
	expires   []expiring.Node
	reasons   []candidate.Reason
	timelines map[candidate.Reason][]budget.Segment
	overdues  map[candidate.Reason]string // why no overdue node goes within the timeline; "": some may; not there: none is ever overdue
	findings  []Finding
	repeated  []Finding // about other NodePools of its name
}

// title returns the name of the NodePool, and where it is written if others of the pools have the same name.
func (p *pool) title(of []*pool) string {
	if slices.ContainsFunc(of, func(o *pool) bool { return o.Name == p.Name && o.Named != p.Named }) {
		return wording.Quote(p.Name) + " (" + p.Named.String() + ")"
	}
	return wording.Quote(p.Name)
}

// A report is everything that is to be printed.
type report struct {
	options
	pools  []*pool
	faults []manifest.Fault // of what is no NodePool
}

func forecastAll(o options, in input) (pools []*pool, err error) {
	for _, r := range in.pools {
		nodes, assumed := o.nodesOf(in.counted, r)
		r.Known.Unit = in.counted.units[r.Name]
		p, err := forecastOf(o, r, nodes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", wording.Quote(r.Name), err)
		}
		p.assumed, p.expires = assumed, in.counted.expiresOf(p.Name, o.from)
		p.repeated = in.repeated[p.Named]
		p.findings = p.findAll(o.from)
		pools = append(pools, p)
	}
	return pools, nil
}

// newPool returns a pool without what is allowed, and what is found. What is wrong with its budgets is among the findings.
func newPool(read manifest.NodePool, nodes int) *pool {
	p := &pool{NodePool: read, nodes: nodes}
	p.compile()
	return p
}

// compile compiles the budgets.
func (p *pool) compile() {
	p.budgets, _ = p.Spec.Compile()
	if p.As.Annotated() {
		p.theirs, _ = p.Admitted.Compile()
	}
}

func forecastOf(o options, read manifest.NodePool, nodes int) (*pool, error) {
	p := newPool(read, nodes)
	if p.reasons = o.reasons; len(p.reasons) == 0 {
		p.reasons = p.ownReasons()
	}
	var err error
	if p.timelines, err = p.forecast(o.from, o.to); err != nil {
		return nil, err
	}
	p.overdues = map[candidate.Reason]string{}
	for _, reason := range p.reasons {
		if p.never(reason) == "" && p.hasDeadline(reason) {
			if p.overdues[reason], err = p.blocksOverdue(o.from, o.to, reason); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// mostSegments is how many segments the timelines of a pool's reasons have at the most: so much is printed.
const mostSegments = 1_000_000

// forecast returns what is allowed between two times, for each reason.
func (p *pool) forecast(from, to time.Time) (map[candidate.Reason][]budget.Segment, error) {
	timelines, n := map[candidate.Reason][]budget.Segment{}, 0
	for _, reason := range p.reasons {
		timeline, err := p.timeline(from, to, reason)
		if err != nil {
			return nil, err
		}
		if n += len(timeline); n > mostSegments {
			return nil, fmt.Errorf("what is allowed changes more than %d times, of all %d reasons: write fewer budgets, or ask for less time or fewer reasons", mostSegments, len(p.reasons))
		}
		timelines[reason] = timeline
	}
	return timelines, nil
}

// timeline returns what is allowed between two times: nothing, where nodes never go for the reason, whatever the budgets say.
func (p *pool) timeline(from, to time.Time, reason candidate.Reason) ([]budget.Segment, error) {
	if p.never(reason) != "" {
		all := schedule.Span{Start: from, End: to}
		return []budget.Segment{{Span: all, Allowance: budget.Allowance{Binding: p.unread()}}}, nil
	}
	if p.unasked(reason) {
		return p.theirs.Forecast(from, to, p.nodes, reason)
	}
	segments, err := p.budgets.Forecast(from, to, p.nodes, reason)
	if err != nil || !p.As.Annotated() {
		return segments, err
	}
	segments, err = p.As.Within(p.theirs, segments, p.nodes, reason)
	return engine.Paused(segments, p.pausesOf(reason)), err
}

// unasked reports whether nodes are disrupted for a reason though the guard or the steward is asked nothing: for the expireAfter of a NodePool that does not
// say at which age budgets are asked.
func (p *pool) unasked(reason candidate.Reason) bool {
	return p.As.Annotated() && candidate.Expired.Covers(reason) && p.Expires.After == 0
}

// disruptAfter returns for how long a reason has to hold before a node is disrupted.
func (p *pool) disruptAfter(reason candidate.Reason) time.Duration {
	after := p.budgets.Minimum(reason).Held
	if p.As.Annotated() {
		after = max(after, p.theirs.Minimum(reason).Held)
	}
	return after
}

// where returns where a budget is written, such as budgets[0].
func (p *pool) where(i int) string { return p.budgets.Place(i) }

// never reports why no node is disrupted for a reason, whatever the budgets allow, or nothing.
func (p *pool) never(reason candidate.Reason) string {
	consolidates := reason.Method() == candidate.Empty || reason.Method() == candidate.Underutilized
	switch {
	case p.rejected():
		return "the API server rejects the NodePool, and what was stored before stays in force"
	case len(p.Faults) > 0:
		return "something in the pool is invalid"
	case p.budgets.Minimum(reason).Age == candidate.Forever:
		return "minAge is invalid"
	case p.disruptAfter(reason) != candidate.Forever:
		return ""
	case p.Static && consolidates:
		return "the pool has replicas, a fixed number of nodes"
	case consolidates && (p.Spec.ConsolidateAfter == "Never" || p.Admitted.ConsolidateAfter == "Never"):
		return "consolidateAfter is Never"
	case reason.Method() == candidate.Underutilized &&
		(p.Spec.ConsolidationPolicy == "WhenEmpty" || p.Admitted.ConsolidationPolicy == "WhenEmpty" || p.Spec.Consolidation.ConsolidationPolicy == "WhenEmpty"):
		return "consolidationPolicy is WhenEmpty"
	}
	for _, w := range p.budgets.Warnings() {
		if p.delays(w.Field, reason.Method()) {
			return w.Field + " is invalid"
		}
	}
	return "disruptAfter is Never"
}

// rejected reports whether Karpenter's API server does not store the NodePool.
func (p *pool) rejected() bool {
	return slices.ContainsFunc(p.Faults, func(f manifest.Fault) bool { return f.Code == candidate.CodeRejected })
}

// delays reports whether a field says for how long a method waits, or that it waits for ever.
func (p *pool) delays(field string, method candidate.Reason) bool {
	control, after := "", ""
	switch spec := p.Spec; method {
	case candidate.Drifted:
		control, after = "drift", spec.Drift.DisruptAfter
	case candidate.Underutilized:
		control, after = "consolidation", spec.Consolidation.DisruptAfter
	case candidate.Expired:
		control, after = "expiration", spec.Expiration.DisruptAfter
	case candidate.Empty:
		control, after = "emptiness", spec.Emptiness.DisruptAfter
	}
	if after == "" {
		control = "defaults"
	}
	field = strings.TrimPrefix(field, annotation.Disruption+" ")
	policy := method == candidate.Underutilized && strings.HasSuffix(field, "consolidationPolicy") // wherever it is written
	return policy || field == control+".disruptAfter"
}

// unread returns the budgets that cannot be read. In their places are budgets of 0.
func (p *pool) unread() (budgets budget.Indexes) {
	for _, f := range p.Faults {
		budgets |= p.budgetsOf(f.Field)
	}
	return budgets
}

// budgetsOf returns the budget that a field is of, if it is of one.
func (p *pool) budgetsOf(field string) (budgets budget.Indexes) {
	field = strings.TrimPrefix(strings.TrimPrefix(field, "spec."), "disruption.")
	for i := range p.budgets.Budgets() {
		if place := p.where(i); field == place || strings.HasPrefix(field, place+".") {
			budgets |= 1 << i
		}
	}
	return budgets
}

// ownReasons are those that Karpenter asks budgets for, and those that the pool names besides.
func (p *pool) ownReasons() []candidate.Reason {
	reasons := []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized}
	if c := p.Spec.Expiration; p.Expires.After > 0 || c.DisruptAfter != "" || c.Deadline != "" || c.Budgets != nil {
		reasons = append(reasons, candidate.Expired)
	}
	for _, b := range p.budgets.Budgets() {
		for _, name := range b.Reasons {
			if reason, err := candidate.ParseReason(string(name)); err == nil {
				reasons = append(reasons, reason)
			}
		}
	}
	reasons = once(reasons)
	methods := candidate.Methods()
	slices.SortStableFunc(reasons, func(a, b candidate.Reason) int { // children after their method
		return slices.Index(methods, a.Method()) - slices.Index(methods, b.Method())
	})
	return reasons
}

func once(reasons []candidate.Reason) (distinct []candidate.Reason) {
	for _, r := range reasons {
		if !slices.Contains(distinct, r) {
			distinct = append(distinct, r)
		}
	}
	return distinct
}
