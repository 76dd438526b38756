package main

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// kinds are the generators of random cases: each part of a decision has one that exercises it.
var kinds = []struct {
	name  string
	input func(generate.Source) disruptkit.Input
}{
	{"any", generate.Input}, {"zones", generate.WaitingInZones}, {"turns", generate.Turning}, {"budgets", generate.Waiting},
	{"groups", generate.Grouped}, {"groups-in-zones", generate.GroupedInZones}, {"paces", generate.Paced}, {"dates", generate.Dated},
	{"waves", generate.Waved}, {"order", generate.Ordered}, {"ages", generate.Aged}, {"missing", generate.Desired},
	{"inbound", generate.Inbound},
}

// drawn returns as many random cases. Each depends on the seed and its number alone.
func drawn(seed uint64, cases int) iter.Seq2[replay.Case, error] {
	return func(yield func(replay.Case, error) bool) {
		for i := range cases {
			if !yield(draw(seed, i)) {
				return
			}
		}
	}
}

// draw returns a case. Generators make times that JSON cannot express as well; those are drawn again.
func draw(seed uint64, i int) (c replay.Case, err error) {
	source := rand.New(rand.NewPCG(seed, uint64(i)))
	kind := kinds[i%len(kinds)]
	for range 100 {
		in, asked := kind.input(source.IntN), generate.Asked(source.IntN)
		c, err = replay.New(fmt.Sprintf("random-%d/%s-%d", seed, kind.name, i), in, disruptkit.Decide(in, asked))
		if err == nil {
			return c, nil
		}
	}
	return c, fmt.Errorf("case %d of seed %d: %w", i, seed, err)
}
