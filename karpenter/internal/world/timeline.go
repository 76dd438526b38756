package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Count is how many nodes a zone has.
type Count struct {
	Old, InFlight, Booting, New int
	// Ending are those in flight that use up no budget any more.
	Ending int
}

// Row is what a world looks like after a step.
type Row struct {
	At    time.Time
	Zones map[string]Count
	// Notes say what has happened since the row before.
	Notes []string
}

// InFlight returns in how many zones nodes are being disrupted.
func (r Row) InFlight() int {
	zones := 0
	for _, c := range r.Zones {
		if c.InFlight > 0 {
			zones++
		}
	}
	return zones
}

func (r Row) String() string {
	var b strings.Builder
	fmt.Fprint(&b, r.At.Format(time.TimeOnly))
	for i := range len(r.Zones) {
		zone := string(rune('a' + i))
		c := r.Zones[zone]
		fmt.Fprintf(&b, "  %s: %d old %d in flight %d booting %d new", zone, c.Old, c.InFlight, c.Booting, c.New)
	}
	if len(r.Notes) > 0 {
		fmt.Fprint(&b, "  ", strings.Join(r.Notes, ", "))
	}
	return b.String()
}

// Peak returns how many zones were in flight at once, and how many nodes used up budgets at once.
func Peak(rows []Row) (zones, nodes int) {
	for _, row := range rows {
		counted := 0
		for _, c := range row.Zones {
			counted += c.InFlight - c.Ending
		}
		zones, nodes = max(zones, row.InFlight()), max(nodes, counted)
	}
	return zones, nodes
}

// Timeline returns a row for each step since the fleet was up.
func (w *World) Timeline() []Row { return w.timeline }

// count counts nodes by zone.
func (w *World) count(nodes []Node) map[string]Count {
	zones := map[string]Count{}
	for _, zone := range w.Cloud.zones {
		zones[zone] = Count{}
	}
	for _, n := range nodes {
		c := zones[n.Zone]
		switch {
		case n.InFlight:
			c.InFlight++
			if n.Ending {
				c.Ending++
			}
		case n.Old:
			c.Old++
		case n.Ready:
			c.New++
		default:
			c.Booting++
		}
		zones[n.Zone] = c
	}
	return zones
}

// record adds a row for a step.
func (w *World) record() {
	now := map[string]Node{}
	var notes []string
	nodes, err := w.nodes()
	if err != nil {
		return // nobody can see what has happened
	}
	for _, n := range nodes {
		now[n.Name] = n
		notes = append(notes, happened(w.last[n.Name], n)...)
	}
	for _, name := range slices.Sorted(maps.Keys(w.last)) {
		if _, is := now[name]; !is {
			notes = append(notes, name+" gone")
		}
	}
	w.last = now
	w.timeline = append(w.timeline, Row{At: w.Clock.Now(), Zones: w.count(nodes), Notes: notes})
}

// happened describes what has become of a node; before is empty for one that was not there.
func happened(before, now Node) []string {
	var notes []string
	if before.Name == "" {
		notes = append(notes, now.Name+" launched")
	}
	if now.InFlight && !before.InFlight {
		notes = append(notes, now.Name+" disrupted")
	}
	if !now.InFlight && before.InFlight {
		notes = append(notes, now.Name+" kept")
	}
	if now.Rebooting && !before.Rebooting {
		notes = append(notes, now.Name+" reboots")
	}
	if !now.Rebooting && before.Rebooting {
		notes = append(notes, now.Name+" rebooted")
	}
	if now.Ready && !before.Ready {
		notes = append(notes, now.Name+" ready")
	}
	if !now.Ready && before.Ready {
		notes = append(notes, now.Name+" not ready")
	}
	return notes
}
