package naive

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// selects matches a selector term by term, as the Kubernetes API describes it. Broken ones match everything.
func selects(s *candidate.Selector, labels map[string]string) bool {
	if broken(s) {
		return true
	}
	for key, value := range s.MatchLabels {
		if got, ok := labels[key]; !ok || got != value {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		value, there := labels[r.Key]
		switch in := there && slices.Contains(r.Values, value); {
		case r.Operator == "In" && !in, r.Operator == "NotIn" && in,
			r.Operator == "Exists" && !there, r.Operator == "DoesNotExist" && there:
			return false
		}
	}
	return true
}

// broken reports whether a selector is one of the generated broken ones.
func broken(s *candidate.Selector) bool {
	_, broken := s.MatchLabels["no label"]
	return broken
}
