package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

const (
	drift     = v1.DisruptionReasonDrifted
	unhealthy = v1.DisruptionReasonUnhealthy
)

// every is how much time is between two lines at least. Lines on which nothing has changed are left out.
const every = 30 * time.Second

// The glyphs of nodes.
const (
	old       = "○"
	fresh     = "●"
	boots     = "·"
	inFlight  = "◐"
	broken    = "✗"
	rebooting = "↻"
)

// draw prints two stories side by side, and what they come to.
func draw(w io.Writer, without, with story) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes in %d zones. Budgets: %s for drift, %s for repair (Unhealthy).\n", zones*nodesPerZone, zones, drifting, repairing)
	fmt.Fprintf(&b, "%s old   %s new and Ready   %s boots   %s in flight, until it is gone   %s broken   %s reboots\n\n",
		old, fresh, boots, inFlight, broken, rebooting)
	slots := max(without.crowd(), with.crowd())
	row := func(time, without, with string) {
		fmt.Fprintf(&b, "%-7s%-*s%s\n", time, zones*(slots+1)+3, without, strings.TrimRight(with, " "))
	}
	row("", "without the guard", "with the guard")
	row("TIME", heads(slots), heads(slots))
	last, left := "", chapters
	for after := time.Duration(0); after <= ends; after += every {
		for ; len(left) > 0 && left[0].after <= after; left = left[1:] {
			fmt.Fprintf(&b, "%-7s— %s —\n", sidebyside.Clock(left[0].after), left[0].title)
		}
		a, z := line(without.at(after), slots), line(with.at(after), slots)
		if a+z != last {
			row(sidebyside.Clock(after), a, z)
		}
		last = a + z
	}
	b.WriteString("\n")
	table(&b, without, with)
	b.WriteString("\n" + sidebyside.Policy(policy))
	b.WriteString("\nWhat people see, with the guard:\n\n")
	told(&b, with)
	_, err := io.WriteString(w, b.String())
	return err
}

// heads returns the names of the zones over their columns.
func heads(slots int) string {
	var b strings.Builder
	for i := range zones {
		fmt.Fprintf(&b, "%-*s", slots+1, string(rune('a'+i)))
	}
	return b.String()
}

// line returns the nodes of all zones, in the order of their names.
func line(nodes []world.Node, slots int) string {
	glyphs := map[string]string{}
	for _, n := range nodes {
		glyphs[n.Zone] += glyph(n)
	}
	var b strings.Builder
	for i := range zones {
		fmt.Fprintf(&b, "%-*s", slots+1, glyphs[string(rune('a'+i))]) // by characters; each glyph is one
	}
	return b.String()
}

func glyph(n world.Node) string {
	switch {
	case n.InFlight:
		return inFlight
	case n.Rebooting:
		return rebooting
	case n.Why == hung:
		return broken
	case !n.Ready:
		return boots
	case n.Old:
		return old
	}
	return fresh
}

// table prints the figures of both stories.
func table(b *strings.Builder, without, with story) {
	fmt.Fprintf(b, "%-44s%10s%10s\n", "", "WITHOUT", "WITH")
	for _, row := range []struct {
		name   string
		figure func(story) any
	}{
		{"zones that drift had in flight at once", func(s story) any { zones, _ := s.atOnce(drift); return zones }},
		{"nodes that drift had in flight at once", func(s story) any { _, nodes := s.atOnce(drift); return nodes }},
		{"nodes that repair had in flight at once", func(s story) any { _, nodes := s.atOnce(unhealthy); return nodes }},
		{"reboots of broken nodes", func(s story) any { return s.noted(" reboots", 0, calm) }},
		{"replaced, since reboots did not help", func(s story) any { return s.replaced(unhealthy) }},
		{"broken, and replaced by drift alone", func(s story) any { return s.replaced(drift) }},
		{"repairs while half of the fleet was broken", func(s story) any { return s.noted(" reboots", calm, ends) + s.noted(" disrupted", calm, ends) }},
		{"all old nodes were gone after", func(s story) any { return s.took() }},
	} {
		fmt.Fprintf(b, "%-44s%10v%10v\n", row.name, row.figure(without), row.figure(with))
	}
}

// atOnce returns in how many zones, and how many nodes, were in flight at once for a reason.
func (s story) atOnce(reason v1.DisruptionReason) (inZones, nodes int) {
	for _, f := range s.frames {
		n, seen := 0, map[string]bool{}
		for _, node := range f.nodes {
			if inFlightFor(node, reason) {
				n++
				seen[node.Zone] = true
			}
		}
		inZones, nodes = max(inZones, len(seen)), max(nodes, n)
	}
	return inZones, nodes
}

func inFlightFor(n world.Node, reason v1.DisruptionReason) bool {
	return (n.InFlight || n.Rebooting) && n.For == string(reason)
}

// replaced returns which broken nodes were replaced for a reason.
func (s story) replaced(reason v1.DisruptionReason) string {
	var names []string
	for _, f := range s.frames {
		for _, n := range f.nodes {
			if n.InFlight && n.Why == hung && n.For == string(reason) && !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
		}
	}
	return strings.Join(names, " ")
}

// noted counts the notes of a kind in a time.
func (s story) noted(kind string, from, to time.Duration) (n int) {
	for _, row := range s.rows {
		if after := row.At.Sub(s.start); after < from || after > to {
			continue
		}
		for _, note := range row.Notes {
			if strings.HasSuffix(note, kind) {
				n++
			}
		}
	}
	return n
}

// took returns when no old node was left.
func (s story) took() string {
	for _, f := range s.frames {
		if !slices.ContainsFunc(f.nodes, func(n world.Node) bool { return n.Old }) {
			return sidebyside.Clock(f.after)
		}
	}
	return "never"
}

// crowd returns how many nodes a zone had at the most.
func (s story) crowd() (most int) {
	for _, f := range s.frames {
		zones := map[string]int{}
		for _, n := range f.nodes {
			zones[n.Zone]++
			most = max(most, zones[n.Zone])
		}
	}
	return most
}

// told prints the first event of each kind.
func told(b *strings.Builder, s story) {
	seen := map[string]bool{}
	for _, e := range s.events {
		for _, text := range []string{"waits-for-domain", "nodes are not disrupted for Drifted", "do-not-repair", "more than 20%"} {
			if strings.Contains(e.Message, text) && !seen[text] {
				seen[text] = true
				fmt.Fprintf(b, "%-7s%-9s%s\n", sidebyside.Clock(e.At.Sub(s.start)), e.Object, e.Message)
			}
		}
	}
}
