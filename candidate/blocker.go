package candidate

import (
	"cmp"
	"time"
)

// A Gate is a stage of the pipeline that a candidate has to pass.
type Gate string

// The gates, in the order of the pipeline. Each is a file gate_*.go of the root package.
const (
	GateNode     Gate = "node"
	GatePod      Gate = "pod"   // pods
	GateProbe    Gate = "probe" // signals: probes, breakers and pauses
	GateWave     Gate = "wave"
	GateBackoff  Gate = "backoff"
	GateBudget   Gate = "budget"
	GateTopology Gate = "topology" // zones
)

// A Code is why a node is blocked, or what is wrong with the input, for programs.
type Code string

// The codes of blockers at each gate. They are stable, unlike messages. Codes of a single package, such as package
// breaker, are declared there, and those of mistakes that a program only shows are not exported: kubectl disruption
// explain lists all.
const (
	CodeUnmanaged         Code = "unmanaged"          // the node belongs to no pool
	CodeUnknownPool       Code = "unknown-pool"       // its pool is unknown, or one of two; also of a Warning
	CodeDuplicateNode     Code = "duplicate-node"     // two nodes have this name; also of a Warning
	CodeNotInitialized    Code = "not-initialized"    // the node has not joined completely
	CodeDeleting          Code = "deleting"           // the node is in flight already
	CodeRebooting         Code = "rebooting"          // the node reboots in place
	CodeNominated         Code = "nominated"          // a pending pod is expected on the node
	CodeDoNotDisrupt      Code = "do-not-disrupt"     // the annotation
	CodeDoNotRepair       Code = "do-not-repair"      // the annotation
	CodeTolerated         Code = "tolerated"          // a repair policy still tolerates the node's condition
	CodeDisruptAfter      Code = "disrupt-after"      // the reason has not held for long enough
	CodeTooYoung          Code = "too-young"          // the node is not old enough
	CodeAlreadyAllowed    Code = "already-allowed"    // the node is disrupted already, for another of its reasons
	CodeAllowsNone        Code = "allows-none"        // a budget is 0: the pool's, a zone's, or a PDB
	CodeExhausted         Code = "exhausted"          // a budget is used up: the pool's, a zone's, or a PDB
	CodeReserved          Code = "reserved"           // guaranteed budgets reserve the rest for other reasons
	CodePaced             Code = "paced"              // the start limit of a pace is reached
	CodeSoaks             Code = "soaks"              // a slot is in use for some time after its node is gone
	CodeSpread            Code = "spread"             // the next start of a roll that a budget spreads is not due
	CodeInvalidBudget     Code = "invalid-budget"     // a budget is invalid, and allows nothing; also of a Warning
	CodeUnknownReason     Code = "unknown-reason"     // the reason is probably misspelled; also of a Warning
	CodeWaitsForDomain    Code = "waits-for-domain"   // another zone has the turn, or has nodes in flight
	CodeNoLabel           Code = "no-label"           // the node lacks a label that it needs; also of a Warning
	CodeNoEffect          Code = "no-effect"          // of a Warning: what is written has no effect
	CodeUnknownDomain     Code = "unknown-domain"     // nothing is known about the zone of the node; also of a Warning
	CodePodsUnknown       Code = "pods-unknown"       // the pods of the node could not be listed, and may block it
	CodeOutsideSchedule   Code = "outside-schedule"   // a pod may be disrupted only at other times
	CodeInvalidAnnotation Code = "invalid-annotation" // a pod has one, and Rules.FailClosed is set; also of a Warning
	CodeInvalidSchedule   Code = "invalid-schedule"   // a PodDisruptionSchedule is invalid; also of a Warning
	CodeSeveralPDBs       Code = "several-pdbs"       // a pod has more than one PDB, and cannot be evicted
	CodeInvalidPDB        Code = "invalid-pdb"        // a PDB is invalid, and allows nothing; also of a Warning
	CodeInvalidProbe      Code = "invalid-probe"      // a probe or a breaker is invalid, and blocks; also of a Warning
	CodeNotObserved       Code = "not-observed"       // a probe has no answer yet, or too few good ones
	CodeStale             Code = "stale"              // the last answer to a probe is too old
	CodeFromTheFuture     Code = "from-the-future"    // the last answer to a probe is newer than now
	CodeDenied            Code = "denied"             // the answer to a probe denies the reason
	CodePaused            Code = "paused"             // somebody has paused the cluster, a pool, a reason or a zone
	CodeNoEnd             Code = "no-end"             // of a Warning: a pause applies until somebody removes it
	CodeBackedOff         Code = "backed-off"         // the pool's replacements fail, and it waits to retry
	CodeWaveFull          Code = "wave-full"          // the wave has no slot left for a new node or one in flight
	CodeBakes             Code = "bakes"              // a wave is done, and bakes before the next one begins
	CodeInvalidRollout    Code = "invalid-rollout"    // waves are invalid, and allow nothing; also of a Warning
	CodeTooManyUnhealthy  Code = "too-many-unhealthy" // too many nodes of the pool are unhealthy, so repair stops
	CodeInvalidGroup      Code = "invalid-group"      // a group of pools is invalid, and blocks; also of a Warning
	CodeRejected          Code = "rejected"           // of a Warning: Karpenter's API server rejects what is written
)

// A Blocker is one thing that blocks a candidate.
type Blocker struct {
	Gate Gate
	Code Code // stable, for programs

	// Until is when time alone lifts the blocker: if no node is disrupted or becomes Ready, and no signal changes.
	// Blockers of one source lift together. All limits of nodes at once of a pool are one source, and so are all its
	// paces, all its soaks, and all its spreads. Zero: time alone does not lift it, or the time is unknown. It may be
	// unknown at the gate of zones, for a unit with nodes in several pools, for a bake that a node in flight
	// interrupts, and where it is unknown since when something holds. The candidate is blocked until then, and perhaps
	// for longer: there may be new blockers, and other candidates ahead in line.
	Until time.Time
	// ForGood is whether only a change of configuration lifts the blocker, such as do-not-disrupt "true", a second
	// PodDisruptionBudget of a pod, or a disruptAfter of Never. A roll does not wait for that. It waits for every other
	// blocker, up to its patience.
	ForGood bool

	Message string // for people
	Pod     string // the pod that blocks its node, as "namespace/name"; "": it is no pod
	// Source names the PodDisruptionBudget, the budgets, the zone, the probe or the pause that the message is about.
	// Nil: there is nothing to name, or it is not known yet. To compare Blockers, use Compare: == compares pointers to
	// Sources.
	Source *Source
}

// String returns "gate/code: message (until 2026-11-20T17:00:00Z)".
func (b Blocker) String() string {
	text := string(b.Gate) + "/" + string(b.Code) + ": " + b.Message
	if !b.Until.IsZero() {
		text += " (until " + b.Until.UTC().Format(time.RFC3339) + ")"
	}
	return text
}

// LiftsAt returns when the last of the blockers lifts, and whether time alone lifts all of them at a known time. A
// blocker that lifts earlier may be back by then, such as a pod's schedule.
func LiftsAt(blockers []Blocker) (at time.Time, ok bool) {
	for i := range blockers {
		b := &blockers[i]
		if b.Until.IsZero() {
			return time.Time{}, false
		}
		if i == 0 || b.Until.After(at) {
			at = b.Until
		}
	}
	return at, true
}

// Compare orders blockers of one gate by message, code, Until and Source. It returns 0 only for the same contents.
func (b Blocker) Compare(other Blocker) int {
	c := cmp.Or(cmp.Compare(b.Message, other.Message), cmp.Compare(b.Code, other.Code), b.Until.Compare(other.Until),
		b.Source.compare(other.Source), cmp.Compare(b.Gate, other.Gate), cmp.Compare(b.Pod, other.Pod))
	switch {
	case c != 0 || b.ForGood == other.ForGood:
		return c
	case b.ForGood:
		return 1
	}
	return -1
}
