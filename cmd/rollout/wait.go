package main

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A wait is a time in which nothing starts, although the window is open, and fewer nodes are in flight than the limit.
type wait struct {
	span
	says candidate.Blocker // why, as it begins
}

// worthTelling is how long a wait lasts before it is told.
const worthTelling = 5 * time.Minute

// waitLines tells what the roll waits for, where it does for long.
func (h *history) waitLines() []line {
	var lines []line
	for _, w := range h.waits() {
		if took := w.to.Sub(w.from); took >= worthTelling {
			lines = append(lines, line{w.from, fmt.Sprintf("nothing starts for %s: %s", length(took), told(w.says, h.start.Location()))})
		}
	}
	return lines
}

// waits returns all waits by time.
func (h *history) waits() []wait {
	var waits []wait
	var began moment
	for _, m := range h.moments {
		if h.sameWait(began, m) {
			continue
		}
		if began.heldUp {
			waits = append(waits, wait{span{began.at, m.at}, began.says})
		}
		began = m
	}
	return waits
}

// sameWait reports whether what is waited for at two moments is told once.
func (h *history) sameWait(a, b moment) bool {
	out := func(m moment) bool { return h.outage.hits(h.outage.zone, m.at) }
	return a.heldUp == b.heldUp && a.begun() == b.begun() && a.says.Code == b.says.Code &&
		out(a) == out(b) && (a.inFlight() == 0) == (b.inFlight() == 0)
}
