// Package quote shows values that others wrote to people: on one line, without anything that a terminal would obey, and so
// that nobody takes one value for another.
package quote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns a value as it is, if it can be read like that in a sentence or in a cell of a table. Else it is in quotes, with
// escapes as in Go: where it has line breaks, tabs or anything else that cannot be seen, where a space or a quote begins it or
// a space ends it, and where it is not UTF-8.
func Text(value string) string {
	if Plain(value) {
		return value
	}
	return strconv.Quote(value)
}

// Plain reports whether Text returns a value as it is.
func Plain(value string) bool {
	if value == "" {
		return true
	}
	if first, last := value[0], value[len(value)-1]; first == ' ' || first == '"' || last == ' ' {
		return false
	}
	for i, r := range value {
		if ' ' <= r && r <= '~' {
			continue
		}
		if _, size := utf8.DecodeRuneInString(value[i:]); size == 1 || !strconv.IsPrint(r) { // no UTF-8, or nothing to see
			return false
		}
	}
	return true
}

// JSON returns a JSON value on one line, of so many characters at the most, with escapes for what cannot be seen.
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
