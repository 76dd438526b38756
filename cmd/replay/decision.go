package replay

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

// decision is the JSON of a disruptkit.Decision. Lists are never null, and times are null where there is none, as in schema/decide.json.
type decision struct {
	Pools      []wire.Pool            `json:"pools"`
	Groups     []wire.Pool            `json:"groups,omitempty"`
	Allowed    []allowed              `json:"allowed"`
	Blocked    []blocked              `json:"blocked"`
	NextChange *time.Time             `json:"nextChange"`
	Memory     map[string]wire.Memory `json:"memory"`
	Warnings   []wire.Warning         `json:"warnings"`
}

type allowed struct {
	wire.Allowed
	wire.Deadline
}

type blocked struct {
	wire.Blocked
	wire.Deadline
	Displaced bool `json:"displaced,omitempty"` // only nodes that go before it hold it back
}

func newDecision(d disruptkit.Decision) decision {
	return decision{
		Pools: wire.Each(d.Pools, wire.NewPool), Groups: wire.Each(d.Groups, wire.NewPool),
		Allowed: wire.Each(d.Allowed, func(c candidate.Candidate) allowed {
			return allowed{wire.NewAllowed(c), wire.NewDeadline(c)}
		}),
		Blocked: wire.Each(d.Blocked, func(c candidate.Candidate) blocked {
			return blocked{wire.NewBlocked(c), wire.NewDeadline(c), c.Displaced}
		}),
		NextChange: wire.Time(d.NextChange), Memory: wire.NewMemory(d.Memory), Warnings: wire.Each(d.Warnings, wire.NewWarning),
	}
}
