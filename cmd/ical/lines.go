package ical

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

const (
	deepest       = 20   // components within each other: a VALARM in a VEVENT in a VCALENDAR is three
	longest       = 4096 // bytes of a line before its value
	byteOrderMark = "\uFEFF"
)

// unfold joins the lines that are folded, and ends each with a line feed. It may have ended with CRLF, LF or CR.
var unfold = strings.NewReplacer(
	"\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "", "\r ", "", "\r\t", "", "\r\n", "\n", "\r", "\n")

var (
	// lineForm is how a line begins: a name, parameters whose values may be quoted, and a colon.
	lineForm = regexp.MustCompile(`^[\w-]+(;[\w-]+=("[^"]*"|[^",;:]*)(,("[^"]*"|[^",;:]*))*)*:`)
	// nameForm is how a line begins that nobody looks at. "RRULE :" is not one of these.
	nameForm = regexp.MustCompile(`^[\w-]+[;:]`)
)

// looked are the names of the lines that matter. Many calendars have other lines that are long, or in no proper form.
var looked = map[string]bool{
	"BEGIN": true, "END": true, "CALSCALE": true, "X-WR-CALNAME": true, "X-WR-TIMEZONE": true, "UID": true,
	"SUMMARY": true, "STATUS": true, "DTSTART": true, "DTEND": true, "DURATION": true,
	"RECURRENCE-ID": true, "RRULE": true, "EXRULE": true, "RDATE": true, "EXDATE": true,
}

// lines returns the lines of a file that matter, unfolded, in a form that the decoder reads in a time that the size of
// the file bounds. The decoder would take an end of the file within a component for the end of the calendars.
func lines(text string) (string, error) {
	var kept strings.Builder
	depth := 0
	for line := range strings.SplitSeq(unfold.Replace(text), "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, byteOrderMark))
		name, _, _ := strings.Cut(line, ":")
		name, _, _ = strings.Cut(strings.ToUpper(name), ";")
		form := lineForm.FindString(line)
		switch {
		case line == "":
			continue
		case !looked[name] && nameForm.MatchString(line) && strings.Contains(line, ":"):
			continue
		case form == "":
			return "", fmt.Errorf("it is not an iCalendar file: line %.100q is not in the form NAME:value, or "+
				"NAME;PARAMETER=value:value", line)
		case len(form) > longest:
			return "", fmt.Errorf("line %.100q has %d bytes before its value: write at most %d",
				line, len(form), longest)
		case name == "BEGIN":
			depth++
		case name == "END":
			depth--
		}
		if depth > deepest {
			return "", fmt.Errorf("it is not an iCalendar file: more than %d components are within each other", deepest)
		}
		kept.WriteString(line + "\n")
	}
	if depth > 0 {
		return "", errors.New("it is cut off: each calendar in it ends with END:VCALENDAR")
	}
	return kept.String(), nil
}
