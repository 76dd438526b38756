// Package memory keeps the memory of a pool between decisions, a disruptkit.Memory, in an annotation of its NodePool.
// Programs that decide write it; people should not change it.
package memory

import (
	"encoding/json"
	"slices"

	"github.com/disruptkit/disruptkit"
)

const (
	// Annotation has the memory of a pool: a disruptkit.Memory in JSON.
	Annotation = "disruptkit.dev/memory"
	// RollAnnotation is the predecessor of Annotation: a topology.Roll in JSON. It is read if there is no Annotation.
	// Programs that write Annotation remove it.
	RollAnnotation = "disruptkit.dev/roll"
)

// Text returns the text for Annotation. "" means that there is nothing to remember: remove the annotation. Times are in
// UTC. A time that JSON cannot express is an error.
func Text(m disruptkit.Memory) (string, error) {
	if m.Equal(disruptkit.Memory{}) {
		return "", nil
	}
	m.Roll.IdleSince, m.Backoff.Until = m.Roll.IdleSince.UTC(), m.Backoff.Until.UTC()
	m.Starts = slices.Clone(m.Starts)
	for i := range m.Starts {
		m.Starts[i].At = m.Starts[i].At.UTC()
	}
	m.Paces = slices.Clone(m.Paces)
	for i := range m.Paces {
		m.Paces[i].Gone = m.Paces[i].Gone.UTC()
	}
	text, err := json.Marshal(m)
	return string(text), err
}
