package tell

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
)

// IsFault reports whether a warning is of something broken, and not of what merely has no effect.
func IsFault(w candidate.Warning) bool {
	switch w.Code {
	case candidate.CodeInvalidAnnotation, candidate.CodeNoEffect, candidate.CodeSeveralSequential, manifest.CodeMostSpecific, manifest.CodeRequiredBefore:
		return false
	}
	return true
}
