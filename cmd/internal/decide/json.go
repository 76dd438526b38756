package decide

import (
	"io"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// The types below are the JSON that -o json prints, as schema/decide.json describes it. It is stable: fields are only added. Lists are never null; times
// are RFC 3339 in UTC, or null where there is none.
type (
	jsonAnswer struct {
		Version   string          `json:"version"` // of this format
		As        string          `json:"as"`      // the engine that this is for: karpenter, guard, steward or disruptkit
		Now       *time.Time      `json:"now"`
		Missing   []jsonMissing   `json:"missing"`                      // what was not given, and is not known
		NodePools []wire.NodePool `json:"nodePools"`                    // the budgets to which positions refer
		Policies  []wire.NodePool `json:"disruptionPolicies,omitempty"` // the same of DisruptionPolicies
		Decisions []jsonDecision  `json:"decisions"`
		Warnings  []wire.Warning  `json:"warnings"`
		Expiring  []expiring.Node `json:"expiring,omitempty"` // within a week
	}
	jsonMissing struct {
		Kind      string `json:"kind"`
		Message   string `json:"message"`
		Suspected bool   `json:"suspected"` // there are objects of the kind, but it looks as if others were left out
	}
	jsonDecision struct {
		Reason     candidate.Reason       `json:"reason"`
		Pools      []wire.Pool            `json:"pools"`
		Policies   []wire.Pool            `json:"disruptionPolicies,omitempty"` // the same of all pools that a DisruptionPolicy selects
		Allowed    []jsonAllowed          `json:"allowed"`
		Blocked    []jsonBlocked          `json:"blocked"`
		NextChange *time.Time             `json:"nextChange"`
		Caveat     string                 `json:"caveat,omitempty"` // what it means that nodes may be disrupted for the reason, where it does not mean that they will
		Differs    []difference           `json:"differs"`          // how many nodes may be disrupted, in pools where other engines allow another number
		Rolls      map[string]jsonRoll    `json:"rolls"`            // by pool: the roll of its memory
		Memory     map[string]wire.Memory `json:"memory"`           // by pool: to be stored before anything is started
	}
	jsonRoll struct {
		Key       string     `json:"key"`
		Domain    string     `json:"domain"`
		IdleSince *time.Time `json:"idleSince"`
	}
	jsonAllowed struct {
		wire.Allowed
		Repair  *jsonRepair `json:"repair,omitempty"`  // of one that is unhealthy
		Said    *jsonEvent  `json:"said,omitempty"`    // by Karpenter, of one that is Underutilized
		Despite []string    `json:"despite,omitempty"` // what holds up its drain until its grace period ends
	}
	jsonRepair struct {
		Condition string     `json:"condition"` // the type of the one that drives it
		Status    string     `json:"status"`
		Because   string     `json:"because"` // the reason of the condition
		Action    string     `json:"action"`  // RebootNode, ReplaceNode, or "" as long as the condition is tolerated
		Drain     *string    `json:"drain"`   // how long it takes at the most, by a policy; null leaves it to the node
		Urgency   *time.Time `json:"urgency"` // its place in line: the earlier, the sooner
	}
	jsonBlocked struct {
		wire.Blocked
		NotBefore *time.Time  `json:"notBefore"` // the last until of its blockers; null: time alone lifts none
		Repair    *jsonRepair `json:"repair,omitempty"`
		Said      *jsonEvent  `json:"said,omitempty"`
	}
)

func printJSON(w io.Writer, a answer) error {
	return wire.Print(w, jsonAnswer{
		Version:   "2",
		As:        a.as.String(),
		Now:       wire.Time(a.in.Now),
		Missing:   wire.Each(a.missing, newJSONMissing),
		NodePools: wire.NodePools(a.cluster, a.in.Pools),
		Policies:  wire.Policies(a.in.Groups),
		Decisions: wire.Each(a.decisions, a.jsonDecision),
		Warnings:  wire.Each(a.warnings, wire.NewWarning),
		Expiring:  wire.Each(a.expiring(), expiring.Node.UTC),
	})
}

func newJSONMissing(m manifest.Missing) jsonMissing {
	return jsonMissing{m.Kind, m.Message, m.Suspected}
}

func (a answer) jsonDecision(d disruptkit.Decision) jsonDecision {
	return jsonDecision{
		Reason:     d.Reason,
		Pools:      wire.Each(d.Pools, wire.NewPool),
		Policies:   wire.Each(d.Groups, wire.NewPool),
		Allowed:    wire.Each(d.Allowed, a.jsonAllowed),
		Blocked:    wire.Each(d.Blocked, a.jsonBlocked),
		NextChange: wire.Time(d.NextChange),
		Caveat:     caveat(d.Reason),
		Differs:    a.differing(d.Reason),
		Rolls:      newJSONRolls(d.Memory),
		Memory:     wire.NewMemory(d.Memory),
	}
}

func newJSONRolls(memory map[string]disruptkit.Memory) map[string]jsonRoll {
	made := make(map[string]jsonRoll, len(memory))
	for pool, m := range memory {
		if m.Roll.Key != "" {
			made[pool] = jsonRoll{m.Roll.Key, m.Roll.Domain, wire.Time(m.Roll.IdleSince)}
		}
	}
	return made
}

func (a answer) jsonAllowed(c candidate.Candidate) jsonAllowed {
	return jsonAllowed{wire.NewAllowed(c), a.jsonRepair(c), a.jsonSaid(c), messages(a.holds(c.Node))}
}

func (a answer) jsonBlocked(c candidate.Candidate) jsonBlocked {
	return jsonBlocked{wire.NewBlocked(c), wire.Time(notBefore(c.Blockers)), a.jsonRepair(c), a.jsonSaid(c)}
}

// jsonRepair returns how a candidate is repaired, and nil for other reasons.
func (a answer) jsonRepair(c candidate.Candidate) *jsonRepair {
	r, ok := a.repair(c)
	if !ok {
		return nil
	}
	made := &jsonRepair{
		Condition: r.Cause.Type, Status: r.Cause.Status, Because: r.Cause.Reason,
		Action: string(r.Action), Urgency: wire.Time(r.Urgency),
	}
	if r.Bound != nil {
		made.Drain = new(wording.Duration(*r.Bound))
	}
	return made
}
