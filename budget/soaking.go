package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Soaking is the places of a pool's nodes that are remembered for budgets that soak (Budget.Soak).
type Soaking struct {
	// For is the longest soak that the pool has, as in Budget.Soak. Places are remembered for that long.
	For string `json:"for,omitzero"`
	// Since is since when all places are remembered. Places from before may soak until one soak later, and nobody knows
	// of them. So nothing goes until then. Zero: the next decision takes its own time.
	Since time.Time `json:"since,omitzero"`
	// Places are those of nodes that are in flight, or gone, by node. A node has several if it came back, and went
	// again while the first one soaks.
	Places []Place `json:"places,omitempty"`
}

// A Place is one node's use of a budget that soaks, while the node is in flight and after it is gone.
type Place struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why the node went; "" means unknown
	// Since is when the place began to soak: when a decision first saw that the node is gone, and its replacement
	// Ready. Zero: it does not soak yet. If Seen is false, Since is when a decision let the node go.
	Since time.Time `json:"since,omitzero"`
	Seen  bool      `json:"seen,omitzero"` // a decision has seen the node in flight, or gone
}

// Equal reports whether the same is remembered.
func (s Soaking) Equal(other Soaking) bool {
	return s.For == other.For && s.Since.Equal(other.Since) &&
		slices.EqualFunc(s.Places, other.Places, func(a, b Place) bool {
			return a.Node == b.Node && a.Reason == b.Reason && a.Since.Equal(b.Since) && a.Seen == b.Seen
		})
}

// mostSoak is the longest soak that budgets may have.
const mostSoak = 30 * 24 * time.Hour

// Soak returns a soak as it is written. One that cannot be read is 0.
func Soak(text string) time.Duration { return wholeUpTo(mostSoak, text) }

// LongestSoak returns the longest soak of any budget, or 0 if none soaks.
func (s Set) LongestSoak() (longest time.Duration) {
	for b := range s.get().each(s.get().soaks) {
		longest = max(longest, b.Soak)
	}
	return longest
}

// Soaks returns those of some budgets that soak.
func (s Set) Soaks(which Indexes) Indexes { return which & s.get().soaks }

// Places are what uses up budgets that soak: a place that a node took is free again only some time after the node is
// gone.
type Places struct {
	InUse Usage        // nodes that take places now
	Gone  []TakenPlace // places of nodes that InUse does not count, or no longer
	Known time.Time    // since when all of them are known; until one soak later, more may soak
}

// A TakenPlace is that of a node that is gone.
type TakenPlace struct {
	Reason candidate.Reason
	Since  time.Time // since when it soaks; zero: it does not yet, and only events change that
}

// Take counts the places that are taken before any node starts. It is called once.
func (p *Pacer) Take(places Places) {
	if p.set.soaks == 0 {
		return
	}
	p.notReady, p.known = places.InUse.notReady, places.Known
	for reason, n := range places.InUse.byReason {
		p.of(reason, taken).at = make([]time.Time, n)
	}
	for _, one := range places.Gone {
		kind := soaking
		if one.Since.IsZero() {
			kind = waiting
		}
		t := p.of(one.Reason, kind)
		t.at = slices.Insert(t.at, t.upTo(one.Since), one.Since)
	}
}

// Occupy counts the places that more nodes take. Those that are no longer merely not Ready count less than none in u.
func (p *Pacer) Occupy(u Usage) {
	if p.set.soaks == 0 {
		return
	}
	p.notReady += u.notReady
	for reason, n := range u.byReason {
		t := p.of(reason, taken)
		t.at = append(t.at, make([]time.Time, n)...)
	}
}

// unready returns how many nodes that are merely not Ready take places of a budget that soaks: none, if it is asked for
// Unhealthy.
func (p *Pacer) unready(b *watched, reason candidate.Reason) int {
	if b.Soak == 0 || candidate.Unhealthy.Covers(reason) {
		return 0
	}
	return p.notReady
}

// unknown reports whether more places may soak at a time than are known.
func (p *Pacer) unknown(b *watched, at time.Time) bool {
	return b.Soak > 0 && at.Before(p.known.Add(b.Soak))
}

// Gone returns how many places of some budgets soak at a time, and how many are of nodes that are gone, but do not soak
// yet. If fewer are known than may soak, it says so.
func (p *Pacer) Gone(which Indexes, at time.Time) (soak, wait int, unknown bool) {
	active := p.activeAt(at)
	for i := range p.paces {
		b, n := &p.paces[i], map[tallied]int{}
		if !which.Has(b.Index) {
			continue
		}
		for _, t := range p.tallies {
			if p.counted(t, active).Has(b.Index) {
				from, to := t.counting(b.Limit, at)
				n[t.kind] += to - from
			}
		}
		soak, wait, unknown = max(soak, n[soaking]), max(wait, n[waiting]), unknown || p.unknown(b, at)
	}
	return soak, wait, unknown
}
