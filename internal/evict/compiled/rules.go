// Package compiled has the rules about pods in the form that package evict computes with. It is plain data: package
// candidate compiles it from what people write, and package evict reads it. It imports neither of them.
package compiled

import "github.com/disruptkit/disruptkit/schedule"

// Rules are compiled candidate.Rules. They are never changed.
type Rules struct {
	PDBs          []PDB // by namespace and name
	PDBIndex      Index
	Schedules     []Schedule // by name
	ScheduleIndex Index      // of all namespaces
}

// A PDB is a PodDisruptionBudget as it is enforced. Those that select nothing are left out.
type PDB struct {
	Name        string // namespace/name
	Allowed     int    // at least 0
	Written     int    // what its status says it allows, which may be below 0
	AlwaysAllow bool   // pods that are not Ready may always go
	Invalid     bool   // it is broken, and allows nothing
	Refusal     string // the message if it allows nothing, after the pod's name
	Exhausted   string // the message if others have used it up
}

// A Schedule is a PodDisruptionSchedule as it is enforced.
type Schedule struct {
	Name   string
	Title  string // for sentences
	Window schedule.Window
	Broken string // what is wrong; if not "", its pods may not be disrupted
}
