// Package race asks Karpenter and disruptkit the same questions, so that their times can be compared. A race is only
// made where both give the same answers.
package race

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Race is a question that both answer.
type Race struct {
	Rule string
	Size string // of what the question is about; "" where it has none
	// Karpenter and DisruptKit are the two benchmarks.
	Karpenter, DisruptKit func(*testing.B)
}

// The reason that all races are about.
const (
	karpenterReason  = v1.DisruptionReasonDrifted
	disruptkitReason = candidate.Drifted
)

// friday is in a window of office hours.
var friday = time.Date(2026, time.November, 20, 12, 34, 56, 0, time.UTC)

// still is a clock that costs nothing: it stands still.
type still struct {
	clock.Clock
	now time.Time
}

func (s *still) Now() time.Time { return s.now }

// count describes how many of something there are: "10,000 nodes".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(int64(n)) + " " + thing
}

// Grouped writes a number that is not negative with commas.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
