package manifest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Fault is a fault of the input, with its place.
type Fault struct {
	candidate.Warning
	Place Place
}

// Error returns "file:line: object: field: message".
func (f Fault) Error() string { return f.Place.String() + ": " + f.Warning.Error() }

// A Place is a line of a file.
type Place struct {
	File string
	Line int // from 1
}

// String returns "pools.yaml:12".
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// A writing is where an object is written: in a document, and there at a path, such as items[3].
type writing struct {
	file  string
	in    *document
	path  string
	start int // in JSON, where it begins in the document
}

// at returns the place of a part of the object.
func (w writing) at(path string) Place { return Place{w.file, w.line(path)} }

// faults returns warnings about the object with their places. They quote what is written, not what YAML makes of it.
func (w writing) faults(warnings []candidate.Warning) (faults []Fault) {
	for _, one := range warnings {
		written := w.written(one.Field)
		after, quoted := strings.CutPrefix(one.Message, one.Value+" ")
		if quoted && written != "" && written != one.Value {
			one.Message = fmt.Sprintf("%s, which YAML reads as %s, %s", wording.Quote(written), one.Value, after)
		}
		if IsTemplate([]byte(one.Value)) {
			one.Message += "; " + renderFirst
		}
		faults = append(faults, Fault{one, w.at(blamed(one))})
	}
	return faults
}

// blamed returns the path of a faulty value. For an unknown field, it is the path of that field.
func blamed(w candidate.Warning) string {
	if match := blamedField.FindStringSubmatch(w.Message); match != nil {
		if name, err := strconv.Unquote(match[1]); err == nil {
			return w.Field + ".[" + name + "]"
		}
	}
	return w.Field
}

var blamedField = regexp.MustCompile(`^field ("(?:[^"\\]|\\.)*")`)
