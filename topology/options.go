package topology

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// DefaultPatience is how long a roll waits for nodes that cannot start.
const DefaultPatience = 15 * time.Minute

// Options are a pool's choices. The zero Options are those of the AZ-sequential RFC, made safe: drift alone takes
// turns, nodes without the label are a domain of their own, a roll waits for 15 minutes where nothing can start, and
// leaves no domain before the nodes that it has there are Ready.
//
// That cannot include a replacement that nobody knows of yet. Where the old node goes before the new one joins, set a
// Soak that is longer than a launch takes; it does not help where a domain is left without any node.
type Options struct {
	// Reasons are what sequential budgets order; none is Drifted alone. "" is every reason. Decide has to be asked for
	// all of them: the roll waits for nodes that may go, whether anybody asks for them or not.
	Reasons []candidate.Reason
	// Unlabelled is what becomes of nodes without the label.
	Unlabelled Unlabelled
	// Patience is how long the roll stays in a domain where nothing is in flight and nothing can start, although there
	// are nodes to go. 0 is DefaultPatience, below 0 is none at all, candidate.Forever never gives way. A node that has
	// not drifted and is not Ready is waited for without end: it may be a new one.
	Patience time.Duration
	// Soak is for how long the nodes of a finished domain must have been Ready (Node.ReadySince, where it is known), and
	// the domain finished, before the next one's turn; 0 or less: no time.
	Soak time.Duration
	// Unsettled lets the roll leave a finished domain while nodes there are not Ready. Soak has no effect then.
	Unsettled bool
}

// Unlabelled says what becomes of nodes without the label of a budget's topology key, or with an empty one.
type Unlabelled uint8

const (
	TakeTurn Unlabelled = iota // they are a domain like any other, called ""
	Exempt                     // the budget does not concern them
	Block                      // the budget's reasons do not disrupt them until they have the label; so does any other value
)

func (u Unlabelled) blocks() bool { return u >= Block }

// Applies reports whether a budget limits candidates of a reason: one that is sequential concerns Options.Reasons alone.
// ("Sequential disruption is only applied to the Drifted disruption reason": AZ-sequential RFC, Algorithm.)
func (o Options) Applies(b budget.Scope, reason candidate.Reason) bool {
	return b.Covers(reason) && (!b.Sequential || reason == "" || anyOf(o.reasons(), reason, covers))
}

// MayApply reports whether a budget may limit what is known only as the reason: one that it applies to is the reason, a
// child of it, or, where no budget can know the reason, any.
func (o Options) MayApply(b budget.Scope, reason candidate.Reason) bool {
	return !b.Knows(reason) ||
		(len(b.Reasons) == 0 || anyOf(b.Reasons, reason, related)) && (!b.Sequential || anyOf(o.reasons(), reason, related))
}

// Concerns reports whether there is a reason that a budget applies to. A sequential one for none of Options.Reasons has
// no effect.
func (o Options) Concerns(b budget.Scope) bool {
	return !b.Sequential || len(b.Reasons) == 0 || slices.ContainsFunc(o.reasons(), func(r candidate.Reason) bool {
		return anyOf(b.Reasons, r, related)
	})
}

func (o Options) reasons() []candidate.Reason {
	if len(o.Reasons) == 0 {
		return driftAlone
	}
	return o.Reasons
}

var driftAlone = []candidate.Reason{candidate.Drifted}

func anyOf(reasons []candidate.Reason, reason candidate.Reason, match func(a, b candidate.Reason) bool) bool {
	for _, r := range reasons {
		if match(r, reason) {
			return true
		}
	}
	return false
}

func covers(a, b candidate.Reason) bool  { return a.Covers(b) }
func related(a, b candidate.Reason) bool { return a.Covers(b) || b.Covers(a) }

// Domain returns the domain of a node, and whether budgets with the key concern it at all.
func (o Options) Domain(n *candidate.Node, key string) (name string, concerned bool) {
	name = n.Labels[key]
	return name, o.concerns(name)
}

// concerns reports whether budgets concern the nodes of a domain.
func (o Options) concerns(name string) bool { return name != "" || o.Unlabelled != Exempt }

func (o Options) patience() time.Duration {
	if o.Patience == 0 {
		return DefaultPatience
	}
	return max(o.Patience, 0)
}

func (o Options) soak() time.Duration {
	if o.Unsettled {
		return 0
	}
	return max(o.Soak, 0)
}
