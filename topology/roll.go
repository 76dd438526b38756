package topology

import "time"

// A Roll says where the roll of a pool stands. Each decision returns a Roll for the next one. Store it before you start
// the nodes that the decision allows. If it is lost or old, no limit is exceeded and no two domains roll at once. But
// the roll may leave a domain early, and a bad image may reach the next one. The zero Roll means that no roll is in
// progress.
type Roll struct {
	Key    string `json:"key"`    // the topology key; "" means no roll
	Domain string `json:"domain"` // the domain whose turn it is
	// IdleSince is when a decision first found that nothing could start there. Zero: something can.
	IdleSince time.Time `json:"idleSince,omitzero"`
}

// in returns the domain that a roll is in. It returns nil if there is no roll, if the roll has another key, or if the
// domain has no nodes. (Rule 1.)
func (r Roll) in(domains []Domain, key string) *Domain {
	if r.Key == "" || r.Key != key {
		return nil
	}
	return find(domains, r.Domain)
}

// idleSince returns since when a domain that is idle now has been idle. A time in the future counts as now.
func (r Roll) idleSince(now time.Time) time.Time {
	if r.IdleSince.IsZero() || r.IdleSince.After(now) {
		return now
	}
	return r.IdleSince
}
