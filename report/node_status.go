package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// A NodeStatus is what the status of a NodeClaim says about disruption.
type NodeStatus struct {
	Node     string `json:"-"`
	Pool     string `json:"-"`
	InFlight bool   `json:"-"`
	// Details is "method:reason" of a node in flight; "" if it is not in flight, or the reason is unknown.
	Details    string      `json:"disruptionDetails,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"` // if it is a candidate
}

// verdicts returns what the decisions say about each node.
func (s *summary) verdicts() map[string]*verdict {
	verdicts := map[string]*verdict{}
	of := func(c candidate.Candidate) *verdict {
		if verdicts[c.Node] == nil {
			verdicts[c.Node] = &verdict{}
		}
		return verdicts[c.Node]
	}
	for _, d := range s.decisions {
		for _, c := range d.Allowed {
			v := of(c)
			v.allowed = true
			v.hear(c)
		}
		for _, c := range d.Blocked {
			v := of(c)
			v.blockers = append(v.blockers, c.Blockers...)
			v.hear(c)
		}
	}
	return verdicts
}

// nodes returns the status of nodes in flight and of candidates.
func (s *summary) nodes() []NodeStatus {
	verdicts, before := s.verdicts(), map[string]NodeStatus{}
	for _, n := range s.previous.Nodes {
		before[n.Node] = n
	}
	var all []NodeStatus
	for i := range s.in.Nodes {
		n := &s.in.Nodes[i]
		v, last := verdicts[n.Name], before[n.Name].Conditions
		if v == nil && !n.InFlight() && (len(n.Conditions) == 0 || last == nil) {
			continue
		}
		status := NodeStatus{Node: n.Name, Pool: n.Pool, InFlight: n.InFlight()}
		if status.InFlight {
			status.Details = details(n.InFlightFor())
		}
		switch {
		case status.InFlight && (v != nil || last != nil):
			status.Conditions = inFlight(n).conditions(s.in.Now, last)
		case v != nil:
			status.Conditions = v.conditions(s.in.Now, last)
		default:
			status.Conditions = slices.Clone(last)
		}
		all = append(all, status)
	}
	slices.SortStableFunc(all, NodeStatus.compare)
	return all
}

// compare orders nodes by name. Nodes with the same name are ordered by everything else that is visible.
func (n NodeStatus) compare(other NodeStatus) int {
	inFlight := map[bool]int{true: 1}
	return cmp.Or(
		cmp.Compare(n.Node, other.Node), cmp.Compare(n.Pool, other.Pool), cmp.Compare(n.Details, other.Details),
		inFlight[n.InFlight]-inFlight[other.InFlight],
		slices.CompareFunc(n.Conditions, other.Conditions, func(a, b Condition) int {
			return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Reason, b.Reason),
				cmp.Compare(a.Message, b.Message))
		}),
	)
}

// started returns, by pool, the reasons of the nodes that are in flight now but were not in the previous report. For
// the first report that is unknown, so it returns nil.
func (s *summary) started(nodes []NodeStatus) map[string][]candidate.Reason {
	if s.previous.At.IsZero() {
		return nil
	}
	before := map[string]bool{}
	for _, n := range s.previous.Nodes {
		before[n.Node] = before[n.Node] || n.InFlight
	}
	started := map[string][]candidate.Reason{}
	for _, n := range nodes {
		if p := s.pool(n.Pool); n.InFlight && !before[n.Node] && p != nil && !p.Ambiguous {
			before[n.Node] = true // count several nodes of one name once
			started[n.Pool] = append(started[n.Pool], candidate.Reason(strings.Replace(n.Details, ":", "/", 1)))
		}
	}
	return started
}

// details returns "method:reason" for a child, and otherwise the method. It is the status.disruptionDetails of a
// NodeClaim in the disruption-controls-by-method RFC.
func details(r candidate.Reason) string { return strings.Replace(string(r), "/", ":", 1) }
