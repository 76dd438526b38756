package candidate

import (
	"iter"
	"slices"
)

// A selectorIndex finds the selectors that match a pod without trying all of them. In the pod's namespace it tries
// those that require one of the pod's labels, and those that require no particular label value.
type selectorIndex struct {
	selectors  []compiledSelector
	namespaces map[string]*namespace
}

type namespace struct {
	unfiled []int // positions of selectors that require no particular value
	filed   []file
	byKey   map[string]map[string][]int // of the files, by key and value
}

// A file has the positions of the selectors that require a value of a label, by value.
type file struct {
	key     string
	byValue map[string][]int
}

type pair struct{ key, value string }

// newIndex indexes selectors. Each selects in the namespace at the same position of in.
func newIndex(selectors []compiledSelector, in []string) selectorIndex {
	x := selectorIndex{selectors, map[string]*namespace{}}
	asked := map[string]map[pair]int{} // how many selectors ask for a pair, by namespace
	for i, s := range selectors {
		if asked[in[i]] == nil {
			asked[in[i]] = map[pair]int{}
		}
		for p := range s.pairs() {
			asked[in[i]][p]++
		}
	}
	for i, s := range selectors {
		ns := x.namespaces[in[i]]
		if ns == nil {
			ns = &namespace{byKey: map[string]map[string][]int{}}
			x.namespaces[in[i]] = ns
		}
		ns.file(i, s.rarest(asked[in[i]]))
	}
	return x
}

// pairs yields every label and value that a selector names.
func (s compiledSelector) pairs() iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for _, r := range s {
			for _, value := range r.Values {
				if !r.Not && !yield(pair{r.Key, value}) {
					return
				}
			}
		}
	}
}

// rarest returns the requirement of a selector that the fewest others share, or nil if it names no values.
func (s compiledSelector) rarest(asked map[pair]int) *requirement {
	var rarest *requirement
	least := 0
	for i := range s {
		if s[i].Not || s[i].Values == nil {
			continue
		}
		shared := 0
		for _, value := range s[i].Values {
			shared += asked[pair{s[i].Key, value}]
		}
		if rarest == nil || shared < least {
			rarest, least = &s[i], shared
		}
	}
	return rarest
}

// file files a selector under a requirement, or as unfiled if that is nil.
func (ns *namespace) file(position int, under *requirement) {
	if under == nil {
		ns.unfiled = append(ns.unfiled, position)
		return
	}
	byValue := ns.byKey[under.Key]
	if byValue == nil {
		byValue = map[string][]int{}
		ns.byKey[under.Key] = byValue
		ns.filed = append(ns.filed, file{under.Key, byValue})
	}
	for _, value := range under.Values {
		byValue[value] = append(byValue[value], position)
	}
}

// Matches appends the sorted positions of the selectors of a namespace that match the labels.
func (x *selectorIndex) Matches(found []int, in string, labels map[string]string) []int {
	ns := x.namespaces[in]
	if ns == nil {
		return found
	}
	found = x.among(found, ns.unfiled, labels)
	if len(ns.filed) <= len(labels) {
		for i := range ns.filed {
			if value, ok := labels[ns.filed[i].key]; ok {
				found = x.among(found, ns.filed[i].byValue[value], labels)
			}
		}
	} else {
		for key, value := range labels {
			found = x.among(found, ns.byKey[key][value], labels)
		}
	}
	if len(found) > 1 {
		slices.Sort(found)
	}
	return found
}

// among appends those of some positions whose selectors match. A filed selector with a single requirement matches.
func (x *selectorIndex) among(found, some []int, labels map[string]string) []int {
	for _, position := range some {
		if s := x.selectors[position]; len(s) == 1 && s[0].Values != nil && !s[0].Not || s.Matches(labels) {
			found = append(found, position)
		}
	}
	return found
}
