// Package display formats for people what programs show and decisions do not need.
package display

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

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

// Visible returns a text with escapes as in Go for what cannot be seen: what reorders the text around it, such as
// U+202E, among others. Line breaks stay. It is for texts that hold more than values.
func Visible(text string) string {
	invisible := func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }
	if utf8.ValidString(text) && strings.IndexFunc(text, invisible) < 0 {
		return text
	}
	var visible strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&visible, `\x%02x`, text[i])
		case invisible(r):
			escaped := strconv.QuoteRune(r)
			visible.WriteString(escaped[1 : len(escaped)-1])
		default:
			visible.WriteRune(r)
		}
	}
	return visible.String()
}

// PublicAddress returns an address without its query and user information, which may be secret.
func PublicAddress(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		address = "…" + address[i:]
	}
	return address
}
