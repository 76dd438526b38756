package disruptkit

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Memory is what one decision on a pool must tell the next one. Each decision returns it, and the next one takes it.
// Store it before you start what the decision allows. The zero Memory means that there is nothing to remember.
//
// If a Memory is lost, every budget still holds, and a pool still rolls one zone at a time. But there are three
// effects. The roll may leave a zone early, without waiting for the new nodes there; see [topology.Roll]. A pool whose
// replacements fail tries again at once. And a pace of n an hour lets up to n more nodes start, because nodes that have
// started and are gone are forgotten; nodes still in flight count as started when a decision first sees them.
//
// Later versions will read the JSON that this version writes. Every version ignores fields that it does not know.
type Memory struct {
	Roll    topology.Roll `json:"roll,omitzero"`    // where the pool's sequential roll stands
	Backoff Backoff       `json:"backoff,omitzero"` // how long it waits because replacements fail
	// Starts has the starts of nodes, by time: those that the pool's paces (budget.Budget.Per) still count, and those of
	// nodes in flight.
	Starts []budget.Start `json:"starts,omitempty"`
}

// Equal reports whether two memories are equal. If so, there is nothing new to store.
func (m Memory) Equal(other Memory) bool {
	a, b := m.Roll, other.Roll
	return a.Key == b.Key && a.Domain == b.Domain && a.IdleSince.Equal(b.IdleSince) &&
		m.Backoff.Level == other.Backoff.Level && m.Backoff.Until.Equal(other.Backoff.Until) &&
		slices.EqualFunc(m.Starts, other.Starts, func(a, b budget.Start) bool { return a.Compare(b) == 0 && a.Reason == b.Reason && a.Seen == b.Seen })
}

// starts returns the starts in a memory, by pool.
func starts(memory map[string]Memory) map[string][]budget.Start {
	var starts map[string][]budget.Start
	for pool, m := range memory {
		if len(m.Starts) > 0 {
			if starts == nil {
				starts = map[string][]budget.Start{}
			}
			starts[pool] = m.Starts
		}
	}
	return starts
}

// rolls returns the rolls in a memory, by pool.
func rolls(memory map[string]Memory) map[string]topology.Roll {
	rolls := make(map[string]topology.Roll, len(memory))
	for pool, m := range memory {
		rolls[pool] = m.Roll
	}
	return rolls
}

// waits returns how long pools wait because their replacements fail. In Karpenter's dialect they do not wait: Karpenter
// has not implemented its RFC.
func (in Input) waits() map[string]gate.Wait {
	if in.Dialect == dialect.Karpenter {
		return nil
	}
	waits := make(map[string]gate.Wait, len(in.Memory))
	for pool, m := range in.Memory {
		waits[pool] = gate.Wait(m.Backoff.seen(in.Now))
	}
	return waits
}

// remember returns the memory for the next decision. It keeps the memory of pools that are not in the input. It also
// keeps starts if they cannot be counted now, because Now is zero or because Karpenter has no paces.
func remember(row *gate.Row, in Input) map[string]Memory {
	last := in.Memory
	next := maps.Clone(last)
	if next == nil {
		next = map[string]Memory{}
	}
	for _, p := range row.Pools {
		m := Memory{Roll: row.Zones.Roll(p), Backoff: last[p.Name].Backoff.seen(row.Now), Starts: row.Started(p)}
		if row.Now.IsZero() || p.Ambiguous || in.Dialect == dialect.Karpenter {
			m.Starts = last[p.Name].Starts
		}
		next[p.Name] = m
	}
	maps.DeleteFunc(next, func(_ string, m Memory) bool { return m.Roll.Key == "" && m.Equal(Memory{Roll: m.Roll}) })
	if len(next) == 0 {
		return nil
	}
	return next
}
