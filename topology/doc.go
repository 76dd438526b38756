// Package topology decides whose turn it is: it rolls a pool one zone at a time, and limits each zone or rack on its own.
//
// A budget with a topologyKey limits every domain (each value of that label: a zone, a rack) by itself. If it is
// sequential, too, the domains take turns:
//
//	nodes, blockers ──Domains──▶ []Domain ──SelectActiveZone──▶ Selection ──Allows──▶ may one more node of the domain go?
//	                             (counts)    ▲                  (whose turn)
//	                                       Roll ◀── Selection.Next ── (to be stored)
//
// # The rules
//
// A node is drifted, in what follows, if it is a candidate for a reason that the budget applies to: drift alone, unless
// Options.Reasons say otherwise.
//
//  1. The Roll is the one thing to remember: in which domain the roll is, and since when nothing could start there. It
//     goes from each decision into the next, and is stored before anything is started. Losing it is safe.
//  2. A domain is rolling while a node of it is in flight for drift, or for a reason that nobody knows. What remains of
//     its limit is the limit, of the domain's own number of nodes, less all that is in flight there.
//  3. To go are its drifted nodes that are not in flight, and not blocked for good. Free are those of them that nothing
//     blocks.
//  4. It is idle if nothing is rolling, and no free node could start. What budgets of the whole pool say does not enter.
//  5. It keeps its turn while it is rolling, has nodes to go, or has not settled, for which all of its nodes that are not
//     drifted have to be Ready. Where it is idle, it gives way after the patience, or after the soak if it is finished;
//     but never to get around a new node that is not Ready.
//  6. The turn is that of the last domain, if it keeps it; else of the first by name that is rolling; else of the domain
//     of the oldest free node.
//  7. Nothing starts while any other domain is rolling.
//  8. The oldest free nodes of the domain may go, as many as remain, within what the pool's own budgets leave.
//  9. The new Roll is in another domain only once a node is allowed there, or is rolling there. It is none once its domain
//     has nothing rolling, nothing to go, and has settled.
//
// The rules are checked on every reachable state of small fleets, in model_test.go.
//
// # What to know
//
// A drain that is stuck stops the roll until the termination grace period ends it, and a domain that drifts again and
// again keeps its turn. Outside its own schedule, a sequential budget orders nothing: all zones may roll at once then.
package topology
