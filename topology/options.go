package topology

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const defaultPatience = 15 * time.Minute

// NoPatience makes a roll leave a domain as soon as no node can be disrupted there: see Options.Patience.
const NoPatience time.Duration = -1

// Options are a pool's settings. The zero Options follow the AZ-sequential RFC, but are safe: only drift takes turns,
// nodes without the label form a domain of their own, and a roll waits 15 minutes in a domain where no node can be
// disrupted. It does not leave a domain before the nodes there are Ready.
//
// The roll cannot wait for a replacement that has not joined yet. If old nodes are terminated before new ones join, set
// a Soak longer than a launch takes. This does not help a domain without any node.
type Options struct {
	// Reasons are the reasons for which sequential budgets make domains take turns; empty means Drifted alone, and ""
	// every reason. Call Decide for each of them: the roll waits for a node that could be disrupted, even if you never
	// call Decide for the node's reason.
	Reasons []candidate.Reason
	// Unlabelled is how to treat nodes without the label.
	Unlabelled Unlabelled
	// LabelOptional is for fleets where some nodes need no label. Without it, Decide warns of nodes without the label,
	// and if no counted node has it, the topology key is probably misspelt: the budget then blocks all its nodes.
	LabelOptional bool
	// Patience is how long the roll stays in a domain that has nodes to go while none is in flight and none can be
	// disrupted. 0 means 15 minutes, NoPatience none, and candidate.Forever that the roll never leaves. Any other
	// negative Patience is invalid, and the roll never leaves. Patience does not apply to a node that has not drifted
	// and is not Ready: it may be a replacement, so the roll waits for it without limit.
	Patience time.Duration
	// Soak is how long a domain must have been finished, and its nodes Ready (since Node.ReadySince, if known), before
	// the next domain gets the turn. 0 means no soak. A negative Soak is invalid, and the domain keeps its turn.
	Soak time.Duration
	// Unsettled lets the roll leave a domain while nodes there are not Ready. Soak then has no effect.
	Unsettled bool
}

// Unlabelled is how to treat nodes without the label of a budget's topology key, or with an empty value.
type Unlabelled uint8

const (
	TakeTurn Unlabelled = iota // they are a domain like any other, called ""
	Exempt                     // the budget does not concern them
	Block                      // they are blocked for its reasons until labelled; higher values mean the same
)

func (u Unlabelled) blocks() bool { return u >= Block }

// Applies reports whether a budget limits candidates of a reason. A sequential budget applies only to Options.Reasons.
// ("Sequential disruption is only applied to the Drifted disruption reason": AZ-sequential RFC, Algorithm.) If it is
// for a child, such as Drifted/AMIDrift, it also applies to nodes that are only known to be Drifted, since any of them
// may be of that child.
func (o Options) Applies(b budget.Limit, reason candidate.Reason) bool {
	if !b.Sequential || reason == "" {
		return b.Covers(reason)
	}
	return o.related(b, reason) && b.Knows(reason.Method())
}

// MayApply reports whether a budget may limit a node in flight for a reason. The node's exact reason may be a child of
// it, so a budget for that child may apply. Any budget may apply to an unknown reason. A malformed child counts as its
// method.
func (o Options) MayApply(b budget.Limit, reason candidate.Reason) bool {
	if !b.Knows(reason) {
		reason = reason.Method()
	}
	return !b.Knows(reason) || o.related(b, reason)
}

// related reports whether a reason is, covers, or is covered by one that the budget is for.
func (o Options) related(b budget.Limit, reason candidate.Reason) bool {
	turns := o.Reasons
	if len(turns) == 0 {
		turns = driftAlone
	}
	named := len(b.Reasons) == 0 || anyRelated(b.Reasons, reason)
	return named && (!b.Sequential || anyRelated(turns, reason))
}

var driftAlone = []candidate.Reason{candidate.Drifted}

// anyRelated reports whether a reason is, covers, or is covered by one of some reasons, or is a misspelling of one.
func anyRelated(reasons []candidate.Reason, reason candidate.Reason) bool {
	return slices.ContainsFunc(reasons, func(r candidate.Reason) bool {
		return r.Covers(reason) || reason.Covers(r) || wording.Misspelt(r, reason)
	})
}

// treatment returns how to treat nodes without the label. They are blocked if no counted node has it.
func (o Options) treatment(unlabelled, nodes int) Unlabelled {
	if !o.LabelOptional && nodes > 0 && unlabelled == nodes {
		return Block
	}
	return o.Unlabelled
}
