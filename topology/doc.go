// Package topology makes the zones of a pool take turns, and limits each zone or rack separately.
//
// A budget with a topologyKey limits every domain separately. A domain is the nodes with one value of that label: a
// zone, a rack. If the budget is also sequential, the domains take turns:
//
//	nodes, blockers ──Census──▶ []Domain ──SelectActiveZone──▶ Selection
//	                            (counts)    ▲                  (which domain's turn,
//	                                      Roll ◀───────────────  what is allowed there)
//
// # The rules
//
// Below, a node is drifted if it is a candidate for a reason that the budget applies to: drift alone, unless [Options]
// say otherwise. If the budget is for a child such as Drifted/AMIDrift, nodes that are only known to be Drifted also
// belong to the roll, because they may be of that child.
//
//  1. The [Roll] is the only state: the domain that has the turn, and since when no node could be disrupted there. Each
//     decision returns it for the next one. A Roll in a domain without nodes is ignored.
//  2. A domain is rolling while one of its nodes is in flight for drift or for an unknown reason. Its limit is computed
//     from its own number of nodes. All its nodes in flight use up that limit, whatever their reason; the rest remains.
//  3. Its nodes to go are its drifted nodes that are neither rolling, nor in flight for another reason, nor blocked for
//     good. A rebooting node is still to go. The free nodes are the nodes to go that nothing blocks.
//  4. It is idle if it is not rolling and no free node could be disrupted. A temporary block on the whole pool, such as
//     a freeze, does not make it idle. A budget that never allows its nodes does, and so does an exhausted limit of
//     another topology key.
//  5. A domain has settled once all nodes that have not drifted and are not being removed are Ready. It keeps its turn
//     while it is rolling, has nodes to go, or has not settled. If it is idle but has nodes to go, it loses its turn
//     after the patience; if it is finished, after the soak. It never loses its turn before it has settled, since nodes
//     that are not Ready may mean a bad image.
//  6. The Roll's domain has the turn for as long as it keeps it. After that, the turn goes to the first rolling domain
//     by name. If none is rolling, it goes to the domain of the oldest free node, overdue nodes first.
//  7. No node is allowed while any other domain is rolling.
//  8. The oldest free nodes of the active domain are allowed, as many as its limit and the pool's own budgets leave.
//  9. The Roll moves to another domain only once a node there is allowed or rolling. It is zero once its domain is not
//     rolling, has no nodes to go, and has settled.
//  10. If a pause of the domain blocks all its nodes to go, the roll skips the domain: it loses its turn as soon as
//     it is idle and has settled. This uses up no patience, and the domain does not count as finished. When the pause
//     ends, it continues where it stopped.
//
// model_test.go checks these rules on every reachable state of small fleets.
//
// # Notes
//
//   - A stuck drain stops the roll until the termination grace period ends it. A domain that keeps drifting keeps its
//     turn. So does a domain with a node that never becomes Ready, until somebody repairs or deletes the node.
//   - Within a domain, replacements that are not Ready do not stop the roll. A budget for the whole pool does, since
//     they count against it.
//   - A sequential budget has no effect outside its own schedule: all zones may then roll at once. Most people want a
//     freeze instead: a budget of 0 for the whole pool.
//   - Each pool has its own roll. Two pools may roll in different zones at the same time, unless a group has both
//     (disruptkit.Group): a group is rolled as one pool. A turn of a group is to the turns within it as a pause of all
//     other domains (rule 10), so that overlapping groups never wait for each other.
package topology
