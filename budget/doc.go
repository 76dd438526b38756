// Package budget computes how many nodes of a pool may be disrupted at once.
//
// A [Budget] is an entry of a NodePool's spec.disruption.budgets, as written. [Compile] checks a list of budgets,
// reports every fault, and returns a [Set] that is safe to use even so:
//
//	[]Budget ─┐                 ┌─ AllowedByReason ─▶ how many now, and which budgets set that number
//	          ├─ Compile ─▶ Set ┼─ Until ───────────▶ when that number next changes
//	Spec ─────┘                 ├─ Forecast ────────▶ how many, when: the exact timeline
//	                            └─ Limits ──────────▶ each budget as it is enforced: its amount, window and reasons
//
// # From a list to a number
//
//  1. Which budgets are active ([Limit].Window)? A budget without times always is. Others are active by a Schedule, on
//     dates (From, To), or by a Calendar of the caller. An inactive budget limits nothing: "0 from 9 to 5" leaves the
//     evening open.
//  2. Which of them decide for a reason ([Set.Deciding])? All that cover it. With Spec.MostSpecific or a [Control] with
//     budgets, only those that name the reason itself; if there is none, those that name its method; else those that
//     name nothing.
//  3. What is the lowest number that these allow ([AllowedByReason])? A percentage refers to the pool's nodes and
//     rounds up: 10% of 5 nodes is 1. If no budget decides, the number is [Unlimited].
//
// Without a list, there is one budget of 10%. An explicitly empty list means no limit. One more budget never allows
// more.
//
// An invalid budget allows nothing, since its meaning is unknown: see [Spec.Compile].
//
// # Budgets that limit something else
//
// A budget with a TopologyKey does not affect the pool's number: package topology applies it. Decisions enforce paces
// (Per), soaks, shares (Guaranteed) and spreads, and disruptkit.Decide keeps the memory that they need.
//
// These are the semantics of karpenter.sh/v1 (NodePool.GetAllowedDisruptionsByReason), with time zones, the inverse of
// a window, dates, paces and soaks added. With dialect.Karpenter, [Spec.Compile] reads a list as Karpenter does.
package budget
