// Package budget computes how many nodes of a pool may be disrupted at once.
//
// A [Budget] is an entry of a NodePool's spec.disruption.budgets, as written. [Compile] checks a list of budgets,
// reports every fault, and returns a [Set] that is safe to use even so. [AllowedByReason] evaluates it:
//
//	[]Budget ─┐                      ┌─ AllowedByReason ─▶ how many now, and which budgets say so
//	          ├─ Compile ─▶ Set ─────┼─ Until ───────────▶ up to when that holds
//	Spec ─────┘                      ├─ Forecast ────────▶ how many, when: the exact timeline
//	                                 └─ lint.Run ────────▶ its probable mistakes (package lint)
//
// Gates ask [Set.Limits], the budgets as they are enforced: [Limits] also say how many nodes may start, what is in use,
// and which places are taken.
//
// # The meaning of a list of budgets
//
// A budget limits while it is active; it never grants anything. Of the active budgets that cover a reason, the most
// restrictive wins. If none is active, the reason is unlimited: a budget "0 from 9 to 5" leaves the evening open. A
// percentage refers to the pool's nodes and rounds up: 10% of 5 nodes is 1. Without a list, there is one budget of 10%.
// An explicitly empty list means no limit.
//
// An invalid budget allows nothing for its reasons, since its meaning is unknown. If its reasons are broken, it
// allows nothing for any reason. A budget with a TopologyKey limits each zone or rack, and does not affect the pool's
// number.
//
// A budget is active at all times, by a Schedule, on dates (From, To), or by a Calendar that the caller passes in. A
// place of a budget with a Soak stays taken for a while after its node is gone.
//
// A budget with a pace (Per) limits how many nodes start within a period, however long they take. It does not limit how
// many go at once. A list may have both kinds of budgets; a node must satisfy both. A pace of n nodes per hour lets one
// more start if fewer than n started within the last hour; disruptkit.Decide remembers who did.
//
// These are the semantics of karpenter.sh/v1 (NodePool.GetAllowedDisruptionsByReason), with time zones, the
// inverse of a window, dates and paces added.
//
// # Methods with budgets of their own
//
// A [Spec] may let the most specific budgets decide instead (Spec.MostSpecific). If it has a [Control] with budgets or
// a DisruptAfter, that is always so. Then a budget for Drifted/AMIDrift applies to that reason alone, a budget for
// Drifted to all other drift, and the remaining reasons share the budgets without reasons. Only active budgets take
// precedence over less specific ones. Each budget counts only nodes that go for reasons for which it decides ([Set]),
// so that drift in flight does not use up the budget for consolidation. (Disruption-controls-by-method RFC.)
package budget
