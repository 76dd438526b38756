package candidate

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A selection has the positions of the PDBs and PodSchedules that select the pods of a namespace with some labels.
type selection struct {
	namespace string
	labels    map[string]string
	at        uintptr // the address of labels

	pdbs, schedules []int
	several         *Source // names the first ten valid PDBs, if there is more than one
	valid           int     // how many of the PDBs are valid
}

// selections caches selections by the address of the labels: many pods may share one map of them (see [Pod].Labels).
// Each address has two positions in the cache.
type selections struct {
	cache  []selection // as many as a power of two
	shift  int         // of a hash with 64 bits, so that the result is a position
	misses int         // since the cache has grown
	hits   int
	alone  selection // of the last pod, where pods do not share their labels
}

const mostSelections = 1 << 12

// of returns the selection of a pod. It is valid until the next call.
func (s *selections) of(p *Pod, rules *ruleSet) *selection {
	at := reflect.ValueOf(p.Labels).Pointer()
	if s.misses >= len(s.cache) && len(s.cache) < mostSelections {
		s.cache, s.misses = make([]selection, max(16, 4*len(s.cache))), 0
		s.shift = 64 - bits.TrailingZeros(uint(len(s.cache)))
	}
	i := uint64(at) * 0x9e3779b97f4a7c15 >> s.shift
	known, other := &s.cache[i], &s.cache[i^1]
	switch {
	case known.isOf(p, at):
		s.hits++
		return known
	case other.isOf(p, at):
		s.hits++
		return other
	case s.misses > mostSelections && s.hits < s.misses: // caching takes longer than it saves
		known = &s.alone
	case known.at != 0:
		*known, *other = *other, *known // the older of the two is dropped
	}
	s.misses++
	known.at, known.namespace, known.labels = at, p.Namespace, p.Labels
	known.find(rules)
	return known
}

// isOf reports whether it is the selection of a pod, whose labels are at an address.
func (s *selection) isOf(p *Pod, at uintptr) bool {
	return s.at == at && at != 0 && s.namespace == p.Namespace
}

func (s *selection) find(rules *ruleSet) {
	s.pdbs = rules.pdbIndex.matches(s.pdbs[:0], s.namespace, s.labels)
	s.schedules = rules.scheduleIndex.matches(s.schedules[:0], "", s.labels)
	s.several, s.valid = nil, 0
	if len(s.pdbs) < 2 {
		return
	}
	var names []string
	for _, i := range s.pdbs {
		if p := &rules.pdbs[i]; !p.invalid {
			s.valid++
			names = append(names, p.name())
		}
	}
	if s.valid > 1 {
		s.several = &Source{PDBs: names[:min(10, s.valid)]}
	}
}

func (s *selection) refuses(texts *podTexts, p *Pod) Blocker {
	first := s.several.PDBs[:min(3, s.valid)]
	b := texts.blocker(p, CodeSeveralPDBs, fmt.Sprintf(" has %d PDBs, and eviction refuses pods with more than one: %s",
		s.valid, wording.List(first, len(first), wording.Quote)))
	b.ForGood, b.Source = true, s.several
	return b
}
