package display_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/internal/display"
)

func TestRoughDurationsHaveTheirLargestUnits(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"0s": 0, "-5s": -5 * time.Second, "45s": 45*time.Second + time.Millisecond, "1m": 119 * time.Second, "1h05m": 65*time.Minute + 59*time.Second,
		"23h59m": 24*time.Hour - 1, "1d0h": 24 * time.Hour, "62d14h": (62*24+14)*time.Hour + 59*time.Minute,
	} {
		if got := display.Rough(d); got != text {
			t.Errorf("%s: got %s, want %s", d, got, text)
		}
	}
}

func TestWhatCannotBeSeenIsShown(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"a line\nand \"another\"": "a line\nand \"another\"",
		"right\u202eto left":      `right\u202eto left`,
		"isolated \u2066x\u2069":  `isolated \u2066x\u2069`,
		"\x1b[31mred\t":           `\x1b[31mred\t`,
		"zero\u200bwidth":         `zero\u200bwidth`,
		"not UTF-8: \xff":         `not UTF-8: \xff`,
		"grüße, 東京 …":             "grüße, 東京 …",
		"a replacement: \ufffd":   "a replacement: \ufffd",
	} {
		if got := display.Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
