// Package probe lets external signals stop disruption: an HTTP endpoint that knows of an incident, recent failures, or
// a person who pauses it.
//
// # Probes
//
// A [Probe] is an entry of disruptionProbes, from Karpenter's external disruption signals RFC. Its answers become a
// decision in three steps. Each is a pure function on values that the caller keeps:
//
//	Response ──Observe──▶ Observation ──ProbeVerdict──▶ Verdict ──Blocker──▶ may this pool be disrupted for it?
//	one answer            the sum of its answers        valid at a time      (disruptkit.Decide calls this)
//
// [Observe] counts answers in a row, as readiness probes do, and reads bodies. [ProbeVerdict] adds time: an observation
// that is too old blocks. Callers perform the requests themselves; package httpget has a client for one GET.
//
// A signal can only stop disruption, never force it. Nodes may go only after a valid answer with a status from 200 to
// 202, and only as far as other gates agree. No answer, a late one, or one that cannot be read blocks, and the
// [Verdict] says why. (An endpoint that fails because of bad nodes therefore also stops the drift that would replace
// them. Somebody has to delete those nodes or silence the endpoint.)
//
// # Modes
//
// In [StatusMode], which the RFC first recommended, only the status matters. In [BodyMode], which its newer version
// recommends, the body denies reasons, for the pool that the probe belongs to:
//
//	{"deniedActions": ["drift"]}
//
// In [ClusterMode] one endpoint speaks for all pools:
//
//	{"deniedActions": [{"name": "drift", "nodePools": {"labels": ["gpu", "team=search"]}},
//	                   {"name": "consolidation", "clusterWide": true}]}
//
// Actions are methods, in any case: drift, emptiness (or empty), underutilized, expiration. "consolidation" means both
// underutilized and empty, since nothing should scale down during an incident. "drift:AMIDrift" denies only that child
// reason. An invalid entry denies everything. A body with an unknown or duplicate field is invalid as a whole.
//
// Package breaker has signals without an endpoint: they block disruption because of recent failures.
//
// # Pauses
//
// A [Pause] is a signal from a person: "stop, there is an incident". It says who asked for it, why, and until when. It
// may apply to some pools, reasons or zones only. Nothing overrides it.
package probe
