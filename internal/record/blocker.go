package record

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A blocker is a candidate.Blocker of the caller's own.
type blocker struct {
	Gate    candidate.Gate `json:"gate"`
	Code    candidate.Code `json:"code"`
	Until   time.Time      `json:"until,omitzero"`
	ForGood bool           `json:"forGood,omitzero"`
	Message string         `json:"message"`
	Pod     string         `json:"pod,omitzero"`
	Source  *source        `json:"source,omitzero"`
}

func newBlocker(b candidate.Blocker) blocker {
	return blocker{b.Gate, b.Code, b.Until.UTC(), b.ForGood, b.Message, b.Pod, (*source)(b.Source)}
}

func (j blocker) blocker() candidate.Blocker {
	return candidate.Blocker{
		Gate: j.Gate, Code: j.Code, Until: j.Until, ForGood: j.ForGood, Message: j.Message, Pod: j.Pod,
		Source: (*candidate.Source)(j.Source),
	}
}

// A source is a candidate.Source. Those who block nodes themselves seldom have one.
type source struct {
	Node        string   `json:"node,omitzero"`
	PDBs        []string `json:"podDisruptionBudgets,omitzero"`
	PodSchedule string   `json:"podDisruptionSchedule,omitzero"`
	Group       string   `json:"group,omitzero"`
	Budgets     []int    `json:"budgets,omitzero"`
	Key         string   `json:"topologyKey,omitzero"`
	Domain      string   `json:"domain,omitzero"`
	WaitsFor    string   `json:"waitsFor,omitzero"`
	Probe       string   `json:"probe,omitzero"`
	By          string   `json:"by,omitzero"`
	Why         string   `json:"why,omitzero"`
}
