// Package tell is for programs that tell people of decisions.
package tell

import (
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// LineWidth is how many columns a line has at the most where nobody knows how wide the terminal is.
const LineWidth = 120

// width is that of the terminal now, or COLUMNS where somebody has exported that, as watch does, within what is wide
// enough for sentences and not too wide; or else what is usual.
func width(usual int) int {
	if columns, known := columns(); known {
		return columns
	}
	return usual
}

// columns returns the width, and whether it is known: that of a pipe is not.
func columns() (n int, known bool) {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	known = err == nil && n > 0
	if out, ok := Terminal(os.Stdout); ok {
		if now, knows := size(out); knows {
			n, known = now, true
		}
	}
	return min(max(n, narrowest), widest), known
}

// Lines are broken at least, and at most, after so many columns, however wide the terminal is.
const (
	narrowest = 60
	widest    = 160
)

// WrapNarrow is Wrap for a line of a table.
func WrapNarrow(text, indent string) string { return wrap(text, indent, width(usualWidth)) }

// Capital returns a sentence that begins with a capital letter.
func Capital(text string) string {
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

const hardSpace = "\x1f"

// Together returns a text that no line is broken in.
func Together(text string) string { return strings.ReplaceAll(text, " ", hardSpace) }

// Wrap breaks a text into lines, all but the first indented.
func Wrap(text, indent string) string { return wrap(text, indent, width(LineWidth)) }

func wrap(text, indent string, columns int) string {
	var lines []string
	for utf8.RuneCountInString(text) > columns {
		end := strings.LastIndexByte(head(text, columns+1), ' ')
		if end <= len(indent) { // the first word is too long
			begin := min(len(text), max(len(indent), len(text)-len(strings.TrimLeft(text, " "))))
			length := strings.IndexByte(text[begin:], ' ')
			if length < 0 {
				break
			}
			end = begin + length
		}
		lines = append(lines, text[:end])
		text = indent + text[end+1:]
	}
	return strings.ReplaceAll(strings.Join(append(lines, text), "\n"), hardSpace, " ")
}

// head returns the first characters of a text that has more.
func head(text string, characters int) string {
	for at := range text {
		if characters == 0 {
			return text[:at]
		}
		characters--
	}
	return text
}
