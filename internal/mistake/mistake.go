// Package mistake has codes of mistakes in the input that programs mend rather than handle. They are stable, like those
// of package candidate.
package mistake

// The codes, as values of candidate.Code.
const (
	CodeNegative          = "negative"           // a number or a duration is negative
	CodeNoName            = "no-name"            // the node has no name
	CodeNoTime            = "no-time"            // the decision has no time, or, of a Warning, a start
	CodeSeveralSequential = "several-sequential" // of a Warning: more than one budget of a pool is sequential
	CodeUnknownPhase      = "unknown-phase"      // the phase of the node is unknown
)
