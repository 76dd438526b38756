// Package mistake has the codes of mistakes in the input that a program mends rather than handles. They are stable, like
// those of package candidate. Several packages use each of them.
package mistake

// The codes, as values of candidate.Code.
const (
	CodeNegative          = "negative"           // a number or a duration is negative
	CodeNoName            = "no-name"            // the node has no name
	CodeNoTime            = "no-time"            // the decision has no time, or, of a Warning, a start
	CodeSeveralSequential = "several-sequential" // of a Warning: more than one budget of a pool is sequential
	CodeUnknownPhase      = "unknown-phase"      // the phase of the node is unknown
)
