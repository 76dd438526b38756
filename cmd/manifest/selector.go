package manifest

import "github.com/disruptkit/disruptkit/candidate"

// selector reads a label selector. It returns nil, which selects nothing, if there is none, and the zero Selector,
// which selects everything, for {}.
func (v value) selector() *candidate.Selector {
	if v.absent() {
		return nil
	}
	v.only("matchLabels", "matchExpressions")
	s := &candidate.Selector{MatchLabels: v.field("matchLabels").texts()}
	for _, e := range v.field("matchExpressions").each() {
		r := candidate.Requirement{Key: e.field("key").text(), Operator: e.field("operator").text()}
		for _, value := range e.field("values").each() {
			r.Values = append(r.Values, value.text())
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	return s
}
