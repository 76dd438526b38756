// Package probe lets external signals stop disruption: an HTTP endpoint that knows of an incident, recent failures, or
// a person who pauses it.
//
// # Probes
//
// A probe is an endpoint that is asked again and again, as in Karpenter's external disruption signals RFC. Its answers
// become a decision in three steps. Each is a pure function on values that the caller keeps:
//
//	answer ──httpget.Observe──▶ Observation ──ProbeVerdict──▶ Verdict ──Blocker──▶ may this pool be disrupted for it?
//	of one GET                  the sum of the answers        valid at a time      (disruptkit.Decide calls this)
//
// Package httpget has the configuration that people write, performs the GET, reads the answer, and counts answers in a
// row, as readiness probes do. [ProbeVerdict] adds time: an observation that is too old blocks. A decision needs the
// [Verdict] alone.
//
// A signal can only stop disruption, never force it. Nodes may go only after a valid answer with a status from 200 to
// 202, and only as far as other gates agree. No answer, a late one, or one that cannot be read blocks, and the
// [Verdict] says why. (An endpoint that fails because of bad nodes therefore also stops the drift that would replace
// them. Somebody has to delete those nodes or silence the endpoint.)
//
// # Other signals
//
// A caller with a signal of its own builds a [Verdict] of it. Package breaker does so for recent failures: too many new
// nodes that failed, or too many nodes that went down.
//
// # Pauses
//
// A [Pause] is a signal from a person: "stop, there is an incident". It says who asked for it, why, and until when. It
// may apply to some pools, reasons or zones only. Nothing overrides it.
package probe
