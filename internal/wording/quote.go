// Package wording formats values, errors, counts and durations for people. Values that are not trusted are on one line,
// without terminal escapes, and different values look different.
package wording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns a value unchanged if it reads well in a sentence or a table cell. Otherwise it returns the value in
// quotes, with Go escapes: if it has line breaks, tabs or other invisible characters, begins with a space or a quote,
// ends with a space, or is not valid UTF-8.
func Quote(value string) string {
	if Plain(value) {
		return value
	}
	return strconv.Quote(value)
}

// Short is Text of a value of which at most most characters are shown, and "…" for the others.
func Short(value string, most int) string {
	if cut := fmt.Sprintf("%.*s", most, value); cut != value {
		value = cut + "…"
	}
	return Quote(value)
}

// Plain reports whether Text returns a value unchanged.
func Plain(value string) bool {
	if value == "" {
		return true
	}
	if first, last := value[0], value[len(value)-1]; first == ' ' || first == '"' || last == ' ' {
		return false
	}
	for i := range len(value) { // fast, since almost all names are ASCII
		if c := value[i]; c < ' ' || '~' < c {
			return plain(value)
		}
	}
	return true
}

// plain is Plain for a value with other bytes than printable ASCII.
func plain(value string) bool {
	for i, r := range value {
		if ' ' <= r && r <= '~' {
			continue
		}
		if _, size := utf8.DecodeRuneInString(value[i:]); size == 1 || !strconv.IsPrint(r) { // not UTF-8, or invisible
			return false
		}
	}
	return true
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

// JSON returns a JSON value on one line, at most most characters long, with escapes for invisible characters.
func JSON(value []byte, most int) string {
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		line.Reset()
		line.Write(value)
	}
	var text strings.Builder
	for _, r := range fmt.Sprintf("%.*s", most, line.String()) {
		if strconv.IsPrint(r) {
			text.WriteRune(r)
		} else {
			escaped := strconv.QuoteRune(r)
			text.WriteString(escaped[1 : len(escaped)-1])
		}
	}
	return text.String()
}
