package gate

import "slices"

// Decide decides which requests of the line go now. A request goes if every gate lets it go, given those before it that go. The
// answers are Request.Goes and Request.Displaced.
func (row *Row) Decide() {
	for i := range row.Requests {
		r := &row.Requests[i]
		r.alone = row.lets(r) // no request goes yet, so the order does not matter
	}
	for _, r := range row.Line {
		if !r.alone {
			continue // those that go leave no more room
		}
		r.Goes = row.lets(r)
		r.Displaced = !r.Goes && !row.Node.goesAlready(r)
		if r.Goes {
			row.Go(r)
			row.going = append(row.going, r)
		}
	}
}

// lets reports whether every gate lets a request go. It asks the last gates first, because they are the cheapest to ask: whole
// kinds of requests share their answers.
func (row *Row) lets(r *Request) bool {
	for _, g := range slices.Backward(row.gates[:]) {
		if len(g.Judge(r)) > 0 {
			return false
		}
	}
	return true
}

// Judge returns what each gate says of a request. It asks every gate, even if an earlier one holds the request back.
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

// Reopen undoes everything that Decide told the gates, so that the line can be read again from its start.
func (row *Row) Reopen() {
	for _, r := range slices.Backward(row.going) {
		for _, g := range row.gates {
			g.Return(r)
		}
	}
}
