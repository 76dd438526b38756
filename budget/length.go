package budget

import (
	"math"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A length is a field that says how long something lasts, in whole hours and minutes, and what to write into it.
type length struct {
	field, means, zero, examples, long string
	longest                            time.Duration
}

var (
	ofDuration = length{"duration", "write how long the budget stays active after each hit, such as 8h",
		"write a longer one, or delete the budget", "8h, 90m or 1h30m",
		"longer than 292 years: leave schedule and duration out for always", math.MaxInt64}
	ofPer = length{"per", perMeans, perMeans, "1h, 90m or 24h", "longer than a year: write at most 8784h",
		LongestPeriod}
	ofSoak = length{"soak", soakMeans, soakMeans + ", or leave it out", "10m, 1h or 1h30m",
		"longer than 30 days: write at most 720h", mostSoak}
)

const (
	perMeans  = "write the time within which so many nodes may start, such as 1h"
	soakMeans = "write how long a place stays taken after its node is gone, such as 10m"
)

// length reads what a field says. What cannot be used is a fault, and 0.
func (c *checker) length(of length, text string) time.Duration {
	d, err := time.ParseDuration(text)
	fault := ""
	switch {
	case d < 0:
		fault = "negative: " + of.means
	case err == nil && d == 0:
		fault = "zero: " + of.zero
	case !wording.Whole(text):
		fault = "not in whole hours and minutes: write one such as " + of.examples
	case err != nil || d > of.longest:
		fault = of.long
	default:
		return d
	}
	c.fault(of.field, text, "%s %.100q is %s", of.field, text, fault)
	return 0
}
