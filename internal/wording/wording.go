// Package wording formats values, errors, counts and durations for people. Values that are not trusted are on one line,
// without terminal escapes, and different values look different.
package wording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Quote returns a value unchanged if it reads well in a sentence or a table cell. Otherwise it returns the value in
// quotes, with Go escapes: if it has line breaks, tabs or other invisible characters, begins with a space or a quote,
// ends with a space, or is not valid UTF-8.
func Quote(value string) string {
	if value == "" {
		return value
	}
	if first, last := value[0], value[len(value)-1]; first == ' ' || first == '"' || last == ' ' {
		return strconv.Quote(value)
	}
	for i := range len(value) { // fast, since almost all names are ASCII
		if c := value[i]; (c < ' ' || '~' < c) && !plain(value) {
			return strconv.Quote(value)
		}
	}
	return value
}

// plain reports whether a value is UTF-8 without invisible characters.
func plain(value string) bool {
	invisible := func(r rune) bool { return !strconv.IsPrint(r) }
	return utf8.ValidString(value) && !strings.ContainsFunc(value, invisible)
}

// Short is Quote of a value of which at most most characters are shown, and "…" for the others.
func Short(value string, most int) string {
	if cut := fmt.Sprintf("%.*s", most, value); cut != value {
		value = cut + "…"
	}
	return Quote(value)
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

// List names the first of some values, and counts the others: "a, b, and 3 more".
func List[T any](list []T, most int, text func(T) string) string {
	var texts []string
	for _, one := range list[:min(most, len(list))] {
		texts = append(texts, text(one))
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}

// Some is List of texts.
func Some(texts []string, most int) string {
	return List(texts, most, func(text string) string { return text })
}

// Sentence returns an error on one line, even if it joins several.
func Sentence(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Count returns "1 node" or "2 nodes".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

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

var whole = regexp.MustCompile(`^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$`)

// Whole reports whether a text is a duration in whole hours and minutes, such as 8h, 90m or 1h30m. (Karpenter: the
// pattern of a budget's duration.)
func Whole(text string) bool { return whole.MatchString(text) }

// Year is the longest period of a pace, and the longest deadline.
const Year = 366 * 24 * time.Hour

// Period parses a period of at most a year in whole hours and minutes. If it cannot be parsed, it is 0.
func Period(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d > Year || !Whole(text) {
		return 0
	}
	return d
}

// Near reports whether two names are the same but for case and one letter: a missing, an additional or a different one,
// or two that are swapped. Names of one letter have nothing in common. It allocates nothing.
func Near(a, b string) bool {
	if max(len(a), len(b)) < 2 || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return a == b
	}
	for a != "" && b != "" && sameLetter(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && sameLetter(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && sameLetter(a[0], b[1]) && sameLetter(a[1], b[0])
	return swapped || len(a) <= 1 && len(b) <= 1
}

// sameLetter reports whether two letters are the same but for case.
func sameLetter(a, b byte) bool { return a == b || a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z' }

// PublicName returns the leading part of a name that is valid. The rest may be a value, and secret.
func PublicName(name string) string {
	if end := strings.IndexAny(name, ":= \t\n?@"); end >= 0 {
		return name[:end]
	}
	return name
}
