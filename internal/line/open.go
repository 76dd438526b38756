package line

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// Open reads the input, puts the requests in line, and opens the gates.
func Open(in gate.Input) *Row {
	f := gate.ReadFleet(in)
	row := &Row{Fleet: f}
	row.register(f)
	row.said = make([][]candidate.Blocker, len(row.gates))
	q := &reader{Row: row}
	for _, s := range row.gates {
		if w, watches := s.Gate.(gate.Watcher); watches {
			q.watchers = append(q.watchers, w)
		}
		if r, reads := s.Gate.(gate.Reader); reads {
			q.readers = append(q.readers, r)
		}
		if l, lasts := s.Gate.(gate.Lasting); lasts {
			row.lasts = append(row.lasts, l)
		}
	}
	q.readNodes()
	for _, s := range row.gates {
		if o, opens := s.Gate.(gate.Opener); opens {
			o.Open()
		}
	}
	return row
}

// lasting returns what gates say of a request whatever else is disrupted.
func (row *Row) lasting(r *gate.Request) (blockers []candidate.Blocker) {
	for _, l := range row.lasts {
		blockers = gate.Joined(blockers, l.Lasting(r))
	}
	return blockers
}
