package topology

import "time"

// A Roll is where the roll of a pool stands: a value that goes from each decision into the next. Callers store it before
// they start what was allowed with it. Without it, or with an old one, no limit is exceeded, and no two domains roll at
// once; but the roll may leave a domain early, and then a bad image can reach the next. The zero Roll is none in progress.
type Roll struct {
	Key       string    `json:"key"`                // the topology key; "" is no roll
	Domain    string    `json:"domain"`             // the domain whose turn it is
	IdleSince time.Time `json:"idleSince,omitzero"` // the first decision since which nothing could start there; zero: it can
}

// in returns the domain that a roll is in: none if there is no roll, if it is of another key, or if the domain has no
// nodes. (Rule 1.)
func (r Roll) in(domains []Domain, key string) *Domain {
	if r.Key == "" || r.Key != key {
		return nil
	}
	return find(domains, r.Domain)
}

// idleSince returns since when a domain that is idle now has been so. A time in the future is now.
func (r Roll) idleSince(now time.Time) time.Time {
	if r.IdleSince.IsZero() || r.IdleSince.After(now) {
		return now
	}
	return r.IdleSince
}
