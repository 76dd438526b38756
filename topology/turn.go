package topology

import (
	"cmp"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Roll is the state of a pool's roll. Each decision returns a Roll for the next one. Store it before you disrupt the
// nodes that the decision allows. If it is lost or old, no limit is exceeded and no two domains roll at once, but the
// roll may leave a domain early, and a bad image may reach the next one. The zero Roll means that no roll is in
// progress.
type Roll struct {
	Key    string `json:"key"`    // the topology key; "" means no roll
	Domain string `json:"domain"` // the domain that has the turn
	// IdleSince is when a decision first found that no node could be disrupted there. Zero: some can.
	IdleSince time.Time `json:"idleSince,omitzero"`
}

// SelectActiveZone chooses the domain (zone, rack, …) that has the turn. Domains are the result of [Census.Domains]
// for the same budget and options. Previous is the [Roll] that the last decision on the pool returned.
//
// The package's rules say which domain that is. If now is zero, nothing is allowed and the Roll is kept. If the budget
// is not sequential, all domains may roll at any time and the Roll is kept. (AZ-sequential RFC, "Zone Selection". The
// RFC chooses anew at each decision, and so leaves a domain half done whenever the oldest candidate is elsewhere. The
// Roll prevents that.)
//
// Domains that are counted by hand need Name, Nodes, Allowed, Remaining, ToGo and Free, and, where nodes are in flight,
// InFlight and Rolling.
func SelectActiveZone(b budget.Limit, domains []Domain, previous Roll, o Options, now time.Time) Selection {
	s := Selection{
		Budget: b.Index, Key: b.Key, Sequential: b.Sequential, Rule: b.Describe(now), Kept: previous, Started: previous,
	}
	nodes, unlabelled := 0, 0
	for i := range domains {
		d := &domains[i]
		nodes += d.Nodes
		if d.Name == "" {
			unlabelled = d.Nodes
		}
		s.NextFree = schedule.First(s.NextFree, d.NextFree)
	}
	s.Unlabelled = o.treatment(unlabelled, nodes)
	if now.IsZero() { // how long a domain has been idle is unknown
		s.NextFree = time.Time{}
		return s
	}
	s.Domains = domains
	if !b.Sequential {
		return s
	}
	s.Kept = Roll{}
	var last *Domain // the one that the roll is in (rule 1)
	if previous.Key != "" && previous.Key == b.Key {
		last = find(domains, previous.Domain)
	}
	active := s.active(last, previous.IdleSince, o, now)
	if active == nil {
		s.Started, s.NextChange = s.Kept, s.NextFree
		return s
	}
	s.Chosen, s.Active = true, active.Name
	if other := s.rolling(active); other != nil {
		s.Gated, s.Gate = true, other.Name
	}
	s.Started = Roll{Key: b.Key, Domain: active.Name}
	if active.Rolling > 0 {
		s.Kept = s.Started
	} else if last != active || idle(active) {
		s.NextChange = schedule.First(s.GivesWay, s.NextFree)
	}
	return s
}

// active returns the domain that has the turn, or nil: the last one if it keeps its turn, else the first rolling one by
// name, else that of the first free node in line. (Rule 6.) It sets Kept and GivesWay.
func (s *Selection) active(last *Domain, idleSince time.Time, o Options, now time.Time) *Domain {
	if last != nil {
		if idleSince.IsZero() || idleSince.After(now) {
			idleSince = now
		}
		end, held := o.held(last, idleSince, now)
		switch {
		case !idle(last), paused(last): // a pause uses up no patience
			s.Kept = Roll{Key: s.Key, Domain: last.Name}
		case last.ToGo > 0 || held: // else it is done (rule 9)
			s.Kept = Roll{s.Key, last.Name, idleSince}
		}
		if held {
			if !goesOn(last, end) {
				s.GivesWay = end
			}
			return last
		}
	}
	if d := s.rolling(nil); d != nil {
		return d
	}
	return s.oldest()
}

// held reports whether the last domain keeps its turn, and when time alone ends it; zero: never. (Rule 5.)
func (o Options) held(d *Domain, idleSince, now time.Time) (end time.Time, held bool) {
	since, wait := idleSince, cmp.Or(o.Patience, defaultPatience)
	switch {
	case !idle(d) || !o.Unsettled && d.Unready > 0: // not Ready: it may be a bad image
		return time.Time{}, true
	case paused(d):
		return time.Time{}, false
	case d.ToGo == 0 && o.Unsettled:
		wait = 0
	case d.ToGo == 0:
		wait = o.Soak
		if wait > 0 && d.ReadySince.After(since) {
			since = d.ReadySince
		}
	case wait == NoPatience:
		wait = 0
	}
	if wait < 0 || wait == candidate.Forever { // it is unclear what a negative one means
		return time.Time{}, true
	}
	end = since.Add(wait)
	return end, now.Before(end)
}

// idle reports whether a domain is not rolling and no free node could be disrupted. It ignores pools, windows and
// probes: while they block everything, no domain loses its turn. (Rule 4.)
func idle(d *Domain) bool { return d.Rolling == 0 && min(d.Free, d.Remaining) == 0 }

// paused reports whether a pause blocks all of a domain's nodes to go. (Rule 10.)
func paused(d *Domain) bool { return d.ToGo > 0 && d.Paused == d.ToGo }

// goesOn reports whether time alone lifts the blockers of a node of an idle domain by a time.
func goesOn(d *Domain, end time.Time) bool {
	return d.Remaining > 0 && !d.NextFree.IsZero() && !d.NextFree.After(end)
}

// rolling returns the first rolling domain by name other than butFor, or nil.
func (s *Selection) rolling(butFor *Domain) *Domain {
	for i := range s.Domains {
		if d := &s.Domains[i]; d.Rolling > 0 && d != butFor {
			return d
		}
	}
	return nil
}

// oldest returns the domain of the first free node in line, among domains whose limit is not used up.
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
