package candidate

import "github.com/disruptkit/disruptkit/internal/evict/compiled"

// sources has one Source for each PDB and each PodSchedule that blockers have named so far.
type sources struct {
	pdbs, schedules []*Source
}

// pdb returns the Source that names a PDB, by its position in the rules.
func (s *sources) pdb(i int, rules *compiled.Rules) *Source {
	if s.pdbs == nil {
		s.pdbs = make([]*Source, len(rules.PDBs))
	}
	if s.pdbs[i] == nil {
		s.pdbs[i] = &Source{PDBs: []string{rules.PDBs[i].Name}}
	}
	return s.pdbs[i]
}

// schedule returns the Source that names a PodSchedule, by its position in the rules.
func (s *sources) schedule(i int, rules *compiled.Rules) *Source {
	if s.schedules == nil {
		s.schedules = make([]*Source, len(rules.Schedules))
	}
	if s.schedules[i] == nil {
		s.schedules[i] = &Source{PodSchedule: rules.Schedules[i].Name}
	}
	return s.schedules[i]
}
