package candidate

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/disruptkit/disruptkit/dialect"
)

// rulesJSON is the JSON of Rules.
type rulesJSON struct {
	FailClosed bool            `json:"failClosed,omitzero"`
	Dialect    dialect.Dialect `json:"dialect,omitzero"`
	PDBs       []pdbJSON       `json:"podDisruptionBudgets,omitzero"`
	Schedules  []scheduleJSON  `json:"podDisruptionSchedules,omitzero"`
}

// MarshalJSON returns the PDBs and PodSchedules as they were given to [CompileRules], faults included.
func (r Rules) MarshalJSON() ([]byte, error) {
	set := r.get()
	return json.Marshal(rulesJSON{
		r.FailClosed, r.Dialect, each(set.written.pdbs, func(p PDB) pdbJSON { return pdbJSON(p) }),
		each(set.written.schedules, func(s PodSchedule) scheduleJSON { return scheduleJSON(s) }),
	})
}

// UnmarshalJSON compiles what MarshalJSON writes. Unknown fields are errors. Faults in PDBs and PodSchedules are not:
// they are in Warnings, as after CompileRules.
func (r *Rules) UnmarshalJSON(data []byte) error {
	var j rulesJSON
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&j); err != nil {
		return fmt.Errorf("rules for pods: %w", err)
	}
	*r, _ = CompileRules(
		each(j.PDBs, func(p pdbJSON) PDB { return PDB(p) }),
		each(j.Schedules, func(s scheduleJSON) PodSchedule { return PodSchedule(s) }))
	r.FailClosed, r.Dialect = j.FailClosed, j.Dialect
	return nil
}

// each returns what f makes of each element, and nil for an empty list.
func each[A, B any](list []A, f func(A) B) []B {
	var made []B
	for _, a := range list {
		made = append(made, f(a))
	}
	return made
}

// pdbJSON is the JSON of a PDB.
type pdbJSON struct {
	Namespace          string    `json:"namespace,omitzero"`
	Name               string    `json:"name"`
	Selector           *Selector `json:"selector,omitzero"` // without one it selects nothing; {} selects everything
	DisruptionsAllowed int       `json:"disruptionsAllowed"`
	AlwaysAllow        bool      `json:"alwaysAllow,omitzero"`
}

// scheduleJSON is the JSON of a PodSchedule.
type scheduleJSON struct {
	Name          string    `json:"name"`
	Selector      *Selector `json:"selector,omitzero"`
	Schedule      string    `json:"schedule,omitzero"`
	Duration      string    `json:"duration,omitzero"`
	BlockSchedule string    `json:"blockSchedule,omitzero"`
	BlockDuration string    `json:"blockDuration,omitzero"`
	TimeZone      string    `json:"timeZone,omitzero"`
}
