package budget

import "github.com/disruptkit/disruptkit/candidate"

// shared returns the names that several nodes have, given the hashes of all names. A hash table of positions is faster
// than a map of names.
func shared(nodes []candidate.Node, hashes []uint64) (shared map[string]bool) {
	size := 16
	for size < 2*len(nodes) {
		size *= 2
	}
	table := make([]int32, size) // by hash: 1 + the position of a node; 0 is free
	for i, hash := range hashes {
		slot := hash & uint64(size-1)
		for other := table[slot]; other != 0; other = table[slot] {
			if hashes[other-1] == hash && nodes[other-1].Name == nodes[i].Name {
				break
			}
			slot = (slot + 1) & uint64(size-1)
		}
		if table[slot] == 0 {
			table[slot] = int32(i + 1)
			continue
		}
		if shared == nil {
			shared = map[string]bool{}
		}
		shared[nodes[i].Name] = true
	}
	return shared
}
