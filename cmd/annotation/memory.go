package annotation

import (
	"encoding/json"
	"slices"

	"github.com/disruptkit/disruptkit"
)

// MemoryText returns the text for the annotation Memory. "" means that there is nothing to remember: remove the annotation.
// Times are in UTC. A time that JSON cannot express is an error.
func MemoryText(m disruptkit.Memory) (string, error) {
	if m.Equal(disruptkit.Memory{}) {
		return "", nil
	}
	m.Roll.IdleSince, m.Backoff.Until = m.Roll.IdleSince.UTC(), m.Backoff.Until.UTC()
	m.Starts = slices.Clone(m.Starts)
	for i := range m.Starts {
		m.Starts[i].At = m.Starts[i].At.UTC()
	}
	m.Waves = slices.Clone(m.Waves)
	for i := range m.Waves {
		m.Waves[i].Since = m.Waves[i].Since.UTC()
	}
	m.Soak.Since, m.Soak.Slots = m.Soak.Since.UTC(), slices.Clone(m.Soak.Slots)
	for i := range m.Soak.Slots {
		m.Soak.Slots[i].Since = m.Soak.Slots[i].Since.UTC()
	}
	m.Paces = slices.Clone(m.Paces)
	for i := range m.Paces {
		m.Paces[i].Gone = m.Paces[i].Gone.UTC()
	}
	text, err := json.Marshal(m)
	return string(text), err
}
