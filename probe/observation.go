package probe

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// An Observation sums up the answers of a probe. Keep one for each probe. The zero Observation means that there has
// been no answer yet, and blocks every node. Start again from it when the probe changes (see [Probe.Key]).
type Observation struct {
	At      time.Time      // of the last answer, good or bad
	Healthy bool           // whether nodes may go, except those in Denied
	Streak  int            // the number of good answers in a row, or, negative, of bad ones
	Code    candidate.Code // the fault of the last bad answer, for programs; "" once Healthy
	Cause   string         // the same for people
	Denied  []Denial       // the denials of good answers, sorted
}
