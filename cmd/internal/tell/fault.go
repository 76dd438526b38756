package tell

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/mistake"
)

// IsFault reports whether a warning is of something broken, which blocks nodes until it is repaired. Anything else is
// a remark: about what has no effect, about a pause without an end, or about a zone that no node is in.
func IsFault(w candidate.Warning) bool {
	switch w.Code {
	case candidate.CodeInvalidAnnotation: // pods and nodes go on as if it were not there
		return annotation.HoldsBack(w)
	case candidate.CodeNoEffect, candidate.CodeNoEnd, candidate.CodeUnknownDomain,
		mistake.CodeSeveralSequential, manifest.CodeMostSpecific, manifest.CodeRequiredBefore:
		return false
	}
	return true
}
