package candidate

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A selection has the positions of the PDBs and PodSchedules that select a pod.
type selection struct {
	set             *labelSet // of the pod, if it has one
	pdbs, schedules []int
	several         *Source // names the valid PDBs, if there is more than one
	valid           int     // how many of the PDBs are valid
}

// selections caches the selections of pods by the number of their LabelSet, and has scratch for pods without one.
// LabelSets of different Parsers may share a number, and then replace each other.
type selections struct {
	sets []selection
	own  selection
}

// of returns the selection of a pod.
func (s *selections) of(p *Pod, rules *compiledRules) *selection {
	set := p.LabelSet.set
	if set == nil || p.Labels != nil || p.Namespace != "" && p.Namespace != set.Namespace {
		s.own.find(rules, set.NamespaceOf(p.Namespace), set.LabelsOf(p.Labels))
		return &s.own
	}
	if set.Number < len(s.sets) && s.sets[set.Number].set == set {
		return &s.sets[set.Number]
	}
	return s.learn(set, rules)
}

// learn adds the selection of a LabelSet to the cache.
func (s *selections) learn(set *labelSet, rules *compiledRules) *selection {
	if missing := set.Number + 1 - len(s.sets); missing > 0 {
		s.sets = append(s.sets, make([]selection, missing)...)
	}
	known := &s.sets[set.Number]
	known.set = set
	known.find(rules, set.Namespace, set.Labels)
	return known
}

func (s *selection) find(rules *compiledRules, namespace string, labels map[string]string) {
	s.pdbs = rules.PDBIndex.Matches(s.pdbs[:0], namespace, labels)
	s.schedules = rules.ScheduleIndex.Matches(s.schedules[:0], "", labels)
	s.several, s.valid = nil, 0
	for _, i := range s.pdbs {
		if !rules.PDBs[i].Invalid {
			s.valid++
		}
	}
	if s.valid > 1 {
		s.several = &Source{PDBs: s.names(rules)}
	}
}

// mostNamed is how many PDBs of one pod are named.
const mostNamed = 10

// names returns the names of the first valid PDBs.
func (s *selection) names(rules *compiledRules) (names []string) {
	for _, i := range s.pdbs {
		if p := &rules.PDBs[i]; !p.Invalid && len(names) < mostNamed {
			names = append(names, p.Name)
		}
	}
	return names
}

// refuses returns the blocker of a pod that several PDBs select.
func (s *selection) refuses(p *Pod) Blocker {
	const message = " has %d PDBs, and eviction refuses pods with more than one: %s"
	b := podBlocker(p, CodeSeveralPDBs, fmt.Sprintf(message, s.valid, fewNames(s.several.PDBs)))
	b.ForGood, b.Source = true, s.several
	return b
}

// fewNames tells the first names of a list.
func fewNames(names []string) string {
	const most = 3
	var texts []string
	for _, name := range names[:min(most, len(names))] {
		texts = append(texts, wording.Quote(name))
	}
	return strings.Join(texts, ", ")
}
