package tell

import (
	"strings"
	"unicode/utf8"
)

// FirstScreen is how many lines an answer has that is read without scrolling, on a terminal of 24 lines.
const FirstScreen = 24

// Fits reports whether a text is read without scrolling. A line that is wider than a line of text may be, such as a
// command to be copied, takes several.
func Fits(text string) bool {
	rows, columns := 0, width(LineWidth)
	for line := range strings.Lines(text) {
		rows += 1 + max(0, utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))-1)/columns
	}
	return rows <= FirstScreen
}

// First returns as much of a text as fits into some lines, such as FirstScreen, with a last one that says how to see the
// rest; "": another one says so. The text has what matters most first.
func First(text, more string, most int) string {
	if more != "" {
		more = "\n" + Wrap(more, "  ") + "\n"
		most -= strings.Count(more, "\n")
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > most {
		if most > 1 && lines[most-2] == "" { // a header alone says nothing
			most--
		}
		cut := lines[most] != ""
		lines = lines[:most]
		if last := most - 1; cut && lines[last] != "" {
			text, space := lines[last], max(0, width(usualWidth)-2)
			for utf8.RuneCountInString(text) > space && strings.Contains(strings.TrimLeft(text, " "), " ") {
				text = text[:strings.LastIndexByte(text, ' ')] // a whole word, which may be a name
			}
			lines[last] = Cut(text+" …", space+2) // it may be the row of a table
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n" + more
}
