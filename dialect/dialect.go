// Package dialect says for which engine something is read: disruptkit itself, or stock Karpenter.
//
// The same objects mean different things to the two. Karpenter ignores what only disruptkit knows, and has quirks of its own, such as
// a schedule that never hits and so is always active. [Karpenter] is a value of budget.Spec, candidate.Parser, candidate.Rules and
// disruptkit.Input. Each of them then does with its objects what Karpenter does. What it compiles to needs to know no dialect.
//
// Each quirk of Karpenter is in one place, which names the function of Karpenter that has it:
//
//   - schedule.ParseKarpenter: when a budget is active;
//   - budget.Admit: what the API server rejects, drops and fills in;
//   - budget/karpenter.go: what a list of budgets allows. An error in one budget lets nothing go for any reason. Zones, time zones,
//     controls and children of reasons do not exist. An empty list of reasons is for no reason;
//   - candidate/karpenter.go: what annotations of pods and PodDisruptionBudgets hold back. Pods have no disruption schedules. Each node
//     asks PodDisruptionBudgets on its own, and one that is not valid stops the whole cluster;
//   - karpenter.go of the root package: there are no probes and no pauses. Its memory.go adds that there is no back-off;
//   - internal/gate/karpenter.go: nodes that have expired go at once, whatever budgets and pods say;
//   - internal/census: nodes that share a name are counted like others.
package dialect

// A Dialect is how objects are read. The zero Dialect is disruptkit's own.
type Dialect uint8

const (
	// Disruptkit reads objects with all that the RFCs add, and lets nothing go where something is broken.
	Disruptkit Dialect = iota
	// Karpenter reads objects as stock Karpenter v1.15 does, quirks included.
	Karpenter
)

// String returns "disruptkit" or "Karpenter v1.15".
func (d Dialect) String() string {
	if d == Karpenter {
		return "Karpenter v1.15"
	}
	return "disruptkit"
}
