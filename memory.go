package disruptkit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/topology"
)

// A Memory is what one decision on a pool, or on a group, must tell the next one. Each decision returns it, and the
// next one takes it. Store it before you start what the decision allows. The zero Memory means that there is nothing to
// remember.
//
// If a Memory is lost, every budget still limits how many nodes are in flight, and a pool still rolls one zone at a
// time. But there are five effects:
//
//   - A wave that is done bakes once more, and pools of a group that are done no longer count in its waves.
//   - A budget that soaks lets nothing go for one soak.
//   - The roll may leave a zone early, without waiting for the new nodes there; see [topology.Roll].
//   - A pool whose replacements fail tries again at once.
//   - A pace of n an hour lets up to n more nodes start, because nodes that have started and are gone are forgotten.
//     Nodes still in flight count as started when a decision first sees them.
//
// Later versions will read the JSON that this version writes. Every version ignores fields that it does not know.
type Memory struct {
	Roll    topology.Roll `json:"roll,omitzero"`    // where the pool's sequential roll stands
	Backoff Backoff       `json:"backoff,omitzero"` // how long it waits because replacements fail
	// Starts has the starts of nodes, by time: those that the pool's paces (budget.Budget.Per) may still count, and
	// those of nodes in flight, for paces and for waves (budget.Rollout).
	//
	// Paces has the longest pace that the pool has, and longer ones that it had until lately: a pace that is gone stays
	// there for as long as its period. A start is kept for the longest of these periods. So no start is lost while a
	// pace is left out or cannot be read, and if the pace comes back in time, it counts all starts meanwhile. A pace
	// that is longer than all of Paces, or comes back later, counts only the starts that are still there: to keep a
	// year of starts in case somebody writes such a pace would take more room than an annotation has. For the same
	// reason, of the starts that no pace counts now, only the last 1,000 are kept. If the clock goes back, the starts
	// that are still there count, too.
	Starts []budget.Start `json:"starts,omitempty"`
	// Waves is how far rolls in waves have come (budget.Rollout), one for each method.
	Waves []budget.Progress `json:"waves,omitempty"`
	// Soak is the places that are taken for budgets that soak (budget.Budget.Soak). If it is lost, nothing goes for
	// one soak, since places may soak that nobody knows of. The same holds when such a budget is new. When its Soak
	// becomes longer, nothing goes for the difference.
	Soak budget.Soaking `json:"soak,omitzero"`
	// Paces are those for whose sake starts are kept, longest first: those that the pool has, or had until lately.
	Paces []budget.Pace `json:"paces,omitempty"`
}

// Equal reports whether two memories are equal. If so, there is nothing new to store.
func (m Memory) Equal(other Memory) bool {
	a, b := m.Roll, other.Roll
	return a.Key == b.Key && a.Domain == b.Domain && a.IdleSince.Equal(b.IdleSince) &&
		m.Backoff.Level == other.Backoff.Level && m.Backoff.Until.Equal(other.Backoff.Until) &&
		slices.EqualFunc(m.Starts, other.Starts, func(a, b budget.Start) bool {
			return a.Compare(b) == 0 && a.Reason == b.Reason && a.Seen == b.Seen && a.Over == b.Over
		}) &&
		m.Soak.For == other.Soak.For && m.Soak.Since.Equal(other.Soak.Since) &&
		slices.EqualFunc(m.Soak.Places, other.Soak.Places, func(a, b budget.Place) bool {
			return a.Node == b.Node && a.Reason == b.Reason && a.Since.Equal(b.Since) && a.Seen == b.Seen
		}) &&
		slices.EqualFunc(m.Waves, other.Waves, func(a, b budget.Progress) bool {
			return a.Method == b.Method && a.Revision == b.Revision && slices.Equal(a.Waves, b.Waves) &&
				a.Baked == b.Baked && slices.Equal(a.Pools, b.Pools) && a.Done == b.Done && a.Since.Equal(b.Since)
		}) &&
		slices.EqualFunc(m.Paces, other.Paces,
			func(a, b budget.Pace) bool { return a.Per == b.Per && a.Gone.Equal(b.Gone) })
}

// remember returns the memory for the next decision. It keeps the memory of pools that are not in the input.
func remember(row *row) map[string]Memory {
	last := row.Memory
	next := maps.Clone(last)
	if next == nil {
		next = map[string]Memory{}
	}
	remembered := row.Budgets.Remember(row.Disrupted)
	empty := row.emptyRolls()
	for _, p := range row.Scopes {
		m, key := remembered[p.Index], p.MemoryKey()
		m.Roll, m.Backoff, m.Waves = row.Zones.Roll(p), last[key].Backoff.seen(row.Now), row.Waves.Progress(p)
		if was := last[key].Roll; empty[key] && m.Roll.Key == was.Key && m.Roll.Domain == was.Domain {
			m.Roll = topology.Roll{}
		}
		next[key] = m
	}
	maps.DeleteFunc(next, func(_ string, m Memory) bool { return m.Roll.Key == "" && m.Equal(Memory{Roll: m.Roll}) })
	return next
}

// emptyRolls returns the pools whose roll was in a domain without nodes, while the pool has some elsewhere.
func (in Input) emptyRolls() (empty map[string]bool) {
	if in.Now.IsZero() || !dialect.Turns.In(in.Dialect) {
		return nil
	}
	rolls := map[string]topology.Roll{}
	for pool, m := range in.Memory {
		if m.Roll.Key != "" {
			rolls[pool] = m.Roll
		}
	}
	if len(rolls) == 0 {
		return nil
	}
	empty, inhabited, keys := map[string]bool{}, map[string]bool{}, in.memoryKeys()
	for i := range in.Nodes {
		n := &in.Nodes[i]
		for _, key := range keys(n.Pool) {
			roll, isRolling := rolls[key]
			inhabited[key] = inhabited[key] || isRolling && n.Labels[roll.Key] == roll.Domain
			empty[key] = isRolling && !inhabited[key]
		}
	}
	return empty
}

// memoryKeys returns a function that returns where the memory of a pool and of its groups is.
func (in Input) memoryKeys() func(pool string) []string {
	keys := map[string][]string{}
	for _, g := range in.Groups {
		for _, pool := range g.Pools {
			keys[pool] = append(keys[pool], g.Key())
		}
	}
	return func(pool string) []string {
		if len(keys[pool]) == 0 || keys[pool][0] != pool {
			keys[pool] = append([]string{pool}, keys[pool]...)
		}
		return keys[pool]
	}
}

// warnings returns a warning for each start of a pool or a group that has no time.
func (m Memory) warnings(object string) (all []candidate.Warning) {
	for i, s := range m.Starts {
		if s.At.IsZero() {
			all = append(all, candidate.Warning{
				Code: candidate.CodeNoTime, Object: object, Field: fmt.Sprintf("memory.starts[%d].at", i),
				Message: fmt.Sprintf("the start of node %q has no time, and counts as now: write when it started, "+
					"such as 2026-11-20T12:00:00Z", s.Node),
			})
		}
	}
	return all
}
