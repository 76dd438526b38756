package topology

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// SelectActiveZone chooses the domain (zone, rack, …) whose nodes may go. Domains are what [Domains] returns for the
// same budget and options. Previous is the [Roll] that the last decision on the pool returned.
//
// A domain keeps its turn until all its drifted nodes are gone and the remaining nodes are Ready. Nothing starts while
// nodes of any other domain are in flight for drift. The next turn goes to the domain of the oldest node that could
// start, overdue nodes first. If now is zero, nothing may go and the Roll is kept. If the budget is not sequential,
// all domains may roll at any time and the Roll is kept. (AZ-sequential RFC, "Zone Selection". The RFC chooses anew at
// each decision, and so leaves a domain half done whenever the oldest candidate is elsewhere. The Roll prevents that.)
//
// Domains that are counted by hand need Name, Nodes, Remaining, ToGo and Free, and, where nodes are in flight, InFlight
// and Rolling; [DomainsOf] counts all of it. [Selection.Why] says why nothing is selected.
func SelectActiveZone(b budget.Limit, domains []Domain, previous Roll, o Options, now time.Time) Selection {
	s := Selection{
		Budget: b.Index, Key: b.Key, Sequential: b.Sequential, Unlabelled: o.unlabelled(domains), Rule: b.Describe(now),
		Domains: domains, NextFree: firstFree(domains), Kept: previous, Started: previous,
	}
	if now.IsZero() { // how long a domain has been idle is unknown
		s.Domains, s.NextFree = nil, time.Time{}
		return s
	}
	if !b.Sequential {
		return s
	}
	t := turn{&s, o, previous.idleSince(now), now}
	last := previous.in(domains, b.Key)
	s.Kept = Roll{}
	if last != nil {
		s.Kept = t.next(*last)
	}
	active := t.active(last)
	if active == nil {
		s.Started = s.Kept
		s.NextChange = s.NextFree
		return s
	}
	s.Chosen, s.Active = true, active.Name
	if other := t.rolling(active); other != nil {
		s.Gated, s.Gate = true, other.Name
	}
	s.Started = Roll{Key: b.Key, Domain: active.Name}
	if active.Rolling > 0 {
		s.Kept = s.Started
	}
	s.NextChange = t.nextChange(last, *active)
	return s
}

// A turn is a selection in the making.
type turn struct {
	*Selection
	o         Options
	idleSince time.Time // if the last domain is idle
	now       time.Time
}

// idle reports whether nothing is in flight and nothing could start. It ignores pools, windows and probes: while they
// forbid everything, no domain loses its turn. (Rule 4.)
func idle(d Domain) bool { return d.Rolling == 0 && min(d.Free, d.Remaining) == 0 }

// held reports whether the last domain keeps its turn, and when time alone ends it; zero: never. (Rule 5.)
func (t turn) held(d Domain) (end time.Time, held bool) {
	since, wait := t.idleSince, t.o.patience()
	switch {
	case !idle(d) || !t.settled(d):
		return time.Time{}, true
	case paused(d):
		return time.Time{}, false
	case d.ToGo == 0:
		wait = t.o.soak()
		if wait > 0 && d.ReadySince.After(since) {
			since = d.ReadySince
		}
	}
	if wait == candidate.Forever {
		return time.Time{}, true
	}
	end = since.Add(wait)
	return end, t.now.Before(end)
}

// paused reports whether a pause holds back all of a domain's nodes to go. (Rule 10.)
func paused(d Domain) bool { return d.ToGo > 0 && d.Paused == d.ToGo }

// settled reports whether all nodes that have not drifted and are not leaving are Ready. The turn never ends before
// that, in order to stop at a bad image. (Rule 5.)
func (t turn) settled(d Domain) bool { return t.o.Unsettled || d.Unready == 0 }

// active returns the domain whose turn it is: the last one if it keeps its turn, else the first rolling one by name,
// else that of the oldest free node that could start, an overdue one before all others. (Rule 6.)
func (t turn) active(last *Domain) *Domain {
	if last != nil {
		if end, held := t.held(*last); held {
			if !goesOn(*last, end) {
				t.GivesWay = end
			}
			return last
		}
	}
	if d := t.rolling(nil); d != nil {
		return d
	}
	return t.oldest()
}

// goesOn reports whether time alone lets an idle domain start a node by a time.
func goesOn(d Domain, end time.Time) bool {
	return d.Remaining > 0 && !d.NextFree.IsZero() && !d.NextFree.After(end)
}

// rolling returns the first rolling domain by name other than butFor, or nil.
func (s *Selection) rolling(butFor *Domain) *Domain {
	for i := range s.Domains {
		if d := &s.Domains[i]; d.Rolling > 0 && (butFor == nil || d.Name != butFor.Name) {
			return d
		}
	}
	return nil
}

// oldest returns the domain of the oldest free node, overdue ones first, among domains whose limit leaves room.
func (s *Selection) oldest() *Domain {
	var oldest *Domain
	for i := range s.Domains {
		d := &s.Domains[i]
		if min(d.Free, d.Remaining) > 0 && (oldest == nil || d.oldestFree().older(oldest.oldestFree())) {
			oldest = d
		}
	}
	return oldest
}

// next returns the new Roll if the roll stays in a domain. It is zero once the domain is not rolling, has no nodes to
// go, and has settled. (Rule 9.)
func (t turn) next(d Domain) Roll {
	_, held := t.held(d)
	switch {
	case !idle(d), paused(d): // a pause uses up no patience
		return Roll{Key: t.Key, Domain: d.Name}
	case d.ToGo > 0 || held:
		return Roll{t.Key, d.Name, t.idleSince}
	}
	return Roll{}
}

// nextChange returns when time alone may change the choice: never while the active domain is rolling, or has the roll
// and is not idle.
func (t turn) nextChange(last *Domain, active Domain) time.Time {
	if active.Rolling > 0 || last != nil && last.Name == active.Name && !idle(active) {
		return time.Time{}
	}
	return schedule.First(t.GivesWay, t.NextFree)
}

// firstFree returns when the first blocked node of any domain becomes free by time alone.
func firstFree(domains []Domain) time.Time {
	var first time.Time
	for i := range domains {
		first = schedule.First(first, domains[i].NextFree)
	}
	return first
}
