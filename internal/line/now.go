package line

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// Decide decides which requests of the line go now. A request goes if every gate lets it go, given those before it that
// go. The answers are Request.Goes and Request.Displaced.
func (row *Row) Decide() {
	for i := range row.Requests {
		r := &row.Requests[i]
		r.Alone = row.lets(r) // no request goes yet, so the order does not matter
	}
	for _, r := range row.Line {
		if !r.Alone {
			continue // those that go leave no more room
		}
		r.Goes = row.lets(r)
		r.Displaced = !r.Goes && !row.node.GoesAlready(r)
		if r.Goes {
			row.Go(r)
			row.going = append(row.going, r)
		}
	}
}

// lets reports whether every gate lets a request go, or the waiver does in its stead. It asks the last gates first,
// because they are the cheapest to ask: whole kinds of requests share their answers.
func (row *Row) lets(r *gate.Request) bool {
	for i := len(row.gates) - 1; i >= 0; i-- {
		s := &row.gates[i]
		if len(s.Judge(r)) > 0 && !(s.excuses(r) && s.Waiver.Waives(r)) {
			return false
		}
	}
	return true
}

// excuses reports whether the waiver excuses a request from the gate, or would if few nodes were in flight.
func (s *Stage) excuses(r *gate.Request) bool {
	return s.Waiver != nil && r.Kind != nil && r.Kind.Excused
}

// Judge writes what each gate says of a request into said. It asks every gate, even if an earlier one holds the request
// back, because people are told of all that do. Gates from which the request is excused say nothing. What the waiver
// says in their stead stands at its own position (Stage.WaiverAt), which is never before the gates that it covers.
func (row *Row) Judge(r *gate.Request, said [][]candidate.Blocker) {
	for i := range row.gates {
		s := &row.gates[i]
		if said[i] = s.Judge(r); len(said[i]) > 0 && s.excuses(r) {
			said[i], row.excused[s.WaiverAt] = nil, true
		}
		if row.excused[i] { // this gate is the waiver, of itself or of one before it
			if row.excused[i] = false; !s.Waiver.Waives(r) {
				said[i] = s.Waiver.Refuse(r)
			}
		}
	}
}

// Go tells every gate that counts that a request goes.
func (row *Row) Go(r *gate.Request) {
	for _, g := range row.counting {
		g.Go(r)
	}
}

// Reopen undoes everything that Decide told the gates, so that the line can be read again from its start.
func (row *Row) Reopen() {
	for _, r := range slices.Backward(row.going) {
		for _, g := range row.counting {
			g.Return(r)
		}
	}
}
