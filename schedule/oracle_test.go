package schedule_test

import (
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// karpenterIsActive is the rule of Karpenter's Budget.IsActive: the next hit after now-duration has come. robfig/cron
// gives up after five years and returns the zero time.
func karpenterIsActive(t rapid.TB, expr string, d time.Duration, now time.Time) (active, gaveUp bool) {
	spec, err := cron.ParseStandard("TZ=UTC " + expr)
	if err != nil {
		t.Fatalf("robfig/cron rejects %q: %v", expr, err)
	}
	hit := spec.Next(now.UTC().Add(-d))
	return !hit.After(now), hit.IsZero()
}

func TestInWindowIsKarpentersRuleInUTC(t *testing.T) {
	check(t, func(t *rapid.T) {
		expr := testkit.Arbitrary(generate.Cron).Draw(t, "cron")
		d := testkit.Arbitrary(generate.Duration).Draw(t, "duration")
		w, err := schedule.Parse(expr, d, "")
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			now := testkit.Arbitrary(generate.Time).Draw(t, "now")
			want, gaveUp := karpenterIsActive(t, expr, d, now)
			if got := schedule.InWindow(w, now); got != want && !gaveUp {
				t.Fatalf("InWindow(%v, %v) = %t, robfig/cron says %t", w, now, got, want)
			}
		}
	})
}

// wallOracle finds hits minute by minute: an obvious and slow reading of the rules of the package comment.
type wallOracle struct {
	spec *cron.SpecSchedule
	zone *time.Location
}

func (o wallOracle) matches(wall time.Time) bool {
	const star = 1 << 63
	dom, dow := o.spec.Dom>>wall.Day()&1 == 1, o.spec.Dow>>wall.Weekday()&1 == 1
	day := dom || dow
	if o.spec.Dom&star != 0 || o.spec.Dow&star != 0 {
		day = dom && dow
	}
	return day && o.spec.Minute>>wall.Minute()&1 == 1 && o.spec.Hour>>wall.Hour()&1 == 1 && o.spec.Month>>wall.Month()&1 == 1
}

// wall returns what the clock shows, as a time in UTC.
func (o wallOracle) wall(t time.Time) time.Time {
	local := t.In(o.zone)
	return time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC)
}

// hits calls found for each hit from one whole minute to another.
func (o wallOracle) hits(from, to time.Time, found func(time.Time)) {
	before := o.wall(from.Add(-time.Minute))
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		wall := o.wall(t)
		hit := o.matches(wall)
		for skipped := before.Add(time.Minute); skipped.Before(wall); skipped = skipped.Add(time.Minute) {
			hit = hit || o.matches(skipped)
		}
		if hit {
			found(t)
		}
		before = wall
	}
}

// agree compares every minute of a span with the oracle. The span must begin at a whole minute.
func (o wallOracle) agree(t *testing.T, expr string, d time.Duration, from, to time.Time) {
	t.Helper()
	w := schedule.MustParse(expr, d, o.zone.String())
	hits := map[time.Time]bool{}
	o.hits(from.Add(-d), to, func(hit time.Time) { hits[hit] = true })
	var openUntil time.Time
	var before bool
	var since time.Time // of the answer before; zero as long as it may have begun before from
	var ends []time.Time
	for at := from.Add(-d); at.Before(to); at = at.Add(time.Minute) {
		if hits[at] {
			openUntil = at.Add(d)
		}
		if at.Before(from) {
			continue
		}
		want := at.Before(openUntil)
		if got := schedule.InWindow(w, at); got != want {
			t.Fatalf("InWindow(%v, %v) = %t, minute by minute it is %t", w, at.In(o.zone), got, want)
		}
		changed := want != before && !at.Equal(from)
		if changed {
			for _, end := range ends {
				if !end.Equal(at) {
					t.Fatalf("%v changes at %v, not at %v", w, at.In(o.zone), end.In(o.zone))
				}
			}
			since, ends = at, nil
		}
		before = want
		if at.Minute()%7 != 0 && !changed {
			continue
		}
		open, span := w.State(at)
		if open != want || !span.Contains(at) || !since.IsZero() && !span.Start.Equal(since) {
			t.Fatalf("%v.State(%v) = %t %v, minute by minute it is %t since %v", w, at.In(o.zone), open, span, want, since)
		}
		ends = append(ends, span.End)
	}
}
