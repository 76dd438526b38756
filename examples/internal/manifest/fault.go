package manifest

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Fault is what is wrong with an input, and where.
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

// blamed returns the path of what a fault is of: of an object with a field that is not known, that field.
func blamed(w candidate.Warning) string {
	match := blamedField.FindStringSubmatch(w.Message)
	if match == nil {
		return w.Field
	}
	name, err := strconv.Unquote(match[1])
	if err != nil {
		return w.Field
	}
	return w.Field + ".[" + name + "]"
}

var blamedField = regexp.MustCompile(`^field ("(?:[^"\\]|\\.)*")`)
