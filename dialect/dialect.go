// Package dialect selects how to read configuration: as disruptkit does, or as stock Karpenter does.
//
// The same objects mean different things to the two. Karpenter ignores features that only disruptkit has, and has
// quirks of its own: for example, a schedule that never hits is always active. budget.Spec, kube.Parser,
// candidate.Rules and disruptkit.Input have a field Dialect. Set it to [Karpenter], and they treat their objects as
// Karpenter does. A budget.Set keeps the dialect that it was compiled in; budget.Set.In compiles it in another one, as
// disruptkit.Decide does for Karpenter's.
//
// What a dialect has and what it lacks stands in one row of trait.go: a new dialect is a constant, a name and a row.
// These are Karpenter's quirks, each named after the Karpenter function that has it, and where they are read:
//
//   - schedule.ParseKarpenter: when a budget is active;
//   - budget/schema.go and budget/admission: what the API server rejects, drops and fills in;
//   - budget/karpenter.go: what a list of budgets allows. An error in one budget means that nothing may go for any
//     reason. Zones, time zones, controls and child reasons do not exist. An empty list of reasons means no reason;
//   - candidate/karpenter.go: what pod annotations and PodDisruptionBudgets hold back. Pods have no disruption
//     schedules. PodDisruptionBudgets are checked for each node separately, and an invalid one blocks the whole
//     cluster;
//   - karpenter.go of the root package: there are no probes and no pauses. memory.go there: there is no back-off, and
//     rolls are not remembered. gate_budgets_pace.go: no starts are remembered for paces;
//   - request.go and line.go: there are no deadlines;
//   - gate_node_karpenter.go: expired nodes go at once, whatever budgets and pods say;
//   - budget.CountNodes: nodes that share a name are counted separately;
//   - package plan: which passes Karpenter makes, and that drains of nodes that share a PodDisruptionBudget overlap.
package dialect

// A Dialect says how to read objects. The zero Dialect is Disruptkit.
type Dialect uint8

const (
	// Disruptkit reads objects with all features of the RFCs. Invalid configuration lets nothing go.
	Disruptkit Dialect = iota
	// Karpenter reads objects as stock Karpenter v1.15 does, quirks included.
	Karpenter
)

var names = [...]string{Disruptkit: "disruptkit", Karpenter: "Karpenter v1.15"}

// String returns "disruptkit" or "Karpenter v1.15".
func (d Dialect) String() string {
	if int(d) >= len(names) {
		d = Disruptkit
	}
	return names[d]
}
