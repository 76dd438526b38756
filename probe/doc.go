// Package probe lets external signals stop disruption: an HTTP endpoint that reports an incident, recent failures, or a
// person's pause.
//
// # Probes
//
// A probe is an endpoint that is polled, as in Karpenter's external disruption signals RFC. Its answers become a
// decision in three steps. Each is a pure function on values that the caller keeps:
//
//	answer ──httpget.Observe──▶ Observation ──ProbeVerdict──▶ Verdict ──Blocker──▶ may this pool be disrupted for it?
//	of one GET                  the sum of the answers        valid at a time      (disruptkit.Decide calls this)
//
// Package httpget has the configuration that people write, performs the GET, reads the answer, and counts answers in a
// row, as readiness probes do. [ProbeVerdict] adds time: an observation that is too old blocks. A decision needs the
// [Verdict] alone.
//
// A signal can only stop disruption, never force it. It allows nodes only after a valid answer with a status from 200
// to 202; other gates may still block them. An answer that is missing, late or unreadable blocks, and the [Verdict]
// says why. (An endpoint that fails because of bad nodes therefore also stops the drift that would replace them. Then
// delete those nodes or silence the endpoint.)
//
// # Other signals
//
// A caller with a signal of its own builds a [Verdict] from it. Package breaker does so for recent failures: too many
// new nodes that failed, or too many nodes that went down.
//
// # Pauses
//
// A [Pause] is a signal from a person: "stop, there is an incident". It records who asked for it, why, and when it
// ends. It may apply to some pools, reasons or zones only. Nothing overrides it.
package probe
