// Package dialect says for which engine something is read: disruptkit itself, or stock Karpenter.
//
// The same objects mean different things to the two. Karpenter ignores what only disruptkit knows, and has quirks of its own, such as
// a schedule that never hits and so is always active. [Karpenter] is a value of budget.Spec, candidate.Parser, candidate.Rules and
// disruptkit.Input. Each of them then does with its objects what Karpenter does. What it compiles to needs to know no dialect.
//
// What Karpenter does differently, and where that is written down, with the function of Karpenter that does so:
//
//   - schedule.ParseKarpenter: when a budget is active;
//   - budget.Admit: what the API server rejects, drops and fills in;
//   - budget/karpenter.go: what Karpenter makes of a list of budgets. An error in one of them lets nothing go for any reason; there are
//     no zones, no time zones, no controls and no children of reasons; a list of reasons that is empty is for nothing;
//   - candidate/karpenter.go: what it makes of the annotations of pods, and of PodDisruptionBudgets. Pods have no disruption schedules,
//     and each node is asked for on its own;
//   - karpenter.go of the root package: there are no probes, no pauses, no turns and no back-off, and expiration asks nobody.
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
