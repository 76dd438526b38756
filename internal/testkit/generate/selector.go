package generate

import "github.com/disruptkit/disruptkit/candidate"

// Selector generates label selectors that match some pods of Pods. Some are nil or broken.
func Selector(s Source) *candidate.Selector {
	switch s(8) {
	case 5:
		return &candidate.Selector{MatchLabels: map[string]string{"no label": "x"}}
	case 6:
		return &candidate.Selector{}
	case 7:
		return nil
	}
	value := func(s Source) string { return pick(s, "web", "db", "job", "front", "") }
	var selector candidate.Selector
	if s.Bool() {
		selector.MatchLabels = map[string]string{"app": value(s)}
	}
	selector.MatchExpressions = several(s, 0, 2, func(s Source) candidate.Requirement {
		r := candidate.Requirement{
			Key:      pick(s, "app", "tier", "none"),
			Operator: pick(s, "In", "NotIn", "Exists", "DoesNotExist", "In", "NotIn"),
		}
		if r.Operator == "In" || r.Operator == "NotIn" {
			r.Values = several(s, 1, 3, value)
		}
		return r
	})
	return &selector
}

// Labels generates labels with few keys and values, so that selectors of AnySelector match some of them.
func Labels(s Source) map[string]string { return labels(s, 5) }

func labels(s Source, most int) map[string]string {
	all := map[string]string{}
	for _, key := range several(s, 0, most, labelKey) {
		all[key] = labelValue(s)
	}
	return all
}

func labelKey(s Source) string {
	return pick(s, "app", "tier", "app.kubernetes.io/name", "zone", "team", "z")
}

func labelValue(s Source) string { return pick(s, "", "a", "b", "c", "A", "a-1", "web", "0") }

// AnySelector generates valid selectors, including odd ones: with many values, with a key several times, or
// contradictory.
func AnySelector(s Source) candidate.Selector {
	return candidate.Selector{
		MatchLabels: labels(s, pick(s, 0, 1, 3)),
		MatchExpressions: several(s, 0, 3, func(s Source) candidate.Requirement {
			r := candidate.Requirement{
				Key: labelKey(s), Operator: pick(s, "In", "In", "NotIn", "Exists", "DoesNotExist"),
			}
			if r.Operator == "In" || r.Operator == "NotIn" {
				r.Values = several(s, 1, pick(s, 1, 2, 30), labelValue)
			}
			return r
		}),
	}
}
