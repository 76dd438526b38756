package main

import "time"

// figures are what a roll comes to, read off its history.
type figures struct {
	replaced    int
	zonesAtOnce int           // with nodes in flight
	shared      time.Duration // that was so in more than one zone
	changes     int           // a node started in another zone than the one before
	most        []int         // in flight at once, by zone
	elsewhere   int           // in flight in other zones when one failed
	took        time.Duration // from the first start
	open        time.Duration // of that, the window was
}

func (h *history) figures() figures {
	f := figures{most: make([]int, len(zoneSizes)), changes: len(h.zoneTurns()) - 1}
	for i, m := range h.moments {
		f.zonesAtOnce = max(f.zonesAtOnce, m.zonesInFlight())
		if i+1 < len(h.moments) && m.zonesInFlight() > 1 {
			f.shared += h.moments[i+1].at.Sub(m.at)
		}
		for j, z := range m.zones {
			f.most[j] = max(f.most[j], z.inFlight)
		}
	}
	for _, s := range h.slots {
		if s.replaced(h.end()) {
			f.replaced++
		}
		if s.zone != h.outage.zone && s.inFlight(h.outage.from) {
			f.elsewhere++
		}
	}
	started := h.started()
	if len(started) == 0 {
		return f
	}
	first := started[0].started
	f.took = h.end().Sub(first)
	f.open = f.took
	for _, c := range h.closed() {
		f.open -= overlap(c, span{first, h.end()})
	}
	return f
}

// overlap returns how long two spans have in common.
func overlap(a, b span) time.Duration {
	if b.from.After(a.from) {
		a.from = b.from
	}
	if b.to.Before(a.to) {
		a.to = b.to
	}
	return max(0, a.to.Sub(a.from))
}
