// Package repair says which unhealthy nodes to repair, from when on, and how: replace them, or reboot them in place.
//
// The kubelet and other agents report a machine's health as node conditions. A [Policy] says which condition calls for
// repair, how long to tolerate it first, and what to do then. [Compile] checks a list of policies and compiles it to a
// [Set]. [Resolve] evaluates it for one [Node]. [Result.Condition] turns the [Result] into a [candidate.Condition].
// From there on, a repair is a disruption like any other, with the reason [candidate.Unhealthy], and with budgets,
// gates and blockers.
//
//	node conditions ──▶ Resolve(Set, Node, now) ──▶ Result ──▶ candidate.Condition{Unhealthy/Ready, Since, …}
//
// Two more types keep repair from doing harm. [Reboots] remembers the reboots of one NodeClaim: if two of them did not
// help, the node is replaced. A [Breaker] stops the repair of a pool if so many nodes are unhealthy that the cause is
// probably elsewhere.
//
// The package follows Karpenter v1.15: its designs "reason-aware repair policy matching", "candidate resolution,
// admission and escalation" and "making node repair voluntary". Where designs and code differ, it follows the code.
//
// Everything fails safe. An empty list of policies, or one with a fault, repairs nothing. Neither does a condition that
// holds since an unknown time. The result says why.
package repair
