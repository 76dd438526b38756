package main

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/karpenter/internal/race"
)

// measure runs a race for some rounds. The two sides take turns, so that whatever else the machine does meanwhile
// slows down both.
func measure(r race.Race, rounds int, benchtime time.Duration) (row, error) {
	// testing.Benchmark takes its time from the flags of go test.
	if err := flag.Set("test.benchtime", (benchtime / time.Duration(rounds)).String()); err != nil {
		return row{}, err
	}
	var karpenter, disruptkit []testing.BenchmarkResult
	for range rounds {
		karpenter = append(karpenter, testing.Benchmark(r.Karpenter))
		disruptkit = append(disruptkit, testing.Benchmark(r.DisruptKit))
	}
	for _, result := range slices.Concat(karpenter, disruptkit) {
		if result.N == 0 {
			return row{}, fmt.Errorf("%s %s: a benchmark failed", r.Rule, r.Size)
		}
	}
	return row{r.Rule, r.Size, median(karpenter), median(disruptkit)}, nil
}

// median returns the cost of the result in the middle.
func median(results []testing.BenchmarkResult) cost {
	var costs []cost
	for _, r := range results {
		costs = append(costs, cost{float64(r.T.Nanoseconds()) / float64(r.N), r.AllocsPerOp()})
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(a.nanos, b.nanos) })
	return costs[len(costs)/2]
}
