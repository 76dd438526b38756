// Package dialect selects how to read configuration: as disruptkit does, or as stock Karpenter does.
//
// The same objects mean different things to the two. Karpenter ignores features that only disruptkit has, and has
// quirks of its own: for example, a schedule that never hits is always active. budget.Spec, kube.Parser,
// candidate.Rules and disruptkit.Input have a field Dialect. Set it to [Karpenter], and they treat their objects as
// Karpenter does. A budget.Set keeps the dialect that it was compiled in; budget.Set.In compiles it in another one, as
// disruptkit.Decide does for Karpenter's.
//
// These are Karpenter's quirks, each named after the Karpenter function that has it, and where they are read:
//
//   - schedule.ParseKarpenter: when a budget is active;
//   - budget/karpenter.go: what a list of budgets allows. Zones, time zones, controls and child reasons do not exist;
//   - package budget/admission: what the API server rejects, drops and fills in;
//   - candidate.OpenPods: what pod annotations and PodDisruptionBudgets block;
//   - input.go of the root package: all that Karpenter does not know at all, from groups to back-off, is taken out
//     of the input before a decision. Expired nodes are disrupted at once, whatever budgets and pods say;
//   - budget.CountNodes: nodes that share a name are counted separately;
//   - package plan: which passes Karpenter makes, and that drains of nodes that share a PodDisruptionBudget overlap.
package dialect

// A Dialect says how to read objects. All but Karpenter are as Disruptkit.
type Dialect string

const (
	// Disruptkit reads objects with all features of the RFCs. Invalid configuration allows nothing.
	Disruptkit Dialect = ""
	// Karpenter reads objects as stock Karpenter v1.15 does, quirks included.
	Karpenter Dialect = "karpenter"
)

// String returns "disruptkit" or "Karpenter v1.15".
func (d Dialect) String() string {
	if d == Karpenter {
		return "Karpenter v1.15"
	}
	return "disruptkit"
}
