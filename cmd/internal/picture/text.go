package picture

import (
	"encoding/xml"
	"strings"
	"unicode"

	"github.com/disruptkit/disruptkit/internal/display"
)

// Escaped returns a text for XML and HTML, also in attributes. What they cannot hold becomes U+FFFD.
func Escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(display.Visible(text))) // a Builder takes everything
	return out.String()
}

// Short cuts a text down to so many characters, in one line.
func Short(text string, most int) string {
	var out []rune
	for _, r := range text {
		if len(out) == most {
			return string(out[:most-1]) + "…"
		}
		if unicode.IsSpace(r) {
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}

// Fitted cuts a text of a size down to what fits, with "…"; "" where nothing fits.
func Fitted(text string, size, room float64) string {
	if TextWidth(text, size) <= room {
		return text
	}
	runes := []rune(strings.TrimSuffix(text, " …"))
	for n := len(runes) - 1; n > 2; n-- {
		if cut := strings.TrimRight(string(runes[:n]), " ") + "…"; TextWidth(cut, size) <= room {
			return cut
		}
	}
	return ""
}

// TextWidth estimates how wide a text is, in pixels, generously: readers have various fonts.
func TextWidth(text string, size float64) float64 {
	wide := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune(" .,:;il|'ftj-–()", r):
			wide += 0.36
		case r > 0x2e80:
			wide += 1.05
		default:
			wide += 0.58
		}
	}
	return wide * size
}
