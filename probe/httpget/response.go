package httpget

import "time"

// maxBody is the greatest length of a body, in bytes. A longer body is invalid.
const maxBody = 64 << 10

// A Response is the outcome of one GET. The zero Response means no answer.
type Response struct {
	At time.Time // when the request was sent, so that an answer never counts as newer than it is
	// Status and Body are exported for callers with an HTTP client of their own. Body has at most 64 KiB, and is not
	// needed in StatusMode.
	Status int
	Body   []byte
	Err    error // why there is no answer, or no complete one
}
