package naive

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/topology"
)

// mayStart reports whether it is the turn of a domain, and nothing is in flight in any other.
func mayStart(zone func(string) domain, name string) bool {
	names := map[string]bool{}
	z := zone(name)
	for _, n := range z.in.Nodes {
		if n.Pool == z.pool.Name && !(n.Labels[z.scope.Key] == "" && z.pool.Topology.Unlabelled == topology.Exempt) {
			names[n.Labels[z.scope.Key]] = true
		}
	}
	turn, found := "", false
	last := z.in.Memory[z.pool.Name].Roll
	since := last.IdleSince
	if since.IsZero() || since.After(z.in.Now) {
		since = z.in.Now
	}
	if last.Key == z.scope.Key && names[last.Domain] && zone(last.Domain).held(since) {
		turn, found = last.Domain, true
	}
	for other := range names {
		if len(zone(other).rolling()) > 0 && other != name {
			return false
		}
	}
	if len(zone(name).rolling()) > 0 {
		return !found || turn == name
	}
	if found {
		return turn == name
	}
	type free struct {
		since time.Time
		name  string
		zone  string
	}
	var line []free
	for other := range names {
		for _, n := range zone(other).nodes(zone(other).is("free")) {
			f := free{name: n.Name, zone: other}
			for _, c := range n.Conditions {
				if z.applies(c.Reason) && (f.since.IsZero() || c.Since.Before(f.since)) {
					f.since = c.Since
				}
			}
			if zone(other).remaining() > 0 {
				line = append(line, f)
			}
		}
	}
	if len(line) == 0 {
		return true // nobody asks
	}
	slices.SortFunc(line, func(a, b free) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return line[0].zone == name
}
