package gate

import "slices"

// Decide decides which of the line go now: each that every gate lets go while those before it go, too. The answers are
// Request.Goes and Request.Displaced.
func (row *Row) Decide() {
	for i := range row.Line {
		r := &row.Line[i]
		r.Displaced = row.lets(r) // nobody goes yet
	}
	for i := range row.Line {
		r := &row.Line[i]
		r.Goes = row.lets(r)
		r.Displaced = r.Displaced && !r.Goes && !row.Node.goesAlready(r)
		if r.Goes {
			row.Go(r)
		}
	}
}

// lets reports whether every gate lets a request go. It asks the last gates first: what they say is known for whole kinds of
// requests.
func (row *Row) lets(r *Request) bool {
	for _, g := range slices.Backward(row.gates[:]) {
		if len(g.Judge(r)) > 0 {
			return false
		}
	}
	return true
}

// Judge returns what every gate says of a request, whatever the gates before it say: no reason hides another.
func (row *Row) Judge(r *Request) (said Blockers) {
	for i, g := range row.gates {
		said[i] = g.Judge(r)
	}
	return said
}

// Go tells every gate that a request goes.
func (row *Row) Go(r *Request) {
	for _, g := range row.gates {
		g.Go(r)
	}
}

// Reopen takes back everything that Decide told the gates, so that the line can be read again from its start.
func (row *Row) Reopen() {
	for i := len(row.Line) - 1; i >= 0; i-- {
		if r := &row.Line[i]; r.Goes {
			for _, g := range row.gates {
				g.Return(r)
			}
		}
	}
}
