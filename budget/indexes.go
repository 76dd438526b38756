package budget

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// Indexes is a set of positions in Set.Budgets, from 0 to 63. A valid list has at most 50 budgets.
type Indexes uint64

// mostIndexes is how many positions Indexes can have.
const mostIndexes = 64

// Add adds a position, unless it is below 0.
func (x *Indexes) Add(i int) {
	if i >= 0 {
		*x |= 1 << i
	}
}

// Has reports whether i is one of the positions.
func (x Indexes) Has(i int) bool { return 0 <= i && x>>i&1 != 0 }

// All yields the positions in ascending order.
func (x Indexes) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; x != 0; x &= x - 1 {
			if !yield(bits.TrailingZeros64(uint64(x))) {
				return
			}
		}
	}
}

// String returns "0,3".
func (x Indexes) String() string {
	var texts []string
	for i := range x.All() {
		texts = append(texts, strconv.Itoa(i))
	}
	return strings.Join(texts, ",")
}
