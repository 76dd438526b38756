package plan_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

func TestEachDurationOfAListIsAsLikelyAsTheOthers(t *testing.T) {
	takes := plan.OneOf(20*time.Minute, time.Minute, 3*time.Minute, time.Minute)
	for _, test := range []struct {
		chance float64
		want   time.Duration
	}{
		{-1, time.Minute}, {0, time.Minute}, {0.49, time.Minute}, {0.5, 3 * time.Minute}, {0.74, 3 * time.Minute},
		{0.75, 20 * time.Minute}, {math.Nextafter(1, 0), 20 * time.Minute}, {1, 20 * time.Minute}, {2, 20 * time.Minute},
	} {
		if got := takes(candidate.Node{}, time.Time{}, test.chance); got != test.want {
			t.Errorf("at %v it takes %s, want %s", test.chance, got, test.want)
		}
	}
	if got := plan.OneOf()(candidate.Node{}, time.Time{}, 0.5); got != 0 {
		t.Errorf("without durations it takes %s", got)
	}
}

// draws lists the chances that a step of each node is given, with launches and drains that take no time.
func draws(t *testing.T, seed uint64, names ...string) (launches, drains []float64) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}}
	for _, name := range names {
		n := fixture.Fleet(0, 1)[0]
		n.Name = name
		in.Nodes = append(in.Nodes, n)
	}
	seen := func(to *[]float64) plan.Takes {
		return func(n candidate.Node, at time.Time, chance float64) time.Duration {
			if chance > 0 && chance < math.Nextafter(1, 0) { // else the shortest and the longest are asked for
				*to = append(*to, chance)
			}
			return 0
		}
	}
	plan.Run(in, plan.Options{Model: plan.Model{Launch: seen(&launches), Drain: seen(&drains), Seed: seed}})
	return launches, drains
}

// Names as clusters have them: they differ in their last digits alone.
func TestChanceIsEvenForSimilarNamesAndSeedsAndStepsDoNotFollowEachOther(t *testing.T) {
	const many = 2000
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("ip-10-0-%d-%d.us-west-2.compute.internal", i/250, i%250))
	}
	launches, drains := draws(t, 1, names...)
	_, others := draws(t, 2, names...)
	for what, list := range map[string][]float64{"launches": launches, "drains": drains} {
		var tenths [10]int
		for _, c := range list {
			tenths[int(c*10)]++
		}
		for i, n := range tenths {
			if n < many/10*8/10 || n > many/10*12/10 {
				t.Errorf("%s: %d of %d are in tenth %d", what, n, many, i)
			}
		}
	}
	for what, pair := range map[string][2][]float64{"steps": {launches, drains}, "seeds": {drains, others}} {
		if len(pair[0]) != many || len(pair[1]) != many {
			t.Fatalf("%s: %d and %d draws", what, len(pair[0]), len(pair[1]))
		}
		sum := 0.0
		for i := range many {
			sum += (pair[0][i] - 0.5) * (pair[1][i] - 0.5) * 12
		}
		if r := sum / many; math.Abs(r) > 0.08 {
			t.Errorf("%s correlate by %.2f", what, r)
		}
	}
}
