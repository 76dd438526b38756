package topology

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// SelectActiveZone chooses the domain (zone, rack, …) whose nodes may go. The domains are those that Domains returns
// for the same budget and options; previous is the Roll that the last decision on the pool returned.
//
// A domain keeps its turn until all of its drifted nodes are gone, and those that it has then are Ready; nothing starts
// while nodes of any other are in flight for drift. Nothing goes at a zero now, and the Roll is kept. A budget that is not sequential gives each domain its turn at any
// time, and leaves the Roll alone. (AZ-sequential RFC, "Zone Selection". That chooses anew at each decision, and so leaves
// domains half done whenever the oldest candidate is elsewhere; hence the Roll.)
func SelectActiveZone(b budget.Scope, domains []Domain, previous Roll, o Options, now time.Time) Selection {
	s := Selection{
		Budget: b.Index, Key: b.Key, Sequential: b.Sequential, Unlabelled: o.Unlabelled, Rule: b.String(),
		Domains: domains, NextFree: firstFree(domains), Kept: previous, Started: previous,
	}
	if now.IsZero() { // nobody knows how long anything has been idle
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

// idle reports whether nothing is in flight, and nothing could start. What pools, windows and probes say does not enter:
// while they forbid everything, no turn passes. (Rule 4.)
func idle(d Domain) bool { return d.Rolling == 0 && min(d.Free, d.Remaining) == 0 }

// held reports whether the last domain keeps its turn, and until when at the latest, if time alone ends it. (Rule 5.)
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

// paused reports whether a pause holds back all that is to go in a domain. (Rule 10.)
func paused(d Domain) bool { return d.ToGo > 0 && d.Paused == d.ToGo }

// settled reports whether all nodes that are not drifted, and stay, are Ready. Patience never ends before: it is the
// point to stop at a bad image. (Rule 5.)
func (t turn) settled(d Domain) bool { return t.o.Unsettled || d.Unready == 0 }

// active returns the domain whose turn it is: the last one, if it is held; else the first by name that is rolling; else
// that of the oldest free node that could start. (Rule 6.)
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

// goesOn reports whether time alone lets an idle domain start a node before a time, or then.
func goesOn(d Domain, end time.Time) bool {
	return d.Remaining > 0 && !d.NextFree.IsZero() && !d.NextFree.After(end)
}

// rolling returns the first domain by name, but for one, that is rolling.
func (s *Selection) rolling(butFor *Domain) *Domain {
	for i := range s.Domains {
		if d := &s.Domains[i]; d.Rolling > 0 && (butFor == nil || d.Name != butFor.Name) {
			return d
		}
	}
	return nil
}

// oldest returns the domain of the oldest free node that has anything remaining.
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

// next returns the new value of a roll that stays in a domain: none once nothing is rolling there, nothing is to go,
// and it has settled. (Rule 9.)
func (t turn) next(d Domain) Roll {
	_, held := t.held(d)
	switch {
	case !idle(d), paused(d): // a pause spends no patience
		return Roll{Key: t.Key, Domain: d.Name}
	case d.ToGo > 0 || held:
		return Roll{t.Key, d.Name, t.idleSince}
	}
	return Roll{}
}

// nextChange returns when time alone may change the choice: never, as long as the roll is in a domain that is not idle.
func (t turn) nextChange(last *Domain, active Domain) time.Time {
	if active.Rolling > 0 || last != nil && last.Name == active.Name && !idle(active) {
		return time.Time{}
	}
	return until.First(t.GivesWay, t.NextFree)
}

// firstFree returns when time alone lets a first blocked node go.
func firstFree(domains []Domain) time.Time {
	var first time.Time
	for i := range domains {
		first = until.First(first, domains[i].NextFree)
	}
	return first
}
