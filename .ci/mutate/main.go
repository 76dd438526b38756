// Command mutate changes the code of some packages, one small change at a time, and lists the changes that no test
// notices.
//
//	go run .                                         # in this directory: only lists the changes
//	go run . -run                                    # tries them all: some hours on two cores
//	go run . -run -in . -only gate_zones_zoning.go: # those of one file: some minutes
//
// All mutants are compiled into the same test binaries, each behind a switch that the environment variable
// DISRUPTKIT_MUTANT turns on. So each package is built once, and a mutant costs no more than the tests that reach it,
// up to the first that fails.
//
// Some mutants survive and are no gap in the tests, because they change no answer. Each of those stands in judged.txt
// with the reason. The command fails if fewer than -least percent of all others are killed.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

type options struct {
	root      string
	in, tests []string // packages: to change, and whose tests must notice
	only, not string   // text of positions
	sample    int
	seed      uint64
	least     float64
	workers   int
	run       bool
}

// tested are the packages with tests that are likely to notice.
const tested = ".,topology,budget,internal/testkit/story"

func main() {
	o := options{}
	in := flag.String("in", ".,topology,budget",
		"the packages to change, relative to the root module")
	tests := flag.String("tests", tested, "the packages whose tests must notice")
	flag.StringVar(&o.root, "root", "../..", "the root module")
	flag.StringVar(&o.only, "only", "", "only mutants whose position contains this text, such as zoning.go:104:")
	flag.StringVar(&o.not, "not", "", "no mutants whose position contains this text")
	flag.IntVar(&o.sample, "sample", 0, "how many mutants to try, drawn by -seed; 0: all")
	flag.Uint64Var(&o.seed, "seed", 1, "which sample")
	flag.Float64Var(&o.least, "least", 95, "the percentage that must be killed of the mutants that are not judged")
	flag.IntVar(&o.workers, "workers", 2, "how many tests run at a time")
	flag.BoolVar(&o.run, "run", false, "run the tests; without it, the mutants are only listed")
	flag.Parse()
	o.in, o.tests = strings.Split(*in, ","), strings.Split(*tests, ",")
	if err := o.try(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func (o options) try() error {
	known, err := readJudged("judged.txt")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mutants, overlay, err := mutateAll(o.root, o.in, dir)
	if err != nil {
		return err
	}
	if !o.run {
		for _, m := range o.chosen(mutants) {
			fmt.Println(m)
		}
		return nil
	}
	suites, err := build(o.root, o.tests, overlay, dir)
	if err != nil {
		return err
	}
	for _, s := range suites {
		if err := s.trace(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d mutants in %.1f s\n", s.name, len(s.reaches), s.took.Seconds())
	}
	chosen := o.chosen(mutants)
	alive := survivors(suites, chosen, o.workers, func(done int) {
		if done%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", done, len(chosen))
		}
	})
	return report(os.Stdout, chosen, alive, known, o.least)
}

// chosen returns the mutants to try, in the order of the code.
func (o options) chosen(all []mutant) []mutant {
	chosen := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return !strings.Contains(m.position(), o.only) || o.not != "" && strings.Contains(m.position(), o.not)
	})
	if o.sample > 0 && o.sample < len(chosen) {
		rand.New(rand.NewPCG(o.seed, 0)).Shuffle(len(chosen),
			func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.sample]
		slices.SortFunc(chosen, func(a, b mutant) int { return a.number - b.number })
	}
	return chosen
}
