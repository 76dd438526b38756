package schedule_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

func BenchmarkInWindow(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, c := range []struct {
		name, cron string
		d          time.Duration
		zone       string
	}{
		{"UTC/weekdays", "0 17 * * mon-fri", 16 * time.Hour, ""},
		{"UTC/monthly", "0 2 1-7 * *", 4 * time.Hour, ""},
		{"UTC/leapday", "0 0 29 2 *", 24 * time.Hour, ""},
		{"zone/weekdays", "0 17 * * mon-fri", 16 * time.Hour, "Europe/Berlin"},
		{"zone/monthly", "0 2 1-7 * *", 4 * time.Hour, "America/New_York"},
		{"zone/leapday", "0 0 29 2 *", 24 * time.Hour, "Australia/Lord_Howe"},
	} {
		w := schedule.MustParse(c.cron, c.d, c.zone)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				schedule.InWindow(w, now)
			}
		})
	}
}

func BenchmarkState(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, c := range []struct {
		name, cron string
		d          time.Duration
		zone       string
	}{
		{"UTC/weekdays", "0 17 * * mon-fri", 16 * time.Hour, ""},
		{"UTC/never-closes", "* * * * *", time.Hour, ""},
		{"UTC/dense", "* * * 1-11 *", time.Minute, ""},
		{"zone/weekdays", "0 17 * * mon-fri", 16 * time.Hour, "Europe/Berlin"},
		{"zone/never-closes", "* * * * *", time.Hour, "Europe/Berlin"},
		{"zone/dense", "* * * 1-11 *", time.Minute, "Europe/Berlin"},
	} {
		w := schedule.MustParse(c.cron, c.d, c.zone)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.State(now)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schedule.Parse("0 17 * * mon-fri", 16*time.Hour, ""); err != nil {
			b.Fatal(err)
		}
	}
}
