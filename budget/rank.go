package budget

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// Covers reports whether a budget limits a reason.
func (b *Limit) Covers(reason candidate.Reason) bool {
	return coversReason(b.Reasons, reason) && !b.exempts(reason)
}

// exempts reports whether no budget limits a reason.
func (b *Limit) exempts(reason candidate.Reason) bool {
	return b.exempt != "" && reason != "" && b.exempt.Covers(reason)
}

// Names reports whether a budget names a reason, or a child of it.
func (b *Limit) Names(reason candidate.Reason) bool {
	return slices.ContainsFunc(b.Reasons, reason.Covers)
}

// coversReason reports whether a budget for these reasons limits a reason. A budget without reasons limits all. Every
// budget limits "", which means any reason.
func coversReason(reasons []candidate.Reason, reason candidate.Reason) bool {
	return rankOf(reasons, reason) != foreign
}

// A rank is how specific a budget is for a reason.
type rank int

const (
	foreign  rank = iota // it does not cover the reason
	general              // it is for all reasons
	byMethod             // it names the reason's method
	exact                // it names the reason itself
)

// rankOf returns how specific a budget for these reasons is.
func rankOf(reasons []candidate.Reason, reason candidate.Reason) rank {
	if len(reasons) == 0 || reason == "" {
		return general
	}
	best := foreign
	for _, r := range reasons {
		switch {
		case r == reason:
			return exact
		case r.Covers(reason):
			best = byMethod
		}
	}
	return best
}

// rank returns how specific a budget is for a reason, if that matters.
func (s *Limits) rank(b *Limit, reason candidate.Reason) rank {
	switch r := rankOf(b.Reasons, reason); {
	case r == foreign || b.exempts(reason):
		return foreign
	case !s.Specific:
		return general
	default:
		return r
	}
}
