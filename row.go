package disruptkit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/memory"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A row is the gates, open on one input, with the requests that stand before them.
type row struct {
	*fleet
	Line []*request // the requests for the decision's reason, in order

	// The gates whose numbers a decision shows.
	Signals *signalGate
	Backoff *backoffGate
	Budgets *book
	Zones   *zoneGate
	Waves   *waveGate

	Disrupted []*request // those that the session disrupts, in order

	gates []stage
	lasts []lasting
	said  [][]candidate.Blocker // scratch of Blockers, by gate
	lists memory.Arena[candidate.Blocker]

	misspelt candidate.Reason // a child that nodes have and that the decision's reason is one letter from; "": none

	withoutOrder map[*scope]bool // see untold
}

// openRow reads the input, puts the requests in line, and opens the gates.
func openRow(in Input, reason candidate.Reason) *row {
	f := readFleet(in, reason)
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

// Warnings returns the warnings about a pool.
func (row *row) Warnings(p *scope) []candidate.Warning {
	if p.Ambiguous {
		return []candidate.Warning{{
			Code: candidate.CodeUnknownPool, Object: "NodePool/" + p.Name, Field: "name", Value: p.Name,
			Message: fmt.Sprintf("several pools are called %q, and it is unclear whose budgets apply: "+
				"write each pool once", p.Name),
		}}
	}
	all := slices.Concat(p.Budgets.Warnings(), row.Zones.Warnings(p), row.Budgets.ReasonWarnings(p),
		row.orderWarnings(p))
	for i := range all {
		all[i].Object = p.Object()
	}
	return append(all, p.PhaseWarnings()...)
}

// AskedWarnings says that the decision's reason is one letter from a child that nodes have.
func (row *row) AskedWarnings() []candidate.Warning {
	if row.misspelt == "" {
		return nil
	}
	return []candidate.Warning{{
		Code: candidate.CodeUnknownReason, Field: "reason", Value: string(row.Reason),
		Message: fmt.Sprintf("nodes with the reason %.100q are no candidates for %.100q, which is one letter from it: "+
			"write the same name in both, if they are one reason", row.misspelt, row.Reason),
	}}
}

// Walk yields the requests of the line, in order.
func (row *row) Walk() iter.Seq[*request] {
	return func(yield func(*request) bool) {
		for _, r := range memory.ReadAhead(row.Line, func(r **request) int { return (*r).Touch() }) {
			if !yield(*r) {
				return
			}
		}
	}
}

// DeadlineWarnings returns a warning for each deadline that is before its reason began to hold.
func (row *row) DeadlineWarnings() (all []candidate.Warning) {
	for _, m := range row.Misdated {
		deadline, since := m.Deadline.UTC().Format(time.RFC3339Nano), m.Since.UTC().Format(time.RFC3339Nano)
		all = append(all, candidate.Warning{
			Code: candidate.CodeInvalidDeadline, Object: "Node/" + m.Node, Field: "deadline", Value: deadline,
			Message: fmt.Sprintf("deadline %s is before %s, when %s began to hold, and is ignored: write a later one",
				deadline, since, wording.Quote(string(m.Reason))),
		})
	}
	slices.SortFunc(all, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Message, b.Message))
	})
	return all
}
