// Package tell is for programs that tell people of decisions.
package tell

import (
	"strings"
	"unicode/utf8"
)

// LineWidth is how many columns a line has at the most.
const LineWidth = 120

const hardSpace = "\x1f"

// Together returns a text that no line is broken in.
func Together(text string) string { return strings.ReplaceAll(text, " ", hardSpace) }

// Wrap breaks a text into lines, of which all but the first are indented.
func Wrap(text, indent string) string {
	var lines []string
	for utf8.RuneCountInString(text) > LineWidth {
		end := strings.LastIndexByte(text[:LineWidth], ' ')
		if end <= len(indent) {
			break
		}
		lines = append(lines, text[:end])
		text = indent + text[end+1:]
	}
	return strings.ReplaceAll(strings.Join(append(lines, text), "\n"), hardSpace, " ")
}
