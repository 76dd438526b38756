// Package repair says which unhealthy nodes are to be repaired, since when, and how: replaced, or rebooted in place.
//
// The kubelet and other agents report the health of a machine as node conditions. A [Policy] says which of them calls for
// repair, for how long it is tolerated first, and what is to be done then. [Compile] checks a list of policies, and makes a
// [Set] of it; [Resolve] judges one [Node] by it. What comes out is one [Result], which [Result.Condition] turns into a
// [candidate.Condition]: from there on a repair is a disruption like any other, with the reason [candidate.Unhealthy] and with
// budgets, gates and blockers.
//
//	node conditions ──▶ Resolve(Set, Node, now) ──▶ Result ──▶ candidate.Condition{Unhealthy/Ready, Since, Urgency, Bound}
//
// Two more values keep repair from doing harm. [Reboots] remembers the reboots of one NodeClaim: a node that two of them did
// not help is replaced. A [Breaker] stops the repair of a pool in which so many nodes are unhealthy that the nodes are hardly
// what is broken.
//
// All of it follows Karpenter v1.15: its designs "reason-aware repair policy matching", "candidate resolution, admission and
// escalation" and "making node repair voluntary", and, where they differ from its code, the code.
//
// Everything fails safe: a list of policies with a fault, or none, repairs nothing, and neither does a condition of which
// nobody knows since when it holds. Each says why.
package repair
