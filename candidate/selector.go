package candidate

// A Selector is a Kubernetes label selector: all of its terms must match. A nil *Selector selects nothing, the zero
// Selector everything.
type Selector struct {
	MatchLabels      map[string]string
	MatchExpressions []Requirement
}

// A Requirement is a term of a Selector. Operator is In, NotIn, Exists or DoesNotExist.
type Requirement struct {
	Key      string
	Operator string
	Values   []string // at least one for In and NotIn, none for the others
}
