package wire

import (
	"cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Memory is what the annotation annotation.Memory is to say: a member that would be empty is left out.
type Memory disruptkit.Memory

// NewMemory returns the JSON of memories, by pool.
func NewMemory(memory map[string]disruptkit.Memory) map[string]Memory {
	made := make(map[string]Memory, len(memory))
	for pool, m := range memory {
		made[pool] = Memory(m)
	}
	return made
}

// MarshalJSON returns what the annotation is to say.
func (m Memory) MarshalJSON() ([]byte, error) {
	text, err := annotation.MemoryText(disruptkit.Memory(m))
	return []byte(cmp.Or(text, "{}")), err
}
