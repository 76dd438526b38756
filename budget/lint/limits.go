package lint

import (
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// limits are the valid budgets of a set.
type limits struct {
	budget.Set
	valid  []*budget.Limit // in the order of the list
	pool   []*budget.Limit // of valid: for the whole pool
	scoped []*budget.Limit // of valid: for single zones
	paces  []*budget.Limit // of valid: paces
}

func limitsOf(set budget.Set) *limits {
	s := &limits{Set: set}
	all := set.Limits()
	for i := range all {
		b, kind := &all[i], &s.pool
		switch {
		case b.Broken():
			continue
		case b.Key != "":
			kind = &s.scoped
		case b.Per > 0:
			kind = &s.paces
		}
		s.valid, *kind = append(s.valid, b), append(*kind, b)
	}
	return s
}

// names reports whether a budget names a reason, or a child of it.
func names(b *budget.Limit, reason candidate.Reason) bool {
	return slices.ContainsFunc(b.Reasons, reason.Covers)
}

// reasons returns the methods, and the other reasons that budgets name.
func (s *limits) reasons() []candidate.Reason {
	return slices.Concat(candidate.Methods(), s.Methods(), s.Named())
}

// brokenFor reports whether an invalid budget always allows nothing for a reason.
func (s *limits) brokenFor(reason candidate.Reason) bool {
	return slices.ContainsFunc(s.Limits(), func(b budget.Limit) bool { return b.Broken() && b.Covers(reason) })
}

// only returns the position of one budget.
func only(i int) (x budget.Indexes) {
	x.Add(i)
	return x
}
