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
		r.FailClosed, r.Dialect, each(set.written.pdbs, newPDBJSON), each(set.written.schedules, newScheduleJSON),
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
	*r, _ = CompileRules(each(j.PDBs, pdbJSON.pdb), each(j.Schedules, scheduleJSON.schedule))
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
	Namespace          string        `json:"namespace,omitzero"`
	Name               string        `json:"name"`
	Selector           *selectorJSON `json:"selector,omitzero"` // without one it selects nothing; {} selects everything
	DisruptionsAllowed int           `json:"disruptionsAllowed"`
	AlwaysAllow        bool          `json:"alwaysAllow,omitzero"`
}

func newPDBJSON(p PDB) pdbJSON {
	return pdbJSON{p.Namespace, p.Name, newSelector(p.Selector), p.DisruptionsAllowed, p.AlwaysAllow}
}

func (j pdbJSON) pdb() PDB {
	return PDB{
		Namespace: j.Namespace, Name: j.Name, Selector: j.Selector.selector(),
		DisruptionsAllowed: j.DisruptionsAllowed, AlwaysAllow: j.AlwaysAllow,
	}
}

// scheduleJSON is the JSON of a PodSchedule.
type scheduleJSON struct {
	Name          string        `json:"name"`
	Selector      *selectorJSON `json:"selector,omitzero"`
	Schedule      string        `json:"schedule,omitzero"`
	Duration      string        `json:"duration,omitzero"`
	BlockSchedule string        `json:"blockSchedule,omitzero"`
	BlockDuration string        `json:"blockDuration,omitzero"`
	TimeZone      string        `json:"timeZone,omitzero"`
}

func newScheduleJSON(s PodSchedule) scheduleJSON {
	return scheduleJSON{
		s.Name, newSelector(s.Selector), s.Schedule, s.Duration, s.BlockSchedule, s.BlockDuration, s.TimeZone,
	}
}

func (j scheduleJSON) schedule() PodSchedule {
	return PodSchedule{
		Name: j.Name, Selector: j.Selector.selector(), Schedule: j.Schedule, Duration: j.Duration,
		BlockSchedule: j.BlockSchedule, BlockDuration: j.BlockDuration, TimeZone: j.TimeZone,
	}
}

// selectorJSON is the JSON of a Selector, as in Kubernetes.
type selectorJSON struct {
	MatchLabels      map[string]string `json:"matchLabels,omitzero"`
	MatchExpressions []requirementJSON `json:"matchExpressions,omitzero"`
}

// requirementJSON is the JSON of a Requirement.
type requirementJSON struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitzero"`
}

func newSelector(s *Selector) *selectorJSON {
	if s == nil {
		return nil
	}
	return &selectorJSON{s.MatchLabels, each(s.MatchExpressions, func(r Requirement) requirementJSON {
		return requirementJSON(r)
	})}
}

func (j *selectorJSON) selector() *Selector {
	if j == nil {
		return nil
	}
	return &Selector{MatchLabels: j.MatchLabels, MatchExpressions: each(j.MatchExpressions,
		func(r requirementJSON) Requirement { return Requirement(r) })}
}
