// Package topology decides whose turn it is: it rolls a pool one zone at a time, and limits each zone or rack on its own.
//
// A budget with a topologyKey limits every domain (each value of that label: a zone, a rack) by itself. If it is
// sequential, too, the domains take turns:
//
//	nodes, blockers ──Domains──▶ []Domain ──SelectActiveZone──▶ Selection
//	                             (counts)    ▲                  (whose turn, and
//	                                       Roll ◀── Next ──────  what may go there)
//
// # The rules
//
// A node is drifted, in what follows, if it is a candidate for a reason that the budget applies to: drift alone, unless
// Options.Reasons say otherwise.
//
//  1. The Roll is the one thing to remember: in which domain the roll is, and since when nothing could start there. It
//     goes from each decision into the next, and is stored before anything is started. Without it the limits hold, but
//     the roll may leave a domain early. In a domain without nodes, there is no roll.
//  2. A domain is rolling while a node of it is in flight for drift, or for a reason that nobody knows. What remains of
//     its limit is the limit, of the domain's own number of nodes, less all that is in flight there.
//  3. To go are its drifted nodes that are not in flight, and not blocked for good. Free are those of them that nothing
//     blocks.
//  4. It is idle if nothing is rolling, and no free node could start. What holds back the whole pool for a while, such
//     as a freeze, does not make it idle. A budget that never lets its nodes go makes it idle, and so does a limit of
//     another key that is used up.
//  5. A domain keeps its turn while it is rolling, has nodes to go, or has not settled: while a node that has not drifted,
//     and is not on its way out, is not Ready. If it is idle but has nodes to go, it gives way after the patience; if it
//     is finished, after the soak; but never before it has settled, since that may be a bad image.
//  6. The turn is that of the Roll's domain, as long as that keeps it. Then it is that of the first domain by name that is
//     rolling, and if there is none, of the domain of the oldest free node.
//  7. Nothing starts while any other domain is rolling.
//  8. The oldest free nodes of the domain may go, as many as remain, within what the pool's own budgets leave.
//  9. The new Roll is in another domain only once a node is allowed there, or is rolling there. It is none once its domain
//     has nothing rolling, nothing to go, and has settled.
//  10. While a pause of the domain holds back all that is to go there, the roll skips it: once it is idle and has settled, it gives
//     way at once. That spends no patience, and does not make it done. When the pause ends, it is as far as it was before.
//
// The rules are checked on every reachable state of small fleets, in model_test.go.
//
// # What to know
//
//   - A drain that is stuck stops the roll until the termination grace period ends it, and a domain that drifts again and
//     again keeps its turn. So does one with a node that never becomes Ready, until somebody repairs or deletes it.
//   - Settling is at the end of a domain. Within it, replacements that are not Ready do not stop the roll; a budget for the
//     whole pool does, where they count as in use.
//   - Outside its own schedule, a sequential budget orders nothing: all zones may roll at once then. A freeze (a budget of
//     0 for the whole pool) is what most people want instead.
//   - Each pool has a roll of its own. Two pools may roll in different zones at the same time.
package topology
