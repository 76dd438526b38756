package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// every is how much time is between two lines.
const every = 15 * time.Second

// The glyphs of nodes.
const (
	old      = "○"
	inFlight = "◐"
	fresh    = "●"
)

// draw prints two rolls side by side, and what they come to.
func draw(w io.Writer, without, with story) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Karpenter replaces %d drifted nodes in %d zones, with the budget nodes: %q.\n",
		zones*nodesPerZone, zones, most)
	fmt.Fprintf(&b, "%s old   %s in flight: cordoned, until it is gone   %s new and Ready\n\n", old, inFlight, fresh)
	slots := max(without.crowd(), with.crowd())
	row := func(time, without, with string) {
		fmt.Fprintf(&b, "%-7s%-*s%s\n", time, zones*(slots+1)+3, without, strings.TrimRight(with, " "))
	}
	row("", "without the guard", "with the guard")
	row("TIME", heads(without, slots), heads(with, slots))
	for after, rolling := every, true; rolling; after += every {
		left, more := without.at(after)
		right, still := with.at(after)
		rolling = more || still
		row(clock(after), line(left, slots), line(right, slots))
	}
	b.WriteString("\n")
	table(&b, without, with)
	b.WriteString("\nThe guard reads the annotation disruptkit.dev/disruption of the NodePool:\n\n    " +
		strings.ReplaceAll(strings.TrimSuffix(policy, "\n"), "\n", "\n    ") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// clock returns the minutes and seconds since a story began, such as 12:05.
func clock(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// heads returns the names of the zones over their columns.
func heads(s story, slots int) string {
	var b strings.Builder
	for _, zone := range zonesOf(s.rows[0]) {
		fmt.Fprintf(&b, "%-*s", slots+1, zone)
	}
	return b.String()
}

// line returns the nodes of all zones: new ones first, as they come.
func line(row world.Row, slots int) string {
	var b strings.Builder
	for _, zone := range zonesOf(row) {
		c := row.Zones[zone]
		glyphs := strings.Repeat(fresh, c.New) + strings.Repeat(inFlight, c.InFlight) + strings.Repeat(old, c.Old)
		fmt.Fprintf(&b, "%-*s", slots+1, glyphs) // by characters; each glyph is one
	}
	return b.String()
}

func zonesOf(row world.Row) []string { return slices.Sorted(maps.Keys(row.Zones)) }

// table prints the figures of both rolls.
func table(b *strings.Builder, without, with story) {
	zonesWithout, nodesWithout := world.Peak(without.rows)
	zonesWith, nodesWith := world.Peak(with.rows)
	fmt.Fprintf(b, "%-26s%10s%10s\n", "", "WITHOUT", "WITH")
	for _, row := range []struct {
		name          string
		without, with any
	}{
		{"zones in flight at once", zonesWithout, zonesWith},
		{"nodes in flight at once", nodesWithout, nodesWith},
		{"nodes replaced", without.replaced(), with.replaced()},
		{"took", without.took(), with.took()},
	} {
		fmt.Fprintf(b, "%-26s%10v%10v\n", row.name, row.without, row.with)
	}
}
