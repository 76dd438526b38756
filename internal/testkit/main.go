package testkit

import (
	"flag"
	"runtime/debug"
	"testing"
)

// Cases is how many cases of a law Main draws.
const Cases = "10"

// Main runs the tests of a package with many laws: with few [Cases] of each, so that all tests of the module take a
// minute. The flag -rapid.checks and RAPID_CHECKS say otherwise: the step test of .ci/run draws 25, and CI draws 20,000
// cases of the laws of times each night.
func Main(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400) // a fifth less CPU, for memory that tests do not need
	given := flag.Lookup("rapid.checks").DefValue != "100"
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", Cases); err != nil {
			panic(err) // rapid has that flag
		}
	}
	m.Run()
}
