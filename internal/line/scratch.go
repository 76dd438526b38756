package line

import (
	"slices"
	"sync"

	"github.com/disruptkit/disruptkit/internal/gate"
)

// A scratch is memory that a decision needs only while it is made. Its answer holds none of it, so the next decision
// may have it. That is a third of what a decision would allocate otherwise, and on one core the time of the collector
// is the decision's own.
type scratch struct {
	requests []gate.Request
	line     []*gate.Request
	tickets  [2][]ticket // a list, and the one that it is sorted into
}

// scratches holds no values, only empty memory, so no decision depends on those before it.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// reserve makes room for a number of requests.
func (s *scratch) reserve(n int) {
	s.requests = slices.Grow(s.requests[:0], n)
	s.line = slices.Grow(s.line[:0], n)
	for i := range s.tickets {
		s.tickets[i] = slices.Grow(s.tickets[i][:0], n)
	}
}

// Close ends the use of the row and its requests, and leaves their memory to the next row.
func (row *Row) Close() {
	for i := range row.gates {
		if c, closes := row.gates[i].Gate.(gate.Closer); closes {
			c.Close()
		}
	}
	s := row.scratch
	clear(row.Requests) // so that it keeps nothing of the input alive
	clear(row.Line)
	s.requests, s.line = row.Requests[:0], row.Line[:0]
	*row = Row{}
	scratches.Put(s)
}
