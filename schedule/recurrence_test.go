package schedule

import (
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func zones(t *testing.T) []*zone {
	t.Helper()
	names, err := os.ReadFile("testdata/zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []*zone
	for name := range strings.FieldsSeq(string(names)) {
		z, err := parseZone(name)
		if err != nil {
			t.Fatal(err)
		}
		if z != nil { // else it is UTC
			all = append(all, z)
		}
	}
	return all
}

// offsetIn asks package time.
func offsetIn(zone *zone, at int64) int64 {
	_, offset := time.Unix(at, 0).In(zone.Location).Zone()
	return int64(offset)
}

// checkEra checks that an era holds its time, and that the clock is the same at its ends.
func checkEra(t rapid.TB, zone *zone, at int64) era {
	t.Helper()
	e := zone.era(at)
	if at < e.start || e.end <= at {
		t.Fatalf("%v: %+v does not hold %d, %v", zone, e, at, time.Unix(at, 0).In(zone.Location))
	}
	for _, other := range []int64{at, max(e.start, -1<<55), min(e.end, 1<<55) - 1} {
		if offset := offsetIn(zone, other); offset != e.offset {
			t.Fatalf("%v: %+v, found at %d, but the offset at %d is %d", zone, e, at, other, offset)
		}
	}
	return e
}

func TestErasHoldTheirTimes(t *testing.T) {
	t.Parallel()
	for _, zone := range zones(t) {
		// The ends of years by a zone's rule, where package time is off by a day in leap years.
		for year := 2030; year <= 2112; year++ {
			end := time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
			for _, at := range []int64{end - daySeconds - 1, end - daySeconds, end - daySeconds/2, end - 1, end, end + daySeconds} {
				checkEra(t, zone, at)
			}
		}
	}
	all := rapid.SampledFrom(zones(t))
	rapid.Check(t, func(t *rapid.T) {
		checkEra(t, all.Draw(t, "zone"), rapid.Int64Range(-1<<40, 1<<40).Draw(t, "at"))
	})
}

func TestErasLeaveNothingOut(t *testing.T) {
	t.Parallel()
	for _, zone := range zones(t) {
		e := checkEra(t, zone, -1<<40)
		for e.end != dusk && e.end < time.Date(2110, 1, 1, 0, 0, 0, 0, time.UTC).Unix() {
			before := e.end
			e = checkEra(t, zone, e.end)
			if e.start > before {
				t.Fatalf("%v: nothing between %d and %+v", zone, before, e)
			}
			if back := checkEra(t, zone, e.start-1); back.end < e.start {
				t.Fatalf("%v: nothing between %+v and %+v", zone, back, e)
			}
		}
	}
}

func TestLastAndNextHitAgree(t *testing.T) {
	all := rapid.SampledFrom(zones(t))
	for range 5 {
		rapid.Check(t, func(t *rapid.T) {
			e, _ := naives().Draw(t, "expression").compile()
			r := recurrence{expression: e, zone: all.Draw(t, "zone")}
			at := rapid.Int64Range(-1<<33, 1<<33).Draw(t, "at")
			last, next := r.lastHit(at), r.nextHit(at)
			if last > at || next < at {
				t.Fatalf("%+v in %v at %d: last hit %d, next %d", e, r.zone.Location, at, last, next)
			}
			for _, c := range []struct {
				name      string
				got, want int64
			}{
				{"the next hit from the last one on", r.nextHit(last), last},
				{"the next hit after the last one", r.nextHit(last + 1), r.nextHit(at + 1)},
				{"the last hit up to the next one", r.lastHit(next), next},
			} {
				if c.got != c.want {
					t.Fatalf("%+v in %v at %d: %s is %d, want %d", e, r.zone.Location, at, c.name, c.got, c.want)
				}
			}
			if got := r.lastHit(next - 1); next > at && got != last {
				t.Fatalf("%+v in %v at %d: the last hit before the next one is %d, want %d", e, r.zone.Location, at, got, last)
			}
		})
	}
}

// A search may leave out eras in which nothing can hit, and finds the same as one that looks at each.
func TestTheNextHitIsThatOfALookAtEachEra(t *testing.T) {
	all := rapid.SampledFrom(zones(t))
	for range 5 {
		rapid.Check(t, func(t *rapid.T) {
			e, _ := naives().Draw(t, "expression").compile()
			r := recurrence{expression: e, zone: all.Draw(t, "zone")}
			at := rapid.Int64Range(-1<<33, 1<<33).Draw(t, "at")
			if end := r.era(at).end; end != dusk && rapid.Bool().Draw(t, "at a change") {
				at = end + rapid.Int64Range(-2*daySeconds, 2*daySeconds).Draw(t, "from it")
			}
			if got, want := r.nextHit(at), nextHitEraByEra(&r, at); got != want {
				t.Fatalf("%+v in %v at %d: %d, want %d", e, r.zone.Location, at, got, want)
			}
		})
	}
}

func nextHitEraByEra(r *recurrence, at int64) int64 {
	e := r.era(at)
	wall := at + e.offset
	if at == e.start {
		wall = at + min(e.offset, r.era(at-1).offset)
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
