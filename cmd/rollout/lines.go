package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// A line is something worth telling about a roll.
type line struct {
	at   time.Time
	text string
}

// printFleet tells what is about to roll.
func printFleet(w io.Writer, s scenario) error {
	var zones []string
	for _, z := range zoneSizes {
		zones = append(zones, fmt.Sprintf("%d in %s", z.nodes, z.zone))
	}
	_, err := fmt.Fprintf(w, "%d nodes have drifted: %s.\nEach replacement comes up first; once it is Ready, the old node drains. "+
		"All times are those of %s, and simulated.\n\n", len(s.fleet), strings.Join(zones, ", "), zoneTime)
	return err
}

// printLines tells a roll, a line for each thing that is worth it.
func printLines(w io.Writer, h *history) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n%s\n", h.title(), strings.Repeat("=", len(h.title())))
	for i, b := range h.budgets {
		fmt.Fprintf(&out, "budgets[%d]: %s\n", i, b)
	}
	out.WriteString("\n")
	for _, l := range h.lines() {
		fmt.Fprintf(&out, "%s  %s\n", clock(l.at), l.text)
	}
	out.WriteString("\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// lines returns all lines by time.
func (h *history) lines() []line {
	lines := slices.Concat(h.windows(), h.failure(), h.turns(), h.mixes(), h.stuck(), h.progress(), h.waitLines())
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return append(lines, h.finish())
}

// windows tells when the window opens and closes.
func (h *history) windows() []line {
	var lines []line
	for _, c := range h.closed() {
		text := "the window is closed: " + told(h.at(c.from).says, h.start.Location())
		if c.from.After(h.start) {
			text = fmt.Sprintf("the window closes until %s; in flight, and going on: %d", clock(c.to), h.at(c.from).inFlight())
		}
		lines = append(lines, line{c.from, text}, line{c.to, "the window opens"})
	}
	return lines
}

// failure tells of the outage.
func (h *history) failure() []line {
	o := h.outage
	if o.from.After(h.end()) {
		return nil
	}
	var inFlight []string
	for _, z := range h.at(o.from).zones {
		if z.inFlight > 0 {
			inFlight = append(inFlight, fmt.Sprintf("%d of %s", z.inFlight, z.zone))
		}
	}
	return []line{
		{o.from, fmt.Sprintf("%s fails: none of its nodes is Ready; in flight at this moment: %s", o.zone, cmp.Or(strings.Join(inFlight, ", "), "none"))},
		{o.to, o.zone + " is back"},
	}
}

// turns tells when each zone's turn begins and ends. Without turns there are none.
func (h *history) turns() []line {
	if !h.sequential {
		return nil
	}
	var lines []line
	for _, t := range h.zoneTurns() {
		z := h.at(t.from).zones[t.zone]
		lines = append(lines, line{t.from, fmt.Sprintf("%s's turn begins with %s: %d nodes, %d at once", z.zone, t.first, z.nodes, limitNodes)})
		z = h.at(t.to).zones[t.zone]
		lines = append(lines, line{t.to, fmt.Sprintf("%s's turn ends after %s: %d of %d nodes replaced%s", z.zone, length(t.to.Sub(t.from)), z.replaced, z.nodes, h.left(z.zone))})
	}
	return lines
}

// A zoneTurn is a time in which all nodes that start are of one zone.
type zoneTurn struct {
	span
	zone  int    // in zoneSizes
	first string // the node that it began with
}

// zoneTurns returns the turns as they can be seen from outside: what started, one after the other.
func (h *history) zoneTurns() []zoneTurn {
	var turns []zoneTurn
	for _, s := range h.started() {
		zone := zoneIndex(s.zone)
		if len(turns) == 0 || turns[len(turns)-1].zone != zone {
			turns = append(turns, zoneTurn{span{s.started, s.gone}, zone, s.old})
		}
		t := &turns[len(turns)-1]
		if s.gone.After(t.to) {
			t.to = s.gone
		}
	}
	return turns
}

func zoneIndex(zone string) int {
	for i, z := range zoneSizes {
		if z.zone == zone {
			return i
		}
	}
	return -1
}

// left tells which nodes of a zone stay.
func (h *history) left(zone string) string {
	text := ""
	for _, s := range h.slots {
		if why, stays := h.stays[s.old]; stays && s.zone == zone {
			text += fmt.Sprintf("; %s stays: %s", s.old, why)
		}
	}
	return text
}

// mixes tells when nodes of all zones are first in flight at once.
func (h *history) mixes() []line {
	for _, m := range h.moments {
		if m.zonesInFlight() == len(zoneSizes) {
			return []line{{m.at, "nodes of all zones are in flight at once"}}
		}
	}
	return nil
}

// states tells how far each zone is that has begun and is not done.
func states(m moment) string {
	var texts []string
	for _, z := range m.zones {
		if z.inFlight > 0 || z.replaced > 0 && z.toGo > 0 {
			texts = append(texts, fmt.Sprintf("%s %d of %d (%d in flight)", z.zone, z.replaced, z.nodes, z.inFlight))
		}
	}
	return strings.Join(texts, ", ")
}

// stuck tells of drains that only the termination grace period ends.
func (h *history) stuck() []line {
	var lines []line
	for _, s := range h.slots {
		if s.cutOff() {
			lines = append(lines,
				line{s.ready.Add(time.Hour), fmt.Sprintf("%s of %s is stuck: it has drained since %s, and only its termination grace period ends that, on %s", s.old, s.zone, clock(s.ready), clock(s.gone))},
				line{s.gone, fmt.Sprintf("the grace period of %s is over: it is gone", s.old)})
		}
	}
	return lines
}

// progress tells how far the roll is, every other hour.
func (h *history) progress() []line {
	var lines []line
	for at := h.start.Truncate(time.Hour); at.Before(h.end()); at = at.Add(2 * time.Hour) {
		if m := h.at(at); m.open && m.inFlight() > 0 && at.After(h.start) {
			lines = append(lines, line{at, "replaced: " + states(m)})
		}
	}
	return lines
}

func (h *history) finish() line {
	return line{h.end(), fmt.Sprintf("finished: %d of %d nodes replaced%s", h.figures().replaced, len(h.slots), h.allLeft())}
}

func (h *history) allLeft() string {
	text := ""
	for _, z := range zoneSizes {
		text += h.left(z.zone)
	}
	return text
}
