package wording

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Duration returns 16h for 16h0m0s.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Rough returns the two largest units, rounded down: 45s, 12m, 6h10m, 2d14h.
func Rough(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}

var whole = regexp.MustCompile(`^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$`)

// Whole reports whether a text is a duration in whole hours and minutes, such as 8h, 90m or 1h30m. (Karpenter: the
// pattern of a budget's duration.)
func Whole(text string) bool { return whole.MatchString(text) }
