package candidate_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestABlockerTellsItsTimeInUTC(t *testing.T) {
	b := candidate.Blocker{Gate: "g", Code: "c", Message: "m", Until: time.Date(2026, 1, 1, 1, 0, 0, 0, time.FixedZone("", 3600))}
	if got := b.String(); got != "g/c: m (until 2026-01-01T00:00:00Z)" {
		t.Error(got)
	}
}

func TestWhatHoldsBackNowComesBeforeWhatDoesSoLater(t *testing.T) {
	now, later := candidate.Blocker{Message: "b"}, candidate.Blocker{Message: "a", Later: true}
	if now.Compare(later) >= 0 || later.Compare(now) <= 0 || later.Compare(later) != 0 {
		t.Error(now.Compare(later), later.Compare(now), later.Compare(later))
	}
}
