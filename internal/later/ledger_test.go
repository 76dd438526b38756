package later_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// A ledger adds up what is told of some fleets.
type ledger struct {
	Lift    int // blocked candidates of which every blocker has a time
	Vague   int // the other blocked candidates
	Holds   int // blockers with a time
	Hold    int // for how many minutes, in all
	Later   int // blockers that do not hold yet
	May     int // blockers that may hold then
	ForGood int // candidates that may go for good
	Ends    int // candidates that may go until a time
	End     int // for how many minutes, in all
	Quiet   int // minutes until the next change, in all
}

func (l *ledger) add(d disruptkit.Decision, now time.Time) {
	minutes := func(at time.Time) int { return int(at.Sub(now) / time.Minute) }
	for _, c := range d.Blocked {
		if _, lifts := candidate.LiftsAt(c.Blockers); lifts {
			l.Lift++
		} else {
			l.Vague++
		}
		for _, b := range c.Blockers {
			if !b.Until.IsZero() {
				l.Holds++
				l.Hold += minutes(b.Until)
			}
			if b.Later {
				l.Later++
			}
			if strings.Contains(b.Message, "may use up") {
				l.May++
			}
		}
	}
	for _, c := range d.Allowed {
		if c.Until.IsZero() {
			l.ForGood++
		} else {
			l.Ends++
			l.End += minutes(c.Until)
		}
	}
	if !d.NextChange.IsZero() {
		l.Quiet += minutes(d.NextChange)
	}
}

// The properties of this package say that what is told comes true. They hold, too, if less is told, or nothing. So this test adds up what
// is told of some thousand fleets, which are the same each time. Whoever changes what is told sees here by how much: fewer vague
// candidates are better if TestEveryTimeThatIsToldComesTrue still passes, with many more checks, too. Then write the new numbers down.
func TestNoLessIsToldThanBefore(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs func(generate.Source) disruptkit.Input
		fleets uint64
		want   ledger
	}{
		{"crowded", crowded, 5000, ledger{
			Lift: 10331, Vague: 20813, Holds: 24583, Hold: 2431275, Later: 3339, May: 251, ForGood: 5246, Ends: 6265, End: 1077565, Quiet: 74585,
		}},
		{"waiting", generate.Waiting, 100, ledger{
			Lift: 269, Vague: 342, Holds: 615, Hold: 99983, Later: 51, May: 7, ForGood: 71, Ends: 66, End: 11044, Quiet: 5408,
		}},
		{"waiting in zones", generate.WaitingInZones, 150, ledger{
			Lift: 321, Vague: 584, Holds: 873, Hold: 136928, Later: 106, May: 18, ForGood: 57, Ends: 152, End: 18754, Quiet: 7605,
		}},
		{"dated", generate.Dated, 60, ledger{
			Lift: 90, Vague: 392, Holds: 260, Hold: 57094, Later: 65, ForGood: 62, Ends: 83, End: 12304, Quiet: 2431,
		}},
		{"tied by PDBs", generate.Tied, 150, ledger{
			Lift: 82, Vague: 587, Holds: 282, Hold: 1555542827, Later: 8, ForGood: 215, Ends: 84, End: 333644610, Quiet: 1868312,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got ledger
			for seed := range c.fleets {
				in := c.inputs(rand.New(rand.NewPCG(seed, 0)).IntN)
				got.add(disruptkit.Decide(in, ""), in.Now)
			}
			if got != c.want {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
		})
	}
}
