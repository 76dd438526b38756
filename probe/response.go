package probe

import "time"

// MaxBody is how long a body may be, in bytes. A longer one is not understood.
const MaxBody = 64 << 10

// A Response is what came of one GET. The zero Response is no answer.
type Response struct {
	At     time.Time // when the question was asked, so that an answer is never taken for newer than it is
	Status int
	Body   []byte // not needed in StatusMode
	Err    error  // why there is no answer, or not all of it
}
