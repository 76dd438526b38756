package evict

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/evict/compiled"
)

// sources has one Source for each PDB and each PodSchedule that blockers have named so far.
type sources struct {
	pdbs, schedules []*candidate.Source
}

// pdb returns the Source that names a PDB, by its position in the rules.
func (s *sources) pdb(i int, rules *compiled.Rules) *candidate.Source {
	if s.pdbs == nil {
		s.pdbs = make([]*candidate.Source, len(rules.PDBs))
	}
	if s.pdbs[i] == nil {
		s.pdbs[i] = &candidate.Source{PDBs: []string{rules.PDBs[i].Name}}
	}
	return s.pdbs[i]
}

// schedule returns the Source that names a PodSchedule, by its position in the rules.
func (s *sources) schedule(i int, rules *compiled.Rules) *candidate.Source {
	if s.schedules == nil {
		s.schedules = make([]*candidate.Source, len(rules.Schedules))
	}
	if s.schedules[i] == nil {
		s.schedules[i] = &candidate.Source{PodSchedule: rules.Schedules[i].Name}
	}
	return s.schedules[i]
}
