package repair_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/repair"
)

func TestTooManyUnhealthyNodes(t *testing.T) {
	karpenter := repair.Breaker{Percent: 20}
	for _, c := range []struct {
		name             string
		breaker          repair.Breaker
		nodes, unhealthy int
		want             string // "" is nothing
	}{
		{"no nodes", karpenter, 0, 0, ""},
		{"a healthy pool", karpenter, 10, 0, ""},
		{"exactly 20 %", karpenter, 10, 2, ""},
		{"more than 20 %", karpenter, 10, 3, "probe/too-many-unhealthy: 3 unhealthy nodes of 10 in the pool: repair stops above 2 (20 %)"},
		{"one in a small pool can be repaired", karpenter, 1, 1, ""},
		{"two of two cannot", karpenter, 2, 2, "probe/too-many-unhealthy: 2 unhealthy nodes of 2 in the pool: repair stops above 1 (20 %)"},
		{"it rounds up", karpenter, 11, 3, ""},
		{"and no further", karpenter, 11, 4, "probe/too-many-unhealthy: 4 unhealthy nodes of 11 in the pool: repair stops above 3 (20 %)"},
		{"the zero Breaker stops at the first", repair.Breaker{}, 1000, 1, "probe/too-many-unhealthy: 1 unhealthy node of 1000 in the pool: repair stops above 0 (0 %)"},
		{"the zero Breaker lets a healthy pool be", repair.Breaker{}, 1000, 0, ""},
		{"at 100 % it never stops", repair.Breaker{Percent: 100}, 10, 10, ""},
		{"more that are unhealthy than there are", repair.Breaker{Percent: 100}, -1, 1, "probe/too-many-unhealthy: 1 unhealthy node of 0 in the pool: repair stops above 0 (100 %)"},
		{"a negative percentage stops everything", repair.Breaker{Percent: -1}, 10, 0, "probe/invalid-probe: the repair breaker is invalid: percent: -1 is out of range: write 0 to 100, such as 20"},
		{"so does one over 100", repair.Breaker{Percent: 101}, 10, 0, "probe/invalid-probe: the repair breaker is invalid: percent: 101 is out of range: write 0 to 100, such as 20"},
	} {
		b, blocked := c.breaker.Blocker(c.nodes, c.unhealthy)
		if blocked != (c.want != "") || blocked && b.String() != c.want || !blocked && b != (candidate.Blocker{}) {
			t.Errorf("%s: %t %s", c.name, blocked, b)
		}
	}
}

// TestTheBreakerRoundsUp compares with exact fractions.
func TestTheBreakerRoundsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, math.MaxInt)).Draw(t, "nodes")
		percent := rapid.IntRange(0, 100).Draw(t, "percent")
		share := new(big.Int).Mul(big.NewInt(int64(nodes)), big.NewInt(int64(percent)))
		most, rest := new(big.Int).DivMod(share, big.NewInt(100), new(big.Int))
		if rest.Sign() > 0 {
			most.Add(most, big.NewInt(1))
		}
		for _, unhealthy := range []int64{0, most.Int64() - 1, most.Int64(), most.Int64() + 1, int64(nodes)} {
			_, got := repair.Breaker{Percent: percent}.Blocker(nodes, int(unhealthy))
			if diff := cmp.Diff(big.NewInt(unhealthy).Cmp(most) > 0, got); diff != "" && unhealthy >= 0 {
				t.Fatalf("%d of %d: %s", unhealthy, nodes, diff)
			}
		}
	})
}
