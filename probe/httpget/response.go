package httpget

import "time"

// MaxBody is the greatest length of a body, in bytes. A longer body is invalid.
const MaxBody = 64 << 10

// A Response is the outcome of one GET. The zero Response means no answer.
type Response struct {
	At     time.Time // when the request was sent, so that an answer never counts as newer than it is
	Status int
	Body   []byte // not needed in probe.StatusMode
	Err    error  // why there is no answer, or no complete one
}
