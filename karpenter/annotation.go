package karpenter

import "github.com/disruptkit/disruptkit/cmd/annotation"

// Annotations of a NodePool for what spec.disruption cannot express yet. Their values are YAML or JSON. An invalid or
// unknown annotation blocks all nodes of the pool, since somebody may have meant it as a limit.
const (
	// DisruptionAnnotation is spec.disruption with the fields of the RFCs: budgets (with topologyKey, sequential,
	// timeZone, outside, child reasons) in addition to those of the NodePool, and the controls defaults, consolidation,
	// drift, expiration and emptiness. See [budget.Spec].
	DisruptionAnnotation = annotation.Disruption
	// MostSpecificAnnotation "true" lets only the most specific active budgets decide; with controls this is always so.
	// Karpenter's result for its own budgets remains an upper limit.
	MostSpecificAnnotation = annotation.MostSpecific
	// ProbesAnnotation is the list of disruptionProbes; see httpget.Spec.
	ProbesAnnotation = annotation.Probes
	// TopologyAnnotation has patience (a duration such as 15m, or Never for no limit), soak (a duration), unlabelled
	// (TakeTurn, Exempt or Block), and labelOptional and unsettled (true or false); see [topology.Options].
	TopologyAnnotation = annotation.Topology
	// ExpireAnnotation has after and deadline, both ages such as 720h; see annotation.Expiration.
	ExpireAnnotation = annotation.Expire
	// UnitLabelAnnotation names the label that tells units apart, whose nodes are disrupted together; see annotation.Unite.
	UnitLabelAnnotation = annotation.UnitLabel
	// RepairAnnotation has backOff: with true, repair waits as well, while the pool's replacements fail; see disruptkit.Pool.RepairBacksOff.
	RepairAnnotation = annotation.Repair
	// PauseAnnotation blocks all nodes of the pool, as a [probe.Pause]: the time when the pause ends, "true" until the
	// annotation is removed, or an object with any of until, from, by, why, reasons, and zones (or key and domains).
	PauseAnnotation = annotation.Pause
	// MemoryAnnotation is the memory of the pool between decisions, a disruptkit.Memory in JSON. The guard writes it. If
	// it is invalid, it blocks nothing.
	MemoryAnnotation = annotation.Memory
)

// ReplaceAnnotation, on a Node or its NodeClaim, asks for the replacement of the node: any value but false does. See annotation.Request.
const ReplaceAnnotation = annotation.Replace
