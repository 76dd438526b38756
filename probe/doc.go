// Package probe lets signals from outside stop disruption: an HTTP endpoint that knows of an incident, a look at what has gone wrong
// of late, or a person who says so.
//
// # Probes
//
// A [Probe] is an entry of disruptionProbes, from Karpenter's external disruption signals RFC. What it answers becomes a
// decision in three steps, each a pure function on values that the caller keeps:
//
//	Response ──Observe──▶ Observation ──ProbeVerdict──▶ Verdict ──Blocker──▶ may this pool be disrupted for this reason?
//	one answer            what answers                  what holds           (disruptkit.Decide asks that)
//	                      add up to                     at some time
//
// [Observe] counts answers in a row, as readiness probes do, and reads bodies. [ProbeVerdict] adds what time does: an
// observation that is too old blocks. Asking is left to the caller; package httpget performs one GET.
//
// A signal can only ever stop disruption: only an answer of 200 to 202 that is understood, and denies nothing, lets
// everything go, as far as other gates do. No answer, one that is late, or one that cannot be read, blocks, and the
// [Verdict] says why. (So one that is bad because of bad nodes also stops the drift that would replace them: somebody has
// to delete those nodes, or to silence it.)
//
// # Modes
//
// In [StatusMode], which the RFC recommends, the status says all. In [BodyMode] the body denies reasons, for the pool whose
// probe it is:
//
//	{"deniedActions": ["drift"]}
//
// In [ClusterMode] one endpoint speaks for all pools:
//
//	{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", "team=search"]}},
//	                   {"name": "consolidation", "clusterWide": true}]}
//
// Actions are methods, in any case: drift, emptiness (or empty), underutilized, expiration; consolidation is both
// underutilized and empty, since an incident wants no scale-down. "drift:AMIDrift" denies that child alone. An entry that is
// not understood denies everything. A body is understood whole or not at all: no field of a name that is not known, none
// that appears twice.
//
// # Breakers
//
// A [ReplacementBreaker] stops disruption where new nodes fail to become Ready, a [ScaleDownBreaker] where too many nodes
// go down. Both look at history that the caller hands over, and return a Verdict, too, which time lifts.
//
// # Pauses
//
// A [Pause] is a signal that a person gives: "stop, there is an incident". It says who asked for it, why, and until when, and it may
// be about some pools, reasons or zones alone. Nothing overrides it.
package probe
