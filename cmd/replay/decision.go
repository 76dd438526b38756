package replay

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/topology"
)

// decision is the JSON of a disruptkit.Decision. Lists are never null, and times are null where there is none, as in schema/decide.json.
type decision struct {
	Pools      []wire.Pool            `json:"pools"`
	Groups     []wire.Pool            `json:"groups,omitempty"`
	Allowed    []wire.Allowed         `json:"allowed"`
	Blocked    []wire.Blocked         `json:"blocked"`
	Free       []wire.Allowed         `json:"free,omitempty"` // of a session
	NextChange *time.Time             `json:"nextChange"`
	Memory     map[string]wire.Memory `json:"memory"`
	Warnings   []wire.Warning         `json:"warnings"`
}

func newDecision(d disruptkit.Decision) decision {
	return decision{
		Pools: wire.Each(d.Pools, wire.NewPool), Groups: wire.Each(d.Groups, wire.NewPool),
		Allowed: wire.Each(d.Allowed, wire.NewAllowed), Free: wire.Each(d.Free, wire.NewAllowed), Blocked: wire.Each(d.Blocked, wire.NewBlocked),
		NextChange: wire.Time(d.NextChange), Memory: wire.NewMemory(d.Memory), Warnings: wire.Each(d.Warnings, wire.NewWarning),
	}
}

// A verdict is what the model of topology is about in the JSON of a decision. Names of members are read in any case.
type verdict struct {
	Allowed, Blocked []judged
	Memory           map[string]struct{ Roll topology.Roll }
}

type judged struct {
	Node, Pool string
	Reason     candidate.Reason
	Overdue    bool
	Blockers   []struct {
		Gate    candidate.Gate
		Code    candidate.Code
		ForGood bool
		Source  *struct{ TopologyKey, Group string }
	}
}

// readDecision reads that of a decision.
func readDecision(text json.RawMessage) (d disruptkit.Decision, err error) {
	var v verdict
	if err := json.Unmarshal(text, &v); err != nil {
		return d, fmt.Errorf("the decision: %w", err)
	}
	d.Allowed, d.Blocked = wire.Each(v.Allowed, judged.candidate), wire.Each(v.Blocked, judged.candidate)
	d.Memory = map[string]disruptkit.Memory{}
	for key, m := range v.Memory {
		d.Memory[key] = disruptkit.Memory{Roll: m.Roll}
	}
	return d, nil
}

func (j judged) candidate() candidate.Candidate {
	c := candidate.Candidate{Node: j.Node, Pool: j.Pool, Reason: j.Reason, Overdue: j.Overdue}
	for _, b := range j.Blockers {
		made := candidate.Blocker{Gate: b.Gate, Code: b.Code, ForGood: b.ForGood}
		if b.Source != nil {
			made.Source = &candidate.Source{Key: b.Source.TopologyKey, Group: b.Source.Group}
		}
		c.Blockers = append(c.Blockers, made)
	}
	return c
}
