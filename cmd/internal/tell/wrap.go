// Package tell is for programs that tell people of decisions.
package tell

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// LineWidth is how many columns a line has at the most where nobody knows how wide the terminal is.
const LineWidth = 120

// width is that of the terminal now, if there is one and it is wide enough for sentences.
func width() int {
	out, ok := Terminal(os.Stdout)
	if !ok {
		return LineWidth
	}
	columns, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return LineWidth
	}
	return min(max(columns, narrowest), widest)
}

// Lines are broken at least, and at most, after so many columns, however wide the terminal is.
const (
	narrowest = 60
	widest    = 160
)

// tableWidth is that of the terminal, or usualWidth.
func tableWidth() int {
	if _, ok := Terminal(os.Stdout); ok {
		return width()
	}
	return usualWidth
}

// WrapNarrow is Wrap for a line of a table.
func WrapNarrow(text, indent string) string { return wrap(text, indent, tableWidth()) }

const hardSpace = "\x1f"

// Together returns a text that no line is broken in.
func Together(text string) string { return strings.ReplaceAll(text, " ", hardSpace) }

// Wrap breaks a text into lines, of which all but the first are indented.
func Wrap(text, indent string) string { return wrap(text, indent, width()) }

func wrap(text, indent string, columns int) string {
	var lines []string
	for utf8.RuneCountInString(text) > columns {
		end := strings.LastIndexByte(head(text, columns+1), ' ')
		if end <= len(indent) {
			break
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
