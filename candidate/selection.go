package candidate

// A selection has the positions of the PDBs and PodSchedules that select a pod.
type selection struct {
	set             *labelSet // of the pod, if it has one
	pdbs, schedules []int
	several         *Source // names the valid PDBs, if there is more than one
}

// selections caches the selections of pods by the number of their LabelSet, and has scratch for pods without one.
// LabelSets of different Parsers may share a number, and then replace each other.
type selections struct {
	sets []selection
	own  selection
}

// of returns the selection of a pod.
func (s *selections) of(p *Pod, rules *compiledRules) *selection {
	set := p.labelSet()
	if set == nil {
		s.own.find(rules, p.namespace(), p.labels())
		return &s.own
	}
	if set.number < len(s.sets) && s.sets[set.number].set == set {
		return &s.sets[set.number]
	}
	return s.learn(set, rules)
}

// learn adds the selection of a LabelSet to the cache.
func (s *selections) learn(set *labelSet, rules *compiledRules) *selection {
	if missing := set.number + 1 - len(s.sets); missing > 0 {
		s.sets = append(s.sets, make([]selection, missing)...)
	}
	known := &s.sets[set.number]
	known.set = set
	known.find(rules, set.namespace, set.labels)
	return known
}

func (s *selection) find(rules *compiledRules, namespace string, labels map[string]string) {
	s.pdbs = rules.pdbIndex.matches(s.pdbs[:0], namespace, labels)
	s.schedules = rules.scheduleIndex.matches(s.schedules[:0], "", labels)
	s.several = nil
	if rules.valid(s.pdbs) > 1 {
		s.several = &Source{PDBs: rules.names(s.pdbs)}
	}
}
