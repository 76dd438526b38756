// Package disruptkit decides which nodes may be disrupted now and for which reason. For every other node it returns
// what blocks it, and when time alone lifts that. It is for node autoscalers: Karpenter, or any other.
//
// # The model
//
// A node with a reason to be disrupted (it has drifted, it is empty, …) is a candidate. Candidates stand in line:
// repair first, then the oldest. Each passes the same seven gates:
//
//	          ┌──────┐  ┌──────┐  ┌─────────┐  ┌───────┐  ┌──────────┐  ┌─────────┐  ┌───────┐
//	line ───▶ │ node │─▶│ pods │─▶│ signals │─▶│ waves │─▶│ back-off │─▶│ budgets │─▶│ zones │─▶ Decision.Allowed
//	          └──────┘  └──────┘  └─────────┘  └───────┘  └──────────┘  └─────────┘  └───────┘
//	           this      its       may we       is the     do new        how many     which
//	           node?     pods?     at all?      wave full? nodes fail?   at once?     zone?
//
// # What a caller does
//
//  1. Open a [Session] on an [Input]: [Open].
//  2. Read: [Session.Candidates] yields the candidates, in line. [Session.Blockers] returns what blocks one.
//  3. Disrupt: [Session.Disrupt] counts candidates as in flight, all or none. [Session.Cancel] undoes that.
//  4. Close: [Session.Close] returns the [Decision].
//  5. Store Decision.Memory. Only then disrupt what is allowed.
//  6. From then on, pass these nodes with Node.Leaving set, such as to candidate.Draining, until they are gone: that is
//     how they use up budgets. [Input.Apply] sets it in an Input.
//  7. Sleep until Decision.NextChange, or until something happens: [Decision.Wait].
//
// [Decide] does the first four steps for callers that have no criteria of their own:
//
//	for c := range s.Candidates() {
//		s.Disrupt(c)
//	}
//
// Decide one reason at a time, and count what is allowed for it before you decide the next one:
//
//	for _, reason := range []candidate.Reason{candidate.Unhealthy, candidate.Empty, candidate.Drifted} {
//		d := disruptkit.Decide(in, reason)
//		in = in.Apply(d) // or the next reason would spend the same budgets again
//	}
//
// Every gate judges every candidate, so a blocked candidate has all its blockers after the decision. Each blocker has a
// gate, a stable code, a message for people, and the time when time alone lifts it, if it does. You may disrupt all
// allowed nodes at once, or one at a time in list order, without exceeding a budget or a PodDisruptionBudget. (A node
// with a termination grace period may exceed a PodDisruptionBudget, as in Karpenter.)
//
// Four fields of a node are enough to begin with: its Name, its Pool, its Phase (such as candidate.Running), and its
// Conditions, the reasons to disrupt it. A node in an unknown phase is blocked, and Decision.Warnings says what to set.
//
// The code follows the figure. Each gate is a file gate_*.go of this package, or several with its name. gate.go opens
// all gates, and asks them.
//
// The parts also work alone:
//
//   - dialect: whether to read objects as disruptkit or as stock Karpenter does
//   - candidate: the plain values of the model, and the gates for nodes and pods
//   - schedule: when a recurring window is open, exactly, in any time zone
//   - budget: how many nodes may be disrupted at once, with the semantics of karpenter.sh/v1, and a forecast
//   - budget/admission: what Karpenter's API server stores, drops and rejects
//   - budget/lint: probable mistakes in budgets
//   - topology: which zone has the turn, if nodes roll one zone at a time
//   - probe: signals from outside, such as an incident, or too many nodes going down
//   - repair: which unhealthy nodes are due for repair, since when, and how
//   - report: metrics, NodePool status, NodeClaim conditions and events, derived from decisions
//   - plan: when a roll will be done, why not earlier, and which changes would help
//
// # Purity
//
// Everything a decision depends on is in the [Input], the time included. There is no clock, no I/O, no Kubernetes
// client and no hidden state. The same input gives the same decision, whatever the order of its parts, and functions
// never modify it. All functions are safe for concurrent use, except methods of what counts or remembers: a [Session],
// a candidate.PodGate, a topology.Census, a budget.Usage and a kube.Parser. (Only package probe/httpget does I/O: it
// performs the GET of a probe.)
//
// Each pool has a [Memory], the state that one decision returns for the next. Store it before you disrupt anything.
//
// # Failing safe
//
// Invalid configuration never allows more disruption. It never stops a decision, either. [Decision].Warnings lists it,
// and so do the blockers of the candidates that it blocks. There is one exception, as in Karpenter and its pod
// disruption schedule RFC: invalid annotations are ignored, with a warning from the function that reads them. With
// [candidate.Rules].FailClosed, invalid annotations of a pod block it instead.
package disruptkit
