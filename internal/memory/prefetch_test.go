package memory_test

import (
	"slices"
	"testing"

	"github.com/disruptkit/disruptkit/internal/memory"
)

// Each element is read once, before it is yielded, and all are yielded in order, however many there are.
func TestEachElementIsReadAndThenYielded(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 128, 200} {
		list, read := make([]int, n), []int{}
		for i := range list {
			list[i] = i
		}
		yielded := 0
		for i, element := range memory.ReadAhead(list, func(element *int) int { read = append(read, *element); return *element }) {
			if i != yielded || element != &list[i] {
				t.Fatalf("of %d, the element at %d comes as number %d", n, i, yielded)
			}
			if !slices.Contains(read, i) {
				t.Fatalf("of %d, the element at %d is yielded before it is read", n, i)
			}
			yielded++
		}
		if yielded != n || !slices.Equal(read, list) {
			t.Errorf("of %d, %d are yielded, and %d read", n, yielded, len(read))
		}
	}
}

func TestNothingIsReadAfterTheLoopEnds(t *testing.T) {
	read := 0
	for i := range memory.ReadAhead(make([]int, 1000), func(*int) int { read++; return 0 }) {
		if i == 10 {
			break
		}
	}
	if read > 100 {
		t.Errorf("%d elements are read for a loop over 11", read)
	}
}

func TestTextOfTheEmptyString(t *testing.T) {
	if memory.Touch("") != 0 || memory.Touch("a") != 'a' {
		t.Error("the first byte counts, and the empty string has none")
	}
}
