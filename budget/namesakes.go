package budget

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/disruptkit/disruptkit/candidate"
)

// nameTable finds names that several nodes have. It uses a hash table of positions, which takes a fraction of the time and
// memory of a map of names.
type nameTable struct {
	seed   maphash.Seed
	hashes []uint64
	table  []int32 // by hash: 1 + the position of a node; 0 is free
}

// usedNames holds no values, only memory for the next names.
var usedNames = sync.Pool{New: func() any { return new(nameTable) }}

func newNameTable(nodes int) *nameTable {
	s := usedNames.Get().(*nameTable)
	s.seed, s.hashes = maphash.MakeSeed(), slices.Grow(s.hashes[:0], nodes)[:nodes]
	return s
}

// read hashes the name of the node at a position.
func (s *nameTable) read(node int, name string) { s.hashes[node] = maphash.String(s.seed, name) }

// shared returns the names that several nodes have, once all are read. It ends the use of s.
func (s *nameTable) shared(nodes []candidate.Node) (shared map[string]bool) {
	size := 16
	for size < 2*len(nodes) {
		size *= 2
	}
	s.table = slices.Grow(s.table[:0], size)[:size]
	clear(s.table)
	table := s.table
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
	usedNames.Put(s)
	return shared
}
