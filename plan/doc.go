// Package plan says when a roll will be done: it folds disruptkit.Decide over time.
//
// [Run] asks Decide, starts what is allowed, lets time pass, and asks again, until nothing is left to do or nothing will change any
// more. It decides nothing itself: every start in a [Plan] is one that Decide allows at that time. What Decide cannot know is what
// happens to a node once it has started; that is the [Model].
//
//	Input ──▶ Decide ──allowed──▶ launch, drain ──▶ Input, a little later ──▶ Decide ──▶ …
//
// # What a plan assumes
//
//   - A decision is made every 10 seconds, for one reason after the other, in Karpenter's order: Unhealthy, Empty, Drifted,
//     Underutilized, and then all others. (Model.Every, Model.Reasons)
//   - What a decision allows starts at once. Its replacement is launched, and is Ready after 2 minutes. Then the node drains, and is
//     gone 3 minutes later. (Model.Launch, Model.Drain, Model.DrainFirst)
//   - Capacity is always there, and no replacement fails.
//   - Nodes that go because they are Empty or Underutilized are not replaced: their pods fit elsewhere. All other nodes are, also those
//     that a repair would only reboot.
//   - A replacement has the labels of its node, its zone and its pods, and no reason to be disrupted. The pods start when the node is gone
//     and its replacement is Ready. Up to then, the node uses up one disruption of each of its PodDisruptionBudgets.
//   - In Karpenter's dialect, nodes that share a PodDisruptionBudget may drain at once, and their drains take no longer for it.
//   - Nodes that are in flight when the plan begins are gone after the time of a drain, or at their deadline if that comes first. Nodes
//     that reboot, or have not joined yet, are Ready after the time of a launch.
//   - Nothing else changes. No other node drifts, empties or fails, and one that is not Ready stays so. A PodDisruptionBudget that
//     allows nothing now allows nothing later. Probes and breakers go on to say what they say now, but for Model.Outages.
//
// [Plan.Assumptions] says the same with the model's own figures.
package plan
