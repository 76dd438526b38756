package memory

import (
	"iter"
	"runtime"
)

// ahead is how many elements are read in advance: enough for the processor to fetch many at once, and few enough to be
// still in the cache when needed.
const ahead = 64

// ReadAhead yields the positions and elements of a list. It calls read for each element shortly before. The result of
// read must depend on the memory to fetch, or the compiler removes the reads.
func ReadAhead[T any](list []T, read func(*T) int) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for from := 0; from < len(list); from += ahead {
			to, sum := min(from+ahead, len(list)), 0
			for i := from; i < to; i++ {
				sum += read(&list[i])
			}
			runtime.KeepAlive(sum == 0)
			for i := from; i < to; i++ {
				if !yield(i, &list[i]) {
					return
				}
			}
		}
	}
}

// Touch reads the text of a string.
func Touch(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}
