package testkit

import (
	"flag"
	"testing"
)

// Main runs the tests of a package with many laws: with 10 cases of each, so that all tests of the module take a
// minute. The flag -rapid.checks and RAPID_CHECKS say otherwise: the step test of .ci/run draws 25, and CI draws 20,000
// cases of the laws of times each night.
func Main(m *testing.M) {
	flag.Parse()
	given := flag.Lookup("rapid.checks").DefValue != "100"
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "10"); err != nil {
			panic(err) // rapid has that flag
		}
	}
	m.Run()
}
