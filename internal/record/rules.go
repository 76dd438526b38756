package record

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// rules are candidate.Rules as they are written, faults included.
type rules struct {
	FailClosed bool            `json:"failClosed,omitzero"`
	Dialect    dialect.Dialect `json:"dialect,omitzero"`
	PDBs       []pdb           `json:"podDisruptionBudgets,omitzero"`
	Schedules  []podSchedule   `json:"podDisruptionSchedules,omitzero"`
}

func newRules(r candidate.Rules) rules {
	pdbs, schedules := r.Written()
	return rules{
		r.FailClosed, r.Dialect, each(pdbs, func(p candidate.PDB) pdb { return pdb(p) }),
		each(schedules, func(s candidate.PodSchedule) podSchedule { return podSchedule(s) }),
	}
}

// rules compiles the rules. Decisions warn of their faults.
func (j rules) rules() candidate.Rules {
	r, _ := candidate.CompileRules(
		each(j.PDBs, func(p pdb) candidate.PDB { return candidate.PDB(p) }),
		each(j.Schedules, func(s podSchedule) candidate.PodSchedule { return candidate.PodSchedule(s) }))
	r.FailClosed, r.Dialect = j.FailClosed, j.Dialect
	return r
}

// A pdb is a candidate.PDB.
type pdb struct {
	Namespace          string              `json:"namespace,omitzero"`
	Name               string              `json:"name"`
	Selector           *candidate.Selector `json:"selector,omitzero"` // nil selects nothing, {} everything
	DisruptionsAllowed int                 `json:"disruptionsAllowed"`
	AlwaysAllow        bool                `json:"alwaysAllow,omitzero"`
}

// A podSchedule is a candidate.PodSchedule.
type podSchedule struct {
	Name          string              `json:"name"`
	Selector      *candidate.Selector `json:"selector,omitzero"`
	Schedule      string              `json:"schedule,omitzero"`
	Duration      string              `json:"duration,omitzero"`
	BlockSchedule string              `json:"blockSchedule,omitzero"`
	BlockDuration string              `json:"blockDuration,omitzero"`
	TimeZone      string              `json:"timeZone,omitzero"`
}
