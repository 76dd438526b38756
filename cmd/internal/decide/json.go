package decide

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/topology"
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
		Warnings  []jsonWarning   `json:"warnings"`
	}
	jsonMissing struct {
		Kind      string `json:"kind"`
		Message   string `json:"message"`
		Suspected bool   `json:"suspected"` // there are objects of the kind, but it looks as if others were left out
	}
	jsonDecision struct {
		Reason     candidate.Reason      `json:"reason"`
		Pools      []jsonPool            `json:"pools"`
		Policies   []jsonPool            `json:"disruptionPolicies,omitempty"` // the same of all pools that a DisruptionPolicy selects
		Allowed    []jsonAllowed         `json:"allowed"`
		Blocked    []jsonBlocked         `json:"blocked"`
		NextChange *time.Time            `json:"nextChange"`
		Caveat     string                `json:"caveat,omitempty"` // what it means that nodes may go for the reason, where it does not mean that they will
		Differs    []jsonDifference      `json:"differs"`          // how many may go of pools where other engines let others go
		Rolls      map[string]jsonRoll   `json:"rolls"`            // by pool: the roll of its memory
		Memory     map[string]jsonMemory `json:"memory"`           // by pool: to be stored before anything is started
	}
	jsonDifference struct {
		Pool    string         `json:"pool"`
		Allowed map[string]int `json:"allowed"` // how many nodes may go now, by engine
		Message string         `json:"message"`
	}
	jsonPool struct {
		Name       string           `json:"name"`
		Reason     candidate.Reason `json:"reason"` // the one asked for, or a child that candidates have
		Nodes      int              `json:"nodes"`
		Disrupting int              `json:"disrupting"`
		Missing    int              `json:"missing,omitzero"`
		Allowed    *int             `json:"allowed"`   // null is unlimited
		Remaining  *int             `json:"remaining"` // null with it
		Binding    []int            `json:"binding"`   // positions in spec.disruption.budgets
		Until      *time.Time       `json:"until"`
		Topology   []jsonTopology   `json:"topology"`
		Blockers   []wire.Blocker   `json:"blockers"`            // what holds back all of its nodes
		MayStart   *int             `json:"mayStart,omitempty"`  // how many more may start now, where paces limit that
		NextStart  *time.Time       `json:"nextStart,omitempty"` // when the next may, where none may now
		Wave       *jsonWave        `json:"wave,omitempty"`      // where its roll in waves stands, where there is one
	}
	jsonWave struct {
		Wave  int        `json:"wave"`
		Of    int        `json:"of"`
		Nodes *int       `json:"nodes"` // null is no limit
		InUse int        `json:"inUse"`
		Since *time.Time `json:"since"` // since when it bakes
		Until *time.Time `json:"until"`
	}
	jsonTopology struct {
		Budget     int          `json:"budget"` // position in spec.disruption.budgets
		Key        string       `json:"key"`
		Sequential bool         `json:"sequential"`
		Active     *string      `json:"active"` // whose turn it is; null is nobody's
		GivesWay   *time.Time   `json:"givesWay"`
		Domains    []jsonDomain `json:"domains"`
	}
	jsonDomain struct {
		Name      string `json:"name"` // "" are the nodes without the label
		Nodes     int    `json:"nodes"`
		Allowed   int    `json:"allowed"`
		Remaining int    `json:"remaining"`
		InFlight  int    `json:"inFlight"`
		Rolling   int    `json:"rolling"`
		ToGo      int    `json:"toGo"`
		Free      int    `json:"free"`
		Unready   int    `json:"unready"`
	}
	jsonRoll struct {
		Key       string     `json:"key"`
		Domain    string     `json:"domain"`
		IdleSince *time.Time `json:"idleSince"`
	}
	// A jsonMemory is what the annotation annotation.Memory is to say: a member that would be empty is left out.
	jsonMemory  disruptkit.Memory
	jsonAllowed struct {
		Node   string           `json:"node"`
		Pool   string           `json:"pool"`
		Reason candidate.Reason `json:"reason"`
		Since  *time.Time       `json:"since"`
		Until  *time.Time       `json:"until"`
		Repair *jsonRepair      `json:"repair,omitempty"` // of one that is unhealthy
		Said   *jsonEvent       `json:"said,omitempty"`   // by Karpenter, of one that is Underutilized
		jsonDeadline
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
		Node     string           `json:"node"`
		Pool     string           `json:"pool"`
		Reason   candidate.Reason `json:"reason"`
		Since    *time.Time       `json:"since"`
		Blockers []wire.Blocker   `json:"blockers"`
		Repair   *jsonRepair      `json:"repair,omitempty"`
		Said     *jsonEvent       `json:"said,omitempty"`
		jsonDeadline
	}
	jsonDeadline struct {
		Deadline *time.Time `json:"deadline,omitempty"` // from when on it is overdue
		Overdue  bool       `json:"overdue,omitempty"`  // the deadline has come: windows, paces and back-offs no longer hold the node back
	}
	jsonWarning struct {
		Code    candidate.Code `json:"code"`
		Object  string         `json:"object"`
		Field   string         `json:"field"`
		Value   string         `json:"value"`
		Message string         `json:"message"`
	}
)

func printJSON(w io.Writer, a answer) error {
	return wire.Print(w, jsonAnswer{
		Version:   "1",
		As:        a.as.String(),
		Now:       wire.Time(a.in.Now),
		Missing:   wire.Each(a.missing, func(m manifest.Missing) jsonMissing { return jsonMissing{m.Kind, m.Message, m.Suspected} }),
		NodePools: wire.NodePools(a.cluster, a.in.Pools),
		Policies:  wire.Policies(a.in.Groups),
		Decisions: wire.Each(a.decisions, a.jsonDecision),
		Warnings:  wire.Each(a.warnings, func(w candidate.Warning) jsonWarning { return jsonWarning(w) }),
	})
}

func (a answer) jsonDecision(d disruptkit.Decision) jsonDecision {
	return jsonDecision{
		Reason:     d.Reason,
		Pools:      wire.Each(d.Pools, newJSONPool),
		Policies:   wire.Each(d.Groups, newJSONPool),
		Allowed:    wire.Each(d.Allowed, a.jsonAllowed),
		Blocked:    wire.Each(d.Blocked, a.jsonBlocked),
		NextChange: wire.Time(d.NextChange),
		Caveat:     caveat(d.Reason),
		Differs:    a.jsonDifferences(d.Reason),
		Rolls:      newJSONRolls(d.Memory),
		Memory:     newJSONMemory(d.Memory),
	}
}

func (a answer) jsonDifferences(reason candidate.Reason) []jsonDifference {
	of := slices.DeleteFunc(slices.Clone(a.differs), func(d difference) bool { return d.reason != reason })
	return wire.Each(of, difference.json)
}

func newJSONPool(p disruptkit.PoolDecision) jsonPool {
	pool := jsonPool{
		Name: p.Pool, Reason: p.Reason,
		Nodes: p.Nodes, Disrupting: p.Disrupting, Missing: p.Missing,
		Allowed:   numberOrNull(p.Allowance.Nodes),
		Remaining: numberOrNull(p.Remaining),
		Binding:   slices.AppendSeq([]int{}, p.Allowance.Binding.All()),
		Until:     wire.Time(p.Until),
		Topology:  wire.Each(p.Topology, newJSONTopology),
		Blockers:  wire.Each(p.Blockers, wire.NewBlocker),
		NextStart: wire.Time(p.NextStart),
	}
	if p.MayStart.Binding != 0 {
		pool.MayStart = &p.MayStart.Nodes
	}
	if w := p.Wave; w != nil {
		pool.Wave = &jsonWave{w.Wave, w.Of, numberOrNull(w.Nodes), w.InUse, wire.Time(w.Since), wire.Time(w.Until)}
	}
	return pool
}

func newJSONTopology(s topology.Selection) jsonTopology {
	t := jsonTopology{
		Budget: s.Budget, Key: s.Key, Sequential: s.Sequential,
		GivesWay: wire.Time(s.GivesWay),
		Domains:  wire.Each(s.Domains, newJSONDomain),
	}
	if s.Chosen {
		t.Active = &s.Active
	}
	return t
}

func newJSONDomain(d topology.Domain) jsonDomain {
	return jsonDomain{
		Name:  d.Name,
		Nodes: d.Nodes, Allowed: d.Allowed, Remaining: d.Remaining, InFlight: d.InFlight,
		Rolling: d.Rolling, ToGo: d.ToGo, Free: d.Free, Unready: d.Unready,
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

func newJSONMemory(memory map[string]disruptkit.Memory) map[string]jsonMemory {
	made := make(map[string]jsonMemory, len(memory))
	for pool, m := range memory {
		made[pool] = jsonMemory(m)
	}
	return made
}

// MarshalJSON returns what the annotation is to say.
func (m jsonMemory) MarshalJSON() ([]byte, error) {
	text, err := annotation.MemoryText(disruptkit.Memory(m))
	return []byte(cmp.Or(text, "{}")), err
}

func (a answer) jsonAllowed(c candidate.Candidate) jsonAllowed {
	return jsonAllowed{c.Node, c.Pool, c.Reason, wire.Time(c.Since), wire.Time(c.Until), a.jsonRepair(c), a.jsonSaid(c), newJSONDeadline(c)}
}

func (a answer) jsonBlocked(c candidate.Candidate) jsonBlocked {
	return jsonBlocked{c.Node, c.Pool, c.Reason, wire.Time(c.Since), wire.Each(c.Blockers, wire.NewBlocker), a.jsonRepair(c), a.jsonSaid(c), newJSONDeadline(c)}
}

func newJSONDeadline(c candidate.Candidate) jsonDeadline {
	return jsonDeadline{wire.Time(c.Deadline), c.Overdue}
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
		made.Drain = new(duration.Text(*r.Bound))
	}
	return made
}

func numberOrNull(n int) *int {
	if n == budget.Unlimited {
		return nil
	}
	return &n
}
