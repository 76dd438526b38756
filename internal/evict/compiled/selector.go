package compiled

import "slices"

// A Selector is a valid candidate.Selector: all its terms must match.
type Selector []Requirement

// A Requirement is met if a label has (or does not have) one of the values. Without values, it is met if the label
// exists (or does not).
type Requirement struct {
	Key    string
	Values []string // sorted
	Not    bool
}

// Matches reports whether labels meet all requirements.
func (s Selector) Matches(labels map[string]string) bool {
	for i := range s {
		if !s[i].matches(labels) {
			return false
		}
	}
	return true
}

func (r *Requirement) matches(labels map[string]string) bool {
	value, there := labels[r.Key]
	if there && r.Values != nil {
		_, there = slices.BinarySearch(r.Values, value)
	}
	return there != r.Not
}
