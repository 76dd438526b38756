package memory_test

import (
	"slices"
	"testing"

	"github.com/disruptkit/disruptkit/internal/memory"
	"pgregory.net/rapid"
)

func TestListsStayAsTheyWereKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a memory.Arena[int]
		var kept, want [][]int
		for i, n := range rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "lengths") {
			var one, list []int
			for j := range n {
				one = append(one, 100*i+j)
			}
			if rapid.Bool().Draw(t, "begun") {
				list = a.End(append(a.Begin(), one...))
			} else {
				list = a.Keep(one[:n/2], one[n/2:])
			}
			if cap(list) > len(list) {
				t.Fatalf("to append to the list of %d would write into the next one", n)
			}
			kept, want = append(kept, list), append(want, one)
		}
		for i := range kept {
			if !slices.Equal(kept[i], want[i]) {
				t.Fatalf("list %d is %v, not %v", i, kept[i], want[i])
			}
		}
	})
}

func TestAListThatFitsIsNotCopied(t *testing.T) {
	var a memory.Arena[int]
	a.Keep([]int{1}, []int{2}) // the next array has space for four
	a.Keep([]int{3})
	begun := append(a.Begin(), 4, 5)
	if kept := a.End(begun); &kept[0] != &begun[0] {
		t.Error("the list was copied")
	}
}

// A decision on as many candidates as the one before needs no new memory.
func TestAnArenaThatIsResetNeedsNoNewMemory(t *testing.T) {
	var a memory.Arena[int]
	fill := func() {
		for n := range 500 {
			a.Keep(make([]int, n%9), make([]int, n%7))
		}
		a.Reset()
	}
	lists := testing.AllocsPerRun(1, func() { // AllocsPerRun fills it once before it counts
		for n := range 500 {
			_, _ = make([]int, n%9), make([]int, n%7)
		}
	})
	if n := testing.AllocsPerRun(1, fill); n > lists {
		t.Errorf("%.0f arrays are made anew", n-lists)
	}
}
