package budget

import (
	"hash/maphash"

	"github.com/disruptkit/disruptkit/candidate"
)

// A nameTable finds names that several nodes have: a hash table of positions, which is faster than a map of names.
type nameTable struct {
	seed   maphash.Seed
	hashes []uint64
}

func newNameTable(nodes int) *nameTable {
	return &nameTable{seed: maphash.MakeSeed(), hashes: make([]uint64, nodes)}
}

// read hashes the name of the node at a position.
func (s *nameTable) read(node int, name string) { s.hashes[node] = maphash.String(s.seed, name) }

// shared returns the names that several nodes have, once all are read.
func (s *nameTable) shared(nodes []candidate.Node) (shared map[string]bool) {
	size := 16
	for size < 2*len(nodes) {
		size *= 2
	}
	table := make([]int32, size) // by hash: 1 + the position of a node; 0 is free
	for i, hash := range s.hashes {
		slot := hash & uint64(size-1)
		for other := table[slot]; other != 0; other = table[slot] {
			if s.hashes[other-1] == hash && nodes[other-1].Name == nodes[i].Name {
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
