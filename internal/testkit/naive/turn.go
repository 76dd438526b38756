package naive

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/topology"
)

// Answers to whose turn it is, for one domain.
const (
	its      = "its own"
	anothers = "another's"
	nobodys  = "nobody's" // no node could start
)

// turn returns whose turn it is, for the domain with a name. It is not that domain's while another one has nodes in
// flight.
func turn(zone func(string) domain, name string) string {
	active, chosen, names := turnOf(zone, name)
	for other := range names {
		if len(zone(other).rolling()) > 0 && other != name {
			return anothers
		}
	}
	switch {
	case !chosen:
		return nobodys
	case active == name:
		return its
	}
	return anothers
}

// turnOf returns the domain that has the turn, if one has, and all domains.
func turnOf(zone func(string) domain, name string) (_ string, chosen bool, names map[string]bool) {
	names = map[string]bool{}
	z := zone(name)
	for _, n := range z.in.Nodes {
		if z.pool.has(n) && !(n.Labels[z.scope.Key] == "" && unlabelled(z.in, z.pool, z.scope.Key) == topology.Exempt) {
			names[n.Labels[z.scope.Key]] = true
		}
	}
	roll := z.in.Memory[z.pool.key].Roll
	since := roll.IdleSince
	if since.IsZero() || since.After(z.in.Now) {
		since = z.in.Now
	}
	if roll.Key == z.scope.Key && names[roll.Domain] && zone(roll.Domain).held(since) {
		return roll.Domain, true, names
	}
	for _, other := range slices.Sorted(maps.Keys(names)) {
		if len(zone(other).rolling()) > 0 {
			return other, true, names
		}
	}
	type free struct {
		late  time.Time // its deadline, or the far future, if it is not overdue
		since time.Time
		name  string
		zone  string
	}
	var line []free
	for other := range names {
		for _, n := range zone(other).nodes(zone(other).is("free")) {
			f := free{name: n.Name, zone: other, late: z.in.Now.AddDate(100, 0, 0)}
			for _, c := range n.Conditions {
				c.Deadline = Deadline(z.in, n, c)
				if z.applies(c.Reason) && overdue(c, z.in.Now) && c.Deadline.Before(f.late) {
					f.late = c.Deadline
				}
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
		return "", false, names
	}
	slices.SortFunc(line, func(a, b free) int {
		if c := a.late.Compare(b.late); c != 0 {
			return c
		}
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return line[0].zone, true, names
}
