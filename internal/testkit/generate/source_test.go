package generate_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// all returns the values that a generator of two choices makes of any of them.
func all(n int, generator func(generate.Source) int) []int {
	values := map[int]bool{}
	for first := range n {
		for second := range n {
			choices := []int{first, second}
			values[generator(func(n int) int {
				choice := choices[0]
				choices = choices[1:]
				return min(choice, n-1)
			})] = true
		}
	}
	return slices.Sorted(maps.Keys(values))
}

func TestBetweenMakesAllNumbersOfItsRangeAndNoOther(t *testing.T) {
	for _, c := range []struct {
		low, high int
		want      []int
	}{
		{0, 0, []int{0}}, {0, 2, []int{0, 1, 2}}, {3, 5, []int{3, 4, 5}}, {-1, 0, []int{-1, 0}}, {-2, 1, []int{-2, -1, 0, 1}},
	} {
		if diff := cmp.Diff(c.want, all(9, func(s generate.Source) int { return s.Between(c.low, c.high) })); diff != "" {
			t.Errorf("from %d to %d: %s", c.low, c.high, diff)
		}
	}
}

func TestTheSmallestChoicesMakeTheSimplestValues(t *testing.T) {
	smallest := generate.Source(func(int) int { return 0 })
	if in := generate.Input(smallest); len(in.Pools)+len(in.Nodes)+len(in.Verdicts)+len(in.Rules.PDBs()) > 0 {
		t.Errorf("%+v", in)
	}
	n, healthy := generate.Node(generate.Time(smallest))(smallest), candidate.Node{Phase: candidate.Running}
	n.Labels = nil
	if diff := cmp.Diff(healthy, n); diff != "" {
		t.Error(diff)
	}
}

// A loop that needs no shrinking takes the choices of math/rand.
func TestAnySourceWillDo(t *testing.T) {
	source, allowed := rand.New(rand.NewPCG(1, 2)).IntN, 0
	for range 200 {
		allowed += len(disruptkit.Decide(generate.Input(source), "").Allowed)
	}
	if allowed == 0 {
		t.Error("no node may go in any of 200 inputs")
	}
}
