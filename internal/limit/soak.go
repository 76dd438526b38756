package limit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// MostSoak is the longest soak that budgets may have.
const MostSoak = 30 * 24 * time.Hour

// Soak returns a soak as it is written. One that cannot be read is 0.
func Soak(text string) time.Duration { return wholeUpTo(MostSoak, text) }

// LongestSoak returns the longest soak of any budget, or 0 if none soaks.
func (s *Set) LongestSoak() (longest time.Duration) {
	for i := range s.Pool {
		longest = max(longest, s.Pool[i].Soak)
	}
	return longest
}

// soaking returns the budgets for the whole pool, if some of them soak.
func (s *Set) soaking() []Budget {
	if s.soaks == 0 {
		return nil
	}
	return s.Pool
}

// Soaks returns those of some budgets that soak.
func (s *Set) Soaks(which Indexes) Indexes { return which & s.soaks }

// Places are what uses up budgets that soak: a place that a node took is free again only some time after the node is
// gone.
type Places struct {
	InUse Usage     // nodes that take places now
	Gone  []Place   // places of nodes that InUse does not count, or no longer
	Known time.Time // since when all of them are known; until one soak later, more may soak
}

// A Place is that of a node that is gone.
type Place struct {
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
				from, to := t.counting(b.Budget, at)
				n[t.kind] += to - from
			}
		}
		soak, wait, unknown = max(soak, n[soaking]), max(wait, n[waiting]), unknown || p.unknown(b, at)
	}
	return soak, wait, unknown
}
