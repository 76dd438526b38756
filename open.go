package disruptkit

import (
	"github.com/disruptkit/disruptkit/candidate"
)

// openRow reads the input, puts the requests in line, and opens the gates.
func openRow(in gateInput) *row {
	f := readFleet(in)
	row := &row{fleet: f}
	row.register(f)
	row.said = make([][]candidate.Blocker, len(row.gates))
	q := &lineReader{row: row}
	for _, s := range row.gates {
		if w, watches := s.gate.(watcher); watches {
			q.watchers = append(q.watchers, w)
		}
		if r, reads := s.gate.(requestReader); reads {
			q.readers = append(q.readers, r)
		}
		if l, lasts := s.gate.(lasting); lasts {
			row.lasts = append(row.lasts, l)
		}
	}
	q.readNodes()
	for _, s := range row.gates {
		if o, opens := s.gate.(opener); opens {
			o.Open()
		}
	}
	return row
}

// lasting returns what gates say of a request whatever else is disrupted.
func (row *row) lasting(r *request) (blockers []candidate.Blocker) {
	for _, l := range row.lasts {
		blockers = joined(blockers, l.Lasting(r))
	}
	return blockers
}
