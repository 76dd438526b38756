package disruptkit

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/topology"
)

// A Memory is the state of a pool or a group that one decision returns and the next one reads. Store it before you
// disrupt what the decision allows. The zero Memory means that there is nothing to remember.
//
// If a Memory is lost, every budget still limits how many nodes are in flight, and a pool still rolls one zone at a
// time. But there are five effects:
//
//   - A wave that is done bakes once more, and pools of a group that are done no longer count in its waves.
//   - A budget that soaks allows nothing for one soak, and a spread begins anew.
//   - The roll may leave a zone early, without waiting for the new nodes there; see [topology.Roll].
//   - A pool whose replacements fail tries again at once.
//   - A pace of n an hour allows up to n more starts, because starts of nodes that are gone are forgotten. Nodes still
//     in flight count as started when a decision first sees them.
//
// Later versions will read the JSON that this version writes. Every version ignores fields that it does not know.
type Memory struct {
	Roll    topology.Roll `json:"roll,omitzero"`    // the state of the pool's sequential roll
	Backoff Backoff       `json:"backoff,omitzero"` // the wait because replacements of a pool fail; a group has none
	// Starts has the starts of nodes, by time: those that the pool's paces (budget.Budget.Per) may still count, and
	// those of nodes in flight, for paces and for waves (budget.Rollout).
	Starts []Start `json:"starts,omitempty"`
	// Waves is the state of rolls in waves (budget.Rollout), one for each method.
	Waves []Progress `json:"waves,omitempty"`
	// Soak is the slots in use of budgets that soak (budget.Budget.Soak). If it is lost, or such a budget is new,
	// nothing is allowed for one soak, since unknown slots may soak. If its Soak becomes longer, nothing is allowed for
	// the difference.
	Soak Soaking `json:"soak,omitzero"`
	// Spreads are the rolls that budgets spread (budget.Budget.Spread). If they are lost, the spread begins anew.
	Spreads []Spreading `json:"spreads,omitempty"`
	// Paces are the paces for which starts are kept, longest first: the longest that the pool has, and longer ones that
	// are gone for less than their period. So a pace that is left out for a while counts all starts meanwhile. A new,
	// longer pace counts only the starts that are still kept: a year of starts would not fit into an annotation. For
	// the same reason, only the last 1,000 starts that no pace counts now are kept.
	Paces []Pace `json:"paces,omitempty"`
}

// A Start records when the disruption of a node started. Paces (budget.Budget.Per) count starts. It is part of
// [Memory].
//
// A start that no decision has Seen does not count while its node has a time that is no later than At: a condition's
// Since, or ReadySince. Then the node is still the old one, and its disruption did not start. If all times of the node
// are later or unknown, it may be a new node of the same name, and the start counts. So if all times of a node are
// ahead of Input.Now, its start counts even if it never took place, and a blocker's Until may be too early, by up to
// Per.
type Start struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why; "" means unknown, and counts for every pace
	At     time.Time        `json:"at"`              // zero is a mistake: the next decision sets its own time
	Seen   bool             `json:"seen,omitzero"`   // a decision has seen the node in flight, so it did start
	Over   bool             `json:"over,omitzero"`   // and a later one has seen it, or a new node of its name, not so
}

// Compare orders starts by time, then by node.
func (s Start) Compare(other Start) int {
	return cmp.Or(s.At.Compare(other.At), cmp.Compare(s.Node, other.Node))
}

// A Pace is the period of a pace that a pool has, or had until lately. Starts are remembered for that long.
type Pace struct {
	Per  string    `json:"per"`           // as in budget.Budget.Per
	Gone time.Time `json:"gone,omitzero"` // when a decision first found no pace that long; zero: the pool has one
}

// A Soaking is the slots in use of a pool's budgets that soak (budget.Budget.Soak).
type Soaking struct {
	// For is the longest soak that the pool has, as in budget.Budget.Soak. Slots are remembered for that long.
	For string `json:"for,omitzero"`
	// Since is since when all slots are remembered. Earlier slots are unknown, and may soak until one soak after Since:
	// nothing is allowed until then. Zero: the next decision sets its own time.
	Since time.Time `json:"since,omitzero"`
	// Slots are the slots of nodes that are in flight, or gone, by node. A node has several if it returned, and was
	// disrupted again while the first one soaks.
	Slots []Slot `json:"places,omitempty"`
}

// A Slot is one node's slot of a budget that soaks, while the node is in flight and after it is gone.
type Slot struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why the node was disrupted; "" means unknown
	// Since is when the slot began to soak: when a decision first saw that the node is gone, and its replacement Ready.
	// Zero: it does not soak yet. If Seen is false, Since is when a decision allowed the node.
	Since time.Time `json:"since,omitzero"`
	Seen  bool      `json:"seen,omitzero"` // a decision has seen the node in flight, or gone
}

// A Spreading is the state of a roll that a budget spreads (budget.Budget.Spread).
type Spreading struct {
	Reasons  []candidate.Reason `json:"reasons,omitzero"`  // of the budget; none: all
	Revision string             `json:"revision,omitzero"` // of the pool, or of all pools of a group, at that time
	Since    time.Time          `json:"since"`             // when the roll began
	// Last is the last start of the roll that is no longer in Memory.Starts.
	Last time.Time `json:"last,omitzero"`
}

// sameRoll reports whether two values are for the same roll.
func (s Spreading) sameRoll(other Spreading) bool {
	return slices.Equal(s.Reasons, other.Reasons) && s.Revision == other.Revision
}

// A Progress is the position of a rollout in its waves.
type Progress struct {
	Method   candidate.Reason `json:"method"`
	Revision string           `json:"revision,omitzero"` // of the pool, or of all pools of a group, at that time
	Waves    []string         `json:"waves"`             // as they were written
	// Baked is how many waves are done, and have baked.
	Baked int `json:"baked,omitzero"`
	// Pools are the pools of a group that roll, or have rolled since the roll began.
	Pools []string `json:"pools,omitempty"`
	// Done is how many waves are done while one of them bakes, and Since is since when it bakes. Zero: none bakes.
	Done  int       `json:"done,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

// Equal reports whether two memories are equal, so that there is nothing new to store.
func (m Memory) Equal(other Memory) bool {
	a, b := m.Roll, other.Roll
	return a.Key == b.Key && a.Domain == b.Domain && a.IdleSince.Equal(b.IdleSince) &&
		m.Backoff.Level == other.Backoff.Level && m.Backoff.Until.Equal(other.Backoff.Until) &&
		slices.EqualFunc(m.Starts, other.Starts, func(a, b Start) bool {
			return a.Compare(b) == 0 && a.Reason == b.Reason && a.Seen == b.Seen && a.Over == b.Over
		}) &&
		m.Soak.For == other.Soak.For && m.Soak.Since.Equal(other.Soak.Since) &&
		slices.EqualFunc(m.Soak.Slots, other.Soak.Slots, func(a, b Slot) bool {
			return a.Node == b.Node && a.Reason == b.Reason && a.Since.Equal(b.Since) && a.Seen == b.Seen
		}) &&
		slices.EqualFunc(m.Waves, other.Waves, func(a, b Progress) bool {
			return a.Method == b.Method && a.Revision == b.Revision && slices.Equal(a.Waves, b.Waves) &&
				a.Baked == b.Baked && slices.Equal(a.Pools, b.Pools) && a.Done == b.Done && a.Since.Equal(b.Since)
		}) &&
		slices.EqualFunc(m.Spreads, other.Spreads, func(a, b Spreading) bool {
			return a.sameRoll(b) && a.Since.Equal(b.Since) && a.Last.Equal(b.Last)
		}) &&
		slices.EqualFunc(m.Paces, other.Paces,
			func(a, b Pace) bool { return a.Per == b.Per && a.Gone.Equal(b.Gone) })
}

// remember returns the memory for the next decision. It keeps the memory of pools that are not in the input, and in
// Karpenter's dialect everything but starts and slots.
func (s *Session) remember() map[string]Memory {
	row := s.row
	next := map[string]Memory{}
	maps.Copy(next, s.stored)
	deserted := row.without(func(p *scope, n *candidate.Node) bool { // its roll was in a domain that has no nodes
		roll := &row.Zones.pools[p.Index].roll
		return row.Now.IsZero() || roll.Key == "" || n.Labels[roll.Key] == roll.Domain
	})
	for i, m := range row.Budgets.Remember(row.Disrupted) {
		p, key := row.Scopes[i], row.Scopes[i].MemoryKey()
		last := next[key]
		m.Roll, m.Backoff, m.Waves = last.Roll, last.Backoff.seen(row.Now), last.Waves
		if row.Dialect == dialect.Karpenter {
			m.Spreads = last.Spreads
		} else {
			m.Roll, m.Waves = row.Zones.Roll(p), row.Waves.Progress(p)
			if deserted[p.Index] && m.Roll.Key == last.Roll.Key && m.Roll.Domain == last.Roll.Domain {
				m.Roll = topology.Roll{}
			}
		}
		next[key] = m
	}
	maps.DeleteFunc(next, func(_ string, m Memory) bool { return m.Roll.Key == "" && m.Equal(Memory{Roll: m.Roll}) })
	return next
}
