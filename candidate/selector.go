package candidate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Selector is a Kubernetes label selector: all its terms must match. A nil *Selector selects nothing, the zero
// Selector everything.
type Selector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []Requirement     `json:"matchExpressions,omitempty"`
}

// A Requirement is a term of a Selector.
type Requirement struct {
	Key string `json:"key"`
	// Operator is In, NotIn (which absent labels meet), Exists or DoesNotExist.
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"` // at least one for In and NotIn, none for the others
}

// Matches reports whether all terms match some labels. It returns an error if the selector is not valid, which then
// matches nothing: it joins a Warning for each fault, whose Field is below spec.selector. (Kubernetes:
// metav1.LabelSelectorAsSelector.)
func (s Selector) Matches(labels map[string]string) (bool, error) {
	valid, faults := s.compile()
	return len(faults) == 0 && valid.matches(labels), Err(faults)
}

// compile compiles the spec.selector of an object. If it returns faults, it returns no selector.
func (s Selector) compile() (valid compiledSelector, faults []Warning) {
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		field, value := fmt.Sprintf("spec.selector.matchLabels[%.100s]", key), s.MatchLabels[key]
		faults = append(faults, checkLabel(field, key, field, []string{value})...)
		valid = append(valid, requirement{key: key, values: []string{value}})
	}
	for i, r := range s.MatchExpressions {
		field := fmt.Sprintf("spec.selector.matchExpressions[%d]", i)
		faults = append(faults, checkLabel(field+".key", r.Key, field+".values", r.Values)...)
		faults = append(faults, r.check(field)...)
		values := slices.Sorted(slices.Values(r.Values))
		valid = append(valid, requirement{
			key: r.Key, values: slices.Compact(values), not: r.Operator == "NotIn" || r.Operator == "DoesNotExist",
		})
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return valid, nil
}

// check returns what is wrong with the operator, or with the number of its values.
func (r Requirement) check(field string) []Warning {
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			return []Warning{{Field: field + ".values", Message: r.Operator + " has no values: write at least one"}}
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			return []Warning{{Field: field + ".values", Value: r.Values[0],
				Message: fmt.Sprintf("%s has the value %.100q: write none, or In or NotIn", r.Operator, r.Values[0])}}
		}
	default:
		return []Warning{{Field: field + ".operator", Value: r.Operator,
			Message: fmt.Sprintf("operator %.100q is unknown: write In, NotIn, Exists or DoesNotExist", r.Operator)}}
	}
	return nil
}

// checkLabel returns what is wrong with a key, and with the first invalid value.
func checkLabel(keyField, key, valueField string, values []string) (faults []Warning) {
	if !wording.IsLabelKey(key) {
		faults = append(faults, Warning{Field: keyField, Value: key,
			Message: fmt.Sprintf("%.100q is not a label name: write one such as app.kubernetes.io/name", key)})
	}
	for _, value := range values {
		if !wording.IsLabelValue(value) {
			return append(faults, Warning{Field: valueField, Value: value,
				Message: fmt.Sprintf("%.100q is not a label value: write at most 63 letters, digits and -_. "+
					"between them", value)})
		}
	}
	return faults
}

// A compiledSelector is a valid [Selector]: all its terms must match.
type compiledSelector []requirement

// A requirement is met if a label has (or does not have) one of the values. Without values, it is met if the label
// exists (or does not).
type requirement struct {
	key    string
	values []string // sorted
	not    bool
}

func (s compiledSelector) matches(labels map[string]string) bool {
	for i := range s {
		if !s[i].matches(labels) {
			return false
		}
	}
	return true
}

func (r *requirement) matches(labels map[string]string) bool {
	value, there := labels[r.key]
	if there && r.values != nil {
		_, there = slices.BinarySearch(r.values, value)
	}
	return there != r.not
}
