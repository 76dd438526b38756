package memory_test

import (
	"testing"

	"github.com/disruptkit/disruptkit/internal/memory"
)

func TestAfterAResetTheSameMemoryIsUsedAgainAndEmpty(t *testing.T) {
	var a memory.Arena[*int]
	seven := new(int)
	var first []*int
	for range 100 {
		if list := a.Keep([]*int{seven, seven, seven}); first == nil {
			first = list
		}
	}
	a.Reset()
	if first[0] != nil {
		t.Error("what was kept before the reset is still held in memory")
	}
	allocated := testing.AllocsPerRun(10, func() {
		for range 100 {
			a.Keep(first)
		}
		a.Reset()
	})
	if allocated > 0 {
		t.Errorf("%v allocations where memory from before the reset would do", allocated)
	}
}

func TestAListThatFitsInNoOldArrayGetsANewOne(t *testing.T) {
	var a memory.Arena[int]
	a.Keep([]int{1})
	a.Reset()
	if list := a.Keep([]int{1, 2, 3}); len(list) != 3 || list[2] != 3 {
		t.Errorf("kept %v", list)
	}
}
