package schedule

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAWalkEndsWhateverTheWindow(t *testing.T) {
	parse := func(expr string, d time.Duration) Window { return MustParse(expr, d, "Europe/Berlin") }
	many := func(expr func(i int) Window) Window {
		var parts []Window
		for i := range 50 {
			parts = append(parts, expr(i))
		}
		return Union(parts...)
	}
	both := func(allowed, blocked Window) Window { return Union(allowed.Outside(), blocked).Outside() }
	even, odd := parse("*/2 * * * *", time.Minute), parse("1-59/2 * * * *", time.Minute)
	yearly := parse("* * * 1-11 *", time.Minute)
	now := time.Date(2026, 10, 20, 12, 34, 56, 0, time.UTC)
	for name, w := range map[string]Window{
		"never open":                            both(even, even),
		"always open":                           Union(even, odd),
		"never open, of many parts":             both(many(func(int) Window { return parse("*/2 * * * *", time.Minute) }), even),
		"open for a year":                       yearly,
		"open for most of the year, many times": many(func(int) Window { return parse("* * * 1-11 *", time.Minute) }),
		"open on leap days, if they were not":   both(many(func(int) Window { return parse("0 0 29 2 *", time.Minute) }), many(func(int) Window { return parse("0 0 29 2 *", time.Hour) })),
		"open but for changes of the clock":     Union(parse("0 * * * *", time.Hour), even),
	} {
		steps := walk{left: mostHits}
		at, open, until := now, InWindow(w, now), time.Time{}
		for steps.left > 0 {
			var still bool
			if still, until, _ = w.upTo(at, &steps); still != open || until.IsZero() {
				break
			}
			at = until
		}
		if most := 2 * (leaves([]Window{w}) + 1); steps.left < -most {
			t.Errorf("%s: it looks at %d hits", name, mostHits-steps.left)
		}
		o, until, exact := w.UntilAtLeast(now)
		if o != open || !exact && !until.After(now) {
			t.Errorf("%s: it is open %t until %v", name, o, until)
		}
	}
}

func TestAWalkThatEndsOnTheWaySaysSo(t *testing.T) {
	r := MustParse("* * * 1-11 *", time.Minute, "Europe/Berlin").w.recurrence
	hit := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).Unix()
	end := time.Date(2026, 11, 30, 22, 59, 0, 0, time.UTC).Unix()
	for left, want := range map[int]bool{0: false, 3: false, 100: true} {
		if last, exact := r.lastJoined(hit, &walk{left: left}); exact != want || (last == end) != want || last < hit || last > end {
			t.Errorf("with %d hits left it is %v, %t", left, time.Unix(last, 0).UTC(), exact)
		}
	}
}

func TestTheNextHitIsThatOfALookAtEachEra(t *testing.T) {
	all := rapid.SampledFrom(zones(t))
	for range 5 {
		rapid.Check(t, func(t *rapid.T) {
			e, _ := naives().Draw(t, "expression").compile()
			r := recurrence{expression: e, zone: all.Draw(t, "zone")}
			at := rapid.Int64Range(-1<<33, 1<<33).Draw(t, "at")
			if rapid.Bool().Draw(t, "at a change") {
				if end := r.era(at).end; end != math.MaxInt64 {
					at = end + rapid.Int64Range(-2*daySeconds, 2*daySeconds).Draw(t, "from it")
				}
			}
			if got, want := r.nextHit(at), nextHitEraByEra(&r, at); got != want {
				t.Fatalf("%+v in %v at %d: %d, want %d", e, r.zone, at, got, want)
			}
		})
	}
}

func nextHitEraByEra(r *recurrence, at int64) int64 {
	e := r.era(at)
	wall := at + e.offset
	if at == e.start {
		wall = at + min(e.offset, r.offset(at-1))
	}
	for {
		if hit := max(r.next(wall)-e.offset, at); hit < e.end {
			return hit
		}
		before := e.offset
		at = e.end
		e = r.era(at)
		wall = at + min(e.offset, before)
	}
}
