package karpenter

import "github.com/disruptkit/disruptkit/examples/internal/annotation"

// The annotations of a NodePool that say what spec.disruption cannot say yet. Their values are YAML or JSON. One that
// cannot be read, or that nobody knows, holds back all nodes of the pool: it may be a limit that was meant to hold.
const (
	// DisruptionAnnotation is what spec.disruption would be with the fields of the RFCs: budgets (with topologyKey, sequential,
	// timeZone, outside, child reasons) that are added to those of the NodePool, and the controls defaults, consolidation,
	// drift, expiration and emptiness. See budget.Spec.
	DisruptionAnnotation = annotation.Disruption
	// MostSpecificAnnotation "true" lets the most specific active budgets alone decide, as controls do anyway. What Karpenter
	// makes of its own budgets still is the most that may go.
	MostSpecificAnnotation = annotation.MostSpecific
	// ProbesAnnotation is the list of disruptionProbes; see probe.Probe.
	ProbesAnnotation = annotation.Probes
	// TopologyAnnotation has patience (a duration such as 15m, or Never, with which a roll never gives way), soak (a duration),
	// unlabelled (TakeTurn, Exempt or Block), and unsettled (true or false); see topology.Options.
	TopologyAnnotation = annotation.Topology
	// RepairAnnotation has backOff: with true, repair waits, too, while the pool's replacements fail; see disruptkit.Pool.RepairBacksOff.
	RepairAnnotation = annotation.Repair
	// PauseAnnotation holds back all nodes of the pool, as a probe.Pause: a time until when, "true" until it is taken out, or an object
	// with any of until, from, by, why, reasons, and zones (or key and domains).
	PauseAnnotation = annotation.Pause
	// MemoryAnnotation is what is remembered of the pool from one decision to the next, as a disruptkit.Memory in JSON. The
	// guard writes it. What cannot be read of it holds nothing back.
	MemoryAnnotation = annotation.Memory
	// RollAnnotation is where older guards kept the roll alone, as a topology.Roll in JSON. It is read where there is no
	// MemoryAnnotation, and removed when that is written.
	RollAnnotation = annotation.Roll
)
