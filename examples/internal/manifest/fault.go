package manifest

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/disruptkit/disruptkit/candidate"
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

// blamed returns the path of a faulty value. For an unknown field, it is the path of that field.
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
