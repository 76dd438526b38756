package candidate

import "slices"

// A selectorIndex finds the selectors that match a pod without trying all of them. In the pod's namespace it tries
// the selectors that require one of the pod's labels or no particular label value.
type selectorIndex struct {
	selectors  []compiledSelector
	in         []string // the namespace of each
	namespaces map[string]*namespace
}

type namespace struct {
	unfiled []int                       // positions of selectors that require no particular value
	filed   map[string]map[string][]int // positions of the others, by the key and the value of a label
	keys    []string                    // of filed, in no order
}

func (x *selectorIndex) add(in string, s compiledSelector) {
	x.selectors, x.in = append(x.selectors, s), append(x.in, in)
}

// file files all selectors that were added, each under the requirement that the fewest others of its namespace share.
func (x *selectorIndex) file() {
	type pair struct{ in, key, value string }
	shared := map[pair]int{}
	for i, s := range x.selectors {
		for _, r := range s {
			for _, value := range r.values {
				shared[pair{x.in[i], r.key, value}]++
			}
		}
	}
	x.namespaces = map[string]*namespace{}
	for i, s := range x.selectors {
		ns := x.namespaces[x.in[i]]
		if ns == nil {
			ns = &namespace{filed: map[string]map[string][]int{}}
			x.namespaces[x.in[i]] = ns
		}
		var rarest *requirement
		least := 0
		for j := range s {
			r, n := &s[j], 0
			for _, value := range r.values {
				n += shared[pair{x.in[i], r.key, value}]
			}
			if !r.not && r.values != nil && (rarest == nil || n < least) {
				rarest, least = r, n
			}
		}
		ns.file(i, rarest)
	}
}

// file files a selector under a requirement, or as unfiled if that is nil.
func (ns *namespace) file(position int, under *requirement) {
	if under == nil {
		ns.unfiled = append(ns.unfiled, position)
		return
	}
	byValue := ns.filed[under.key]
	if byValue == nil {
		byValue = map[string][]int{}
		ns.filed[under.key], ns.keys = byValue, append(ns.keys, under.key)
	}
	for _, value := range under.values {
		byValue[value] = append(byValue[value], position)
	}
}

// matches appends the sorted positions of the selectors of a namespace that match the labels.
func (x *selectorIndex) matches(found []int, in string, labels map[string]string) []int {
	ns := x.namespaces[in]
	if ns == nil {
		return found
	}
	found = x.among(found, ns.unfiled, labels)
	if len(ns.keys) <= len(labels) { // almost always
		for _, key := range ns.keys {
			if value, has := labels[key]; has {
				found = x.among(found, ns.filed[key][value], labels)
			}
		}
	} else {
		for key, value := range labels {
			found = x.among(found, ns.filed[key][value], labels)
		}
	}
	if len(found) > 1 {
		slices.Sort(found)
	}
	return found
}

// among appends the positions whose selectors match.
func (x *selectorIndex) among(found, some []int, labels map[string]string) []int {
	for _, position := range some {
		if x.selectors[position].matches(labels) {
			found = append(found, position)
		}
	}
	return found
}
