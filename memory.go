package disruptkit

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Memory is what one decision on a pool must tell the next. It comes out of a decision and goes into the
// next one. Callers store it before they start what the decision allows. The zero Memory means that nothing has to be remembered.
//
// If a Memory is lost, no limit is exceeded: every budget still holds, and a pool still rolls only one zone at a time. But its roll
// may leave a zone early, without waiting for the new nodes there; see topology.Roll. A pool whose replacements fail tries again at
// once, as often as the Memory is lost. Nodes that started and are gone are forgotten, so that a pace of n an hour lets n more start; those
// that are still in flight count as started by the first decision that sees them.
//
// The JSON form only grows. Later versions read what this version writes, and every version ignores members that it does not know.
type Memory struct {
	Roll    topology.Roll `json:"roll,omitzero"`    // where the pool's sequential roll stands
	Backoff Backoff       `json:"backoff,omitzero"` // until when it waits because replacements fail
	// Starts are when nodes went, by time: those that the pool's paces (budget.Budget.Per) count, and those of nodes that are in flight.
	Starts []budget.Start `json:"starts,omitempty"`
}

// Equal reports whether two memories are the same. If so, nothing new has to be stored.
func (m Memory) Equal(other Memory) bool {
	a, b := m.Roll, other.Roll
	return a.Key == b.Key && a.Domain == b.Domain && a.IdleSince.Equal(b.IdleSince) &&
		m.Backoff.Level == other.Backoff.Level && m.Backoff.Until.Equal(other.Backoff.Until) &&
		slices.EqualFunc(m.Starts, other.Starts, func(a, b budget.Start) bool { return a.Compare(b) == 0 && a.Reason == b.Reason && a.Seen == b.Seen })
}

// starts returns when nodes went, by pool.
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

// rolls returns where the rolls stand, by pool.
func rolls(memory map[string]Memory) map[string]topology.Roll {
	rolls := make(map[string]topology.Roll, len(memory))
	for pool, m := range memory {
		rolls[pool] = m.Roll
	}
	return rolls
}

// waits returns until when pools wait because their replacements fail. Karpenter's do not wait: its RFC for that is on paper alone.
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

// remember returns the memory for the next decision. The memory of pools that are not in the input is passed on, and so are starts that
// nobody counts, since there is no time, or since Karpenter has no paces.
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
