// Package plan predicts when a roll will be done, by simulating disruptkit.Decide over time.
//
// [Run] calls Decide, starts the nodes that it allows, advances the time, and calls it again, until nothing is left to
// do or nothing will change any more. Run decides nothing itself: Decide allows every start in a [Plan] at its time,
// except for nodes that expire. A [Model] supplies what Decide cannot know: what happens to a node after its start.
//
//	Input ──▶ Decide ──allowed──▶ launch, drain ──▶ Input, a little later ──▶ Decide ──▶ …
//
// # What a plan assumes
//
//   - Decisions are made every 10 seconds, for one reason after another, in Karpenter's order: Unhealthy, Empty,
//     Drifted, Underutilized, then all others. (Model.Every, Model.Reasons)
//   - A node that a decision allows starts at once. Its replacement is launched and is Ready after 2 minutes. Then the
//     node drains, and is gone 3 minutes later. (Model.Launch, Model.Drain, Model.DrainFirst)
//   - Capacity is always available, and no replacement fails.
//   - If durations depend on chance, Model.Seed decides them, and the plan is one of many. [Sample] plans many times,
//     and returns the interval in which most of these plans finish. (Takes, OneOf)
//   - Nodes that are disrupted for Empty or Underutilized are not replaced: their pods fit elsewhere. All other nodes
//     are replaced, even those that repair would only reboot.
//   - A replacement has the labels, zone and pods of its node, and no reason to be disrupted. The pods start when the
//     node is gone and its replacement is Ready. Until then, the node uses up one disruption of each of its
//     PodDisruptionBudgets.
//   - Pods that share a PodDisruptionBudget do not wait for each other, unless Model.Eviction says how long each takes.
//     In Karpenter's dialect, their nodes may drain at once.
//   - A decision takes no time and starts all nodes that it allows. In Karpenter's dialect, a pass takes time, and
//     starts one drifted node of the cluster (Model.Pass, Model.Batched).
//   - Nodes expire only if Model.Expires says when. Whatever Decide returns, their drain then begins at once, while
//     their replacement is launched, as in Karpenter. They use up budgets and PodDisruptionBudgets like all nodes in
//     flight.
//   - Nodes that are in flight when the plan begins are gone after the time of a drain, or when their grace period ends
//     if that is earlier. Before that, PodDisruptionBudgets that allow nothing, pods with do-not-disrupt, and pods that
//     terminate hold up their drains (Model.Terminates, Model.Recovers, Model.Begun). If all pods have been evicted,
//     the time of a drain counts from its beginning. Nodes that are rebooting or have not joined yet are Ready after
//     the time of a launch.
//   - Nothing else changes. No other node drifts, empties or fails, and a node that is not Ready does not become Ready.
//     A PodDisruptionBudget that allows nothing now allows nothing later. Probes and breakers do not change their
//     answers, except for Model.Outages.
//
// [Plan.Assumptions] lists these with the figures of the given model.
package plan
