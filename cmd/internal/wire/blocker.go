// Package wire has the parts of JSON answers that several programs share: what blocks a node, the numbers of a pool, memories, and
// budgets, as cmd/schema describes them. Print writes the answers.
package wire

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Blocker is one thing that blocks a node.
type Blocker struct {
	Gate    candidate.Gate `json:"gate"`
	Code    candidate.Code `json:"code"`
	Message string         `json:"message"`
	Pod     *string        `json:"pod"`     // namespace/name; null: it is no pod
	Until   *time.Time     `json:"until"`   // when time alone lifts it; null: time alone does not, or the time is unknown
	ForGood bool           `json:"forGood"` // only a change of configuration lifts it
	Source  *Source        `json:"source"`  // null: there is nothing to name
}

// A Source is what the message of a Blocker names. Members that do not apply are left out.
type Source struct {
	Node        string   `json:"node,omitempty"`                 // the node of the candidate's unit that is blocked
	PDBs        []string `json:"podDisruptionBudgets,omitempty"` // namespace/name
	PodSchedule string   `json:"podDisruptionSchedule,omitempty"`
	Group       string   `json:"group,omitempty"`   // the group of pools whose blocker it is
	Budgets     []int    `json:"budgets,omitempty"` // positions in the budgets of the group, or of the node's pool
	Key         string   `json:"topologyKey,omitempty"`
	Domain      *string  `json:"domain,omitempty"`   // the node's zone; "" is a node without the label
	WaitsFor    *string  `json:"waitsFor,omitempty"` // the zone that comes first
	Probe       string   `json:"probe,omitempty"`
	Pause       *Pause   `json:"pause,omitempty"`
}

// A Pause is who paused disruption, and what for.
type Pause struct {
	By  string `json:"by"`
	Why string `json:"why"`
}

// NewBlocker returns the JSON of a Blocker.
func NewBlocker(b candidate.Blocker) Blocker {
	j := Blocker{Gate: b.Gate, Code: b.Code, Message: b.Message, Until: Time(b.Until), ForGood: b.ForGood, Source: newSource(b)}
	if b.Pod != "" {
		j.Pod = &b.Pod
	}
	return j
}

func newSource(b candidate.Blocker) *Source {
	s := b.Source
	if s == nil {
		return nil
	}
	j := &Source{Node: s.Node, PDBs: s.PDBs, PodSchedule: s.PodSchedule, Group: s.Group, Budgets: s.Budgets, Key: s.Key, Probe: s.Probe}
	if s.Key != "" {
		j.Domain = &s.Domain
		if b.Code == candidate.CodeWaitsForDomain {
			j.WaitsFor = &s.WaitsFor
		}
	}
	if b.Code == candidate.CodePaused {
		j.Pause = &Pause{s.By, s.Why}
	}
	return j
}

// lastTime is the last second that JSON can show (RFC 3339). A condition may have begun shortly before it, and then its deadline, or the
// end of its disruptAfter, comes after it.
var lastTime = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)

// Time returns a time in UTC, and nil for the zero time. Times after the year 9999 become the last second of that year: otherwise, a
// single one would make the whole answer an error.
func Time(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	if t = t.UTC(); t.After(lastTime) {
		t = lastTime
	}
	return &t
}

// Each returns what f makes of each element, in a list that is never null.
func Each[A, B any](list []A, f func(A) B) []B {
	made := make([]B, len(list))
	for i, a := range list {
		made[i] = f(a)
	}
	return made
}
