package candidate

import ()

// podSources has one Source for each PDB and each PodSchedule that blockers have named so far.
type podSources struct {
	pdbs, schedules []*Source
}

// pdb returns the Source that names a PDB, by its position in the rules.
func (s *podSources) pdb(i int, rules *compiledRules) *Source {
	if s.pdbs == nil {
		s.pdbs = make([]*Source, len(rules.PDBs))
	}
	if s.pdbs[i] == nil {
		s.pdbs[i] = &Source{PDBs: []string{rules.PDBs[i].Name}}
	}
	return s.pdbs[i]
}

// schedule returns the Source that names a PodSchedule, by its position in the rules.
func (s *podSources) schedule(i int, rules *compiledRules) *Source {
	if s.schedules == nil {
		s.schedules = make([]*Source, len(rules.Schedules))
	}
	if s.schedules[i] == nil {
		s.schedules[i] = &Source{PodSchedule: rules.Schedules[i].Name}
	}
	return s.schedules[i]
}
