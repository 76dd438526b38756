package tell

import "github.com/disruptkit/disruptkit/candidate"

// IsFault reports whether a warning is of something broken, and not of what merely has no effect.
func IsFault(w candidate.Warning) bool {
	switch w.Code {
	case candidate.CodeInvalidAnnotation, candidate.CodeNoEffect, candidate.CodeSeveralSequential:
		return false
	}
	return true
}
