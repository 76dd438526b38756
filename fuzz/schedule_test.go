package fuzz_test

import (
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/disruptkit/disruptkit/schedule"
)

func FuzzParse(f *testing.F) {
	for _, s := range []struct {
		expr    string
		minutes int64
		zone    string
		at      int64
	}{
		{"0 17 * * mon-fri", 960, "", 1795178096},
		{"@daily", 1440, "Europe/Berlin", 1774742400},
		{"30 2 * * *", 60, "America/New_York", 1772953200},
		{"0 12 * * fri", 60, "Pacific/Apia", 1325239200},
		{"0 0 29 2 *", 1440, "Australia/Lord_Howe", 4021833600},
		{"*/7 */5 1-7 jan,FEB ?", 1, "Africa/Casablanca", -1},
		{"0 0 13 * fri", 527040, "UTC", 1 << 55},
		{"0 0 * * sat-sun", 0, "Local", -1 << 63},
		{"0 22-6/2 31 2,4,6 1-7", -1, "../etc/passwd", 1<<63 - 1},
		{"TZ=0", 1, "./localtime", 0},
		{"@every 5m", 153722867, "Asia/Tehran", 0},
		{", *-5 */0 ,, 7", 1, "Mars", 0},
		{"* * * * * *", 1, "", 0},
	} {
		f.Add(s.expr, s.minutes, s.zone, s.at)
	}
	f.Fuzz(func(t *testing.T, expr string, minutes int64, zone string, at int64) {
		d := time.Duration(minutes) * time.Minute // also what overflows
		now := time.Unix(at, 0)
		w, err := schedule.Parse(expr, d, zone)
		if err != nil {
			rejected(t, w, err, now)
			return
		}
		consistent(t, w, now)
		if utc, err := schedule.Parse(expr, d, "UTC"); err != nil {
			t.Errorf("accepted in %q, but not in UTC: %v", zone, err)
		} else {
			karpenters(t, utc, expr, d, now)
		}
	})
}

// rejected checks that every line of the error says what to write instead, and that the window is never open.
func rejected(t *testing.T, w schedule.Window, err error, now time.Time) {
	t.Helper()
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !strings.Contains(line, "write ") || len(line) > 2000 {
			t.Errorf("the error does not say in a few words what to write: %s", line)
		}
	}
	if open, span := w.State(now); open || span != (schedule.Span{}) || schedule.InWindow(w, now) {
		t.Errorf("rejected, but %t %v", open, span)
	}
}

// consistent checks that State says what InWindow does, in exactly the span that it returns.
func consistent(t *testing.T, w schedule.Window, now time.Time) {
	t.Helper()
	open, span := w.State(now)
	if schedule.InWindow(w, now) != open {
		t.Errorf("%v at %v: State %t, InWindow %t", w, now, open, !open)
	}
	if o, s := w.Outside().State(now); o == open || s != span {
		t.Errorf("%v at %v: %t %v, outside %t %v", w, now, open, span, o, s)
	}
	if year := now.Year(); year < -1_000_000 || year > 1_000_000 {
		return // where bounds may be beyond what package time can hold
	}
	if !span.Contains(now) {
		t.Errorf("%v.State(%v) = %t %v, in which now is not", w, now, open, span)
	}
	if !span.Start.IsZero() && (schedule.InWindow(w, span.Start) != open || schedule.InWindow(w, span.Start.Add(-1)) == open) {
		t.Errorf("%v.State(%v) = %t %v, which does not begin there", w, now, open, span)
	}
	if !span.End.IsZero() && (schedule.InWindow(w, span.End) == open || schedule.InWindow(w, span.End.Add(-1)) != open) {
		t.Errorf("%v.State(%v) = %t %v, which does not end there", w, now, open, span)
	}
}

// karpenters compares a window in UTC with the rule of Karpenter's Budget.IsActive, which robfig/cron limits to five
// years, and time.Time.Sub to 292.
func karpenters(t *testing.T, w schedule.Window, expr string, d time.Duration, now time.Time) {
	t.Helper()
	if year := now.Year(); year < 1500 || year > 3000 {
		return
	}
	spec, err := cron.ParseStandard(strings.TrimSpace(expr))
	if err != nil {
		t.Fatalf("robfig/cron rejects %q: %v", expr, err)
	}
	hit := spec.Next(now.UTC().Add(-d))
	if got, want := schedule.InWindow(w, now), !hit.After(now); got != want && !hit.IsZero() {
		t.Errorf("%v at %v: %t, robfig/cron says %t, with a hit at %v", w, now, got, want, hit)
	}
}

func FuzzParseDates(f *testing.F) {
	for _, s := range []struct {
		from, to, zone string
		at             int64
	}{
		{"2026-12-23", "2027-01-02", "Europe/Berlin", 1795178096},
		{"2026-09-06", "", "America/Santiago", 1788664800},
		{"", "2011-12-29", "Pacific/Apia", 1325239200},
		{"2011-12-30", "2011-12-30", "Pacific/Apia", 0},
		{"2026-12-23T18:00:00+01:00", "9999-12-31", "", 1 << 55},
		{"2132-12-31", "2132-12-31", "Europe/Berlin", -1 << 63},
		{"2026-02-30", "2016-12-31T23:59:60Z", "Mars", 1<<63 - 1},
		{"0001-01-01", "10000-01-01", "Local", 0},
	} {
		f.Add(s.from, s.to, s.zone, s.at)
	}
	f.Fuzz(func(t *testing.T, from, to, zone string, at int64) {
		now := time.Unix(at, 0)
		w, err := schedule.ParseDates(from, to, zone)
		if err != nil {
			rejected(t, w, err, now)
			return
		}
		consistent(t, w, now)
	})
}
