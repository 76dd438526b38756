package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// checkCivil compares one day with package time.
func checkCivil(t rapid.TB, day int64) {
	t.Helper()
	want := time.Unix(day*daySeconds, 0).UTC()
	year, month, dom := civil(day)
	if year != int64(want.Year()) || time.Month(month) != want.Month() || dom != want.Day() {
		t.Fatalf("civil(%d) = %d-%d-%d, want %v", day, year, month, dom, want)
	}
	if got := weekday(day); got != int(want.Weekday()) {
		t.Fatalf("weekday(%d) = %d, want %v", day, got, want.Weekday())
	}
	if got := firstDay(year, month); got != day-int64(dom-1) {
		t.Fatalf("firstDay(%d, %d) = %d, want %d", year, month, got, day-int64(dom-1))
	}
	if got, last := monthDays(year, month), time.Date(want.Year(), want.Month()+1, 0, 0, 0, 0, 0, time.UTC); got != last.Day() {
		t.Fatalf("monthDays(%d, %d) = %d, want %d", year, month, got, last.Day())
	}
}

func TestTheCalendarIsThatOfPackageTime(t *testing.T) {
	t.Run("on every day of a whole cycle", func(t *testing.T) {
		first := firstDay(1800, 1)
		for day := first; day <= first+cycleDays; day++ {
			checkCivil(t, day)
		}
	})
	t.Run("around the ends of cycles, also before the year 0", func(t *testing.T) {
		for year := int64(-4000); year <= 4000; year += 400 {
			for day := firstDay(year, 1) - 3; day < firstDay(year, 4); day++ {
				checkCivil(t, day)
			}
		}
	})
	t.Run("a billion years from now and ago", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			checkCivil(t, rapid.Int64Range(-365_000_000_000, 365_000_000_000).Draw(t, "day"))
		})
	})
}

func TestDivisionRoundsDown(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{
		{0, 7, 0}, {6, 7, 0}, {7, 7, 1}, {-1, 7, -1}, {-7, 7, -1}, {-8, 7, -2},
	} {
		if got := floorDiv(c.a, c.b); got != c.want {
			t.Errorf("floorDiv(%d, %d) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
