package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/examples/karpenter/internal/world"
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
	const format = "%-7s%-*s   %s\n"
	wide := zones*(nodesPerZone+2) - 2
	fmt.Fprintf(&b, format, "", wide, "without the guard", "with the guard")
	fmt.Fprintf(&b, format, "TIME", wide, heads(without), heads(with))
	for after, rolling := every, true; rolling; after += every {
		left, more := without.at(after)
		right, still := with.at(after)
		rolling = more || still
		fmt.Fprintf(&b, format, clock(after), wide, line(left), line(right))
	}
	b.WriteString("\n")
	table(&b, without, with)
	fmt.Fprintf(&b, "\nThe guard reads the annotation disruptkit.dev/disruption of the NodePool:\n\n%s", indent(policy))
	_, err := io.WriteString(w, b.String())
	return err
}

// heads returns the names of the zones over their columns.
func heads(s story) string {
	var names []string
	for _, zone := range zonesOf(s.rows[0]) {
		names = append(names, fmt.Sprintf("%-*s", nodesPerZone, zone))
	}
	return strings.TrimRight(strings.Join(names, "  "), " ")
}

// line returns the nodes of all zones: new ones first, as they come.
func line(row world.Row) string {
	var cells []string
	for _, zone := range zonesOf(row) {
		c := row.Zones[zone]
		glyphs := strings.Repeat(fresh, c.New) + strings.Repeat(inFlight, c.InFlight) + strings.Repeat(old, c.Old)
		cells = append(cells, glyphs)
	}
	return strings.Join(cells, "  ")
}

func zonesOf(row world.Row) []string { return slices.Sorted(maps.Keys(row.Zones)) }

// table prints the figures of both rolls.
func table(b *strings.Builder, without, with story) {
	zonesWithout, nodesWithout := without.peak()
	zonesWith, nodesWith := with.peak()
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

func clock(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}
