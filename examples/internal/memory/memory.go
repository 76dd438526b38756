// Package memory keeps what decisions remember of a pool, its disruptkit.Memory, in an annotation of its NodePool. The
// programs that decide write it, and people leave it alone.
package memory

import (
	"encoding/json"
	"slices"

	"github.com/disruptkit/disruptkit"
)

const (
	// Annotation holds the memory of a pool: a disruptkit.Memory in JSON.
	Annotation = "disruptkit.dev/memory"
	// RollAnnotation is what Annotation was before: a topology.Roll in JSON. It is read where there is no Annotation, and
	// whoever writes the one removes the other.
	RollAnnotation = "disruptkit.dev/roll"
)

// Text returns what Annotation is to say. "" says that there is nothing to remember: then the annotation is removed.
// Times are in UTC. A time that JSON cannot express is an error.
func Text(m disruptkit.Memory) (string, error) {
	if m.Equal(disruptkit.Memory{}) {
		return "", nil
	}
	m.Roll.IdleSince, m.Backoff.Until = m.Roll.IdleSince.UTC(), m.Backoff.Until.UTC()
	m.Starts = slices.Clone(m.Starts)
	for i := range m.Starts {
		m.Starts[i].At = m.Starts[i].At.UTC()
	}
	text, err := json.Marshal(m)
	return string(text), err
}
