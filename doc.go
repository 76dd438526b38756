// Package disruptkit decides which nodes may be disrupted right now, for which reason, and if not, why not and until
// when. It is for node autoscalers: Karpenter, or any other.
//
// # The model
//
// A node that somebody wants gone for a reason (it has drifted, it is empty, …) is a candidate. It passes gates:
//
//	nodes, pods ──▶ node and pod gates ──▶ probes ──▶ budgets by reason ──▶ topology ──▶ Decision
//	                (may this              (may we?)  (how many             (where?)     (allowed, blocked,
//	                 node go?)                         at once?)                          why, until when)
//
// Each gate looks at every candidate, so that a blocked one carries all its blockers, each with a stable code, a
// sentence for people, and the time at which it lifts by itself, if it does. What is allowed can all be started
// together: it never exceeds a budget, nor what PodDisruptionBudgets allow, unless a termination grace period makes pods
// give way.
//
// [Decide] runs the whole pipeline. Its parts are packages that also work alone:
//
//   - candidate: the plain values that flow through it, and the gates for nodes and pods
//   - schedule: when a recurring window is open, exactly, in any time zone
//   - probe: what signals from outside say, such as an incident, or that too many nodes go down
//   - budget: how many nodes may go at once, with the semantics of karpenter.sh/v1; forecast and lint
//   - topology: whose turn it is, where nodes roll one zone at a time
//
// # Purity
//
// Everything a decision depends on is in the [Input], the time included. There is no clock, no I/O, no Kubernetes
// client and no hidden state: the same input gives the same decision, whatever the order of its parts, and is never
// changed. All functions are safe for concurrent use. (Only package probe/httpget does I/O, for who wants it: it performs
// the GET of a probe.)
//
// What has to be remembered from one decision to the next, where zones take turns, is a value that goes out and comes in
// again: [Decision].Rolls, to be stored before anything is started.
//
// # What operators watch
//
// Package report folds decisions into what operators watch: metrics, the status of NodePools, conditions of NodeClaims, and
// events, as plain values.
//
// # Failing safe
//
// Broken configuration never widens what may be disrupted. It never stops a decision, either: it is in
// [Decision].Warnings, and the candidates that it holds back say so. The exception is Karpenter's, and that of its pod
// disruption schedule RFC: annotations of pods that are not valid are ignored, unless [candidate.Rules].FailClosed is set.
// [candidate.Parser] warns of them as it reads them.
package disruptkit
