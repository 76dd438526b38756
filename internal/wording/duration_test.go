package wording_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

func TestDurationsHaveNoUnitsOfZero(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", 10 * time.Minute: "10m", time.Hour: "1h",
		20 * time.Hour: "20h", time.Hour + time.Minute: "1h1m", time.Hour + time.Second: "1h0m1s", 100 * time.Minute: "1h40m",
		-time.Hour: "-1h", 1500 * time.Millisecond: "1.5s",
	} {
		if got := wording.Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestRoughDurationsHaveTheirLargestUnits(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"0s": 0, "-5s": -5 * time.Second, "45s": 45*time.Second + time.Millisecond, "1m": 119 * time.Second, "1h05m": 65*time.Minute + 59*time.Second,
		"23h59m": 24*time.Hour - 1, "1d0h": 24 * time.Hour, "62d14h": (62*24+14)*time.Hour + 59*time.Minute,
	} {
		if got := wording.Rough(d); got != text {
			t.Errorf("%s: got %s, want %s", d, got, text)
		}
	}
}
