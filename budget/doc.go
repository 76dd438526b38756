// Package budget answers how many nodes of a pool may be disrupted at once.
//
// A [Budget] is an entry of a NodePool's spec.disruption.budgets, as written. [Compile] checks a list of them, reports
// every fault, and returns a [Set] that is safe to use all the same. [AllowedByReason] evaluates it:
//
//	[]Budget ─┐                      ┌─ AllowedByReason ─▶ how many now, and which budgets say so
//	          ├─ Compile ─▶ Set ─────┼─ Until, Room ─────▶ up to when that holds
//	Spec ─────┘                      ├─ Forecast ────────▶ how many, when: the exact timeline
//	                                 └─ Lint ────────────▶ its probable mistakes
//
// # What a list of budgets means
//
// A budget restricts while it is active; it never grants anything. Of the active budgets that cover a reason the most
// restrictive wins. Where none is active, the reason is unlimited: a budget "0 from 9 to 5" leaves the evening open.
// A percentage is of the pool's nodes and rounds up, so that 10% of 5 nodes is 1. No list at all is one budget of 10%;
// an explicitly empty list is no limit.
//
// A broken budget allows nothing for its reasons, or for any reason if its reasons are what is broken, since what was
// meant is unknown. A budget with a TopologyKey limits single zones or racks and takes no part in the pool's number.
//
// A budget is active at all times, or when its Schedule says so, or on dates (From, To), or in a Calendar that the caller hands in.
//
// A budget with a pace (Per) limits how many nodes start within some time, however long they take: [Set.Pacing] says how many more may.
// It takes no part in how many go at once. A list may have both kinds, and both have to let a node go.
//
// These are the semantics of karpenter.sh/v1 (NodePool.GetAllowedDisruptionsByReason), with time zones, the
// inverse of a window, dates and paces added.
//
// # Methods with budgets of their own
//
// A [Spec] may ask for the most specific budgets to decide instead (Spec.MostSpecific), or have a [Control] for each
// method, which implies it. Then a budget for Drifted/AMIDrift applies to that reason alone, one for Drifted to all other
// drift, and budgets without reasons are shared by the remaining reasons; only active budgets take the place of less
// specific ones. Each budget counts what goes for the reasons for which it decides ([InUse]), so that drift in flight
// does not use up what is for consolidation. (Disruption-controls-by-method RFC.)
package budget
