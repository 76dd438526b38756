package census

import (
	"hash/maphash"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/prefetch"
)

// namesakes returns the names that several nodes have. It uses a hash table of positions, which takes a fraction of the time and
// memory of a map of names.
func namesakes(nodes []candidate.Node) map[string]bool {
	hashes := hashNames(nodes)
	size := 16
	for size < 2*len(nodes) {
		size *= 2
	}
	table := make([]int32, size) // 1 + the position of a node; 0 is free
	var names map[string]bool
	for i, hash := range hashes {
		slot := hash & uint64(size-1)
		for other := table[slot]; other != 0 && !(hashes[other-1] == hash && nodes[other-1].Name == nodes[i].Name); other = table[slot] {
			slot = (slot + 1) & uint64(size-1)
		}
		if table[slot] == 0 {
			table[slot] = int32(i + 1)
			continue
		}
		if names == nil {
			names = map[string]bool{}
		}
		names[nodes[i].Name] = true
	}
	return names
}

// hashNames returns the hashes of the names.
func hashNames(nodes []candidate.Node) []uint64 {
	seed := maphash.MakeSeed()
	hashes := make([]uint64, len(nodes))
	for i, n := range prefetch.Each(nodes, func(n *candidate.Node) int { return prefetch.Text(n.Name) }) {
		hashes[i] = maphash.String(seed, n.Name)
	}
	return hashes
}
