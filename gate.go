package disruptkit

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/memory"
	"github.com/disruptkit/disruptkit/schedule"
)

// A gate is a stage that every request has to pass. It opens on a [fleet]: nodes in flight already use up its limits.
//
// A new gate is a file gate_*.go, and a line in openRow. Gates share fields of requests and of the fleet, such as
// [request.Itself] and [kind.LastingUntil]. Few ask another one: waves ask signals, turns of zones ask what lasts
// (row.lasting), and back-off and the pools' budgets are one waiver for overdue requests ([budgetGate]).
type gate interface {
	// Allows reports whether nothing at this gate blocks a request now.
	Allows(r *request) bool
	// Blockers returns what blocks a request now, and when time alone lifts that (candidate.Blocker.Until). Callers
	// must not change the list, which requests may share.
	Blockers(r *request) []candidate.Blocker
	// Until returns a time up to which the gate allows a request that it allows now, if nothing else is disrupted. It
	// may be too early. Zero means for good.
	Until(r *request) time.Time
	// Count counts a request that is disrupted: n is 1, or -1 to undo that, in any order. Together: it is only counted
	// while the rest of its unit is judged, and starts at the same time.
	Count(r *request, n int, together bool)
	// NextChange returns a time before which time alone changes no answer of the gate, apart from the blockers' own
	// Until. Zero means never.
	NextChange() time.Time
}

// still has the answers of a gate that counts nothing, and that time alone does not change. Gates that embed it have
// methods of their own for the rest.
type still struct{}

func (still) Count(*request, int, bool)        {}
func (still) Until(*request) (never time.Time) { return never }
func (still) NextChange() (never time.Time)    { return never }

// joined returns both lists as one. If one of them is empty, it returns the other itself, not a copy.
func joined(blockers, more []candidate.Blocker) []candidate.Blocker {
	switch {
	case len(more) == 0:
		return blockers
	case len(blockers) == 0:
		return more
	}
	return append(slices.Clip(blockers), more...)
}

// liftingAt returns a copy of blockers that all lift at a time. Zero: time alone does not lift them.
func liftingAt(at time.Time, blockers []candidate.Blocker) []candidate.Blocker {
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i].Until = at
	}
	return blockers
}

// mostChanges is how many changes firstFree follows.
const mostChanges = 1000

// firstFree returns the first time at or after now at which something does not block, if only time passes. Blocks
// reports whether it blocks at a time, and when that may next change; zero: never. Zero means never, or only after a
// thousand changes.
func firstFree(now time.Time, blocks func(at time.Time) (blocks bool, change time.Time)) (never time.Time) {
	at := now
	for range mostChanges {
		blocked, change := blocks(at)
		if !blocked {
			return at
		}
		if !change.After(at) {
			return never
		}
		at = change
	}
	return never
}

// reached reports whether an event has happened by a time. The zero event never happens, and nothing happens by zero.
func reached(event, at time.Time) bool { return !event.IsZero() && !event.After(at) }

// A row is the gates, open on one input, with the requests in line.
type row struct {
	*fleet
	Line      []*request // the requests for the decision's reason, in order
	Disrupted []*request // those that the session disrupts, in order
	changes   int        // how often a request was disrupted or canceled

	gates         []gate
	beforeBudgets int // how many gates are before those of budgets
	node          *nodeGate
	pods          *podGate
	Signals       *signalGate
	Waves         *waveGate
	Backoff       *backoffGate
	Budgets       *book
	layers        []*budgetGate
	Zones         *zoneGate

	said  [][]candidate.Blocker // scratch of Blockers, by gate
	lists memory.Arena[candidate.Blocker]
}

// openRow reads the input, puts the requests in line, and opens the gates. Requests have to be read before budgets
// open, which ask whether any has a deadline.
func openRow(in Input, reason candidate.Reason) *row {
	f := readFleet(in, reason)
	row := &row{fleet: f}
	node, pods := newNodeGate(f), newPodGate(f)
	row.Zones, row.node, row.pods = newZoneGate(f, row.lasting), node, pods
	row.readLine(node, pods)
	row.formUnits()
	row.Signals, row.Backoff = openSignals(f), openBackoff(f)
	row.Waves = openWaves(f, row.Signals)
	row.gates = []gate{node, pods, row.Signals, row.Waves, row.Backoff}
	if len(f.Gates) > 0 {
		row.gates = append(row.gates, openCallers(f))
	}
	row.beforeBudgets = len(row.gates)
	row.Budgets, row.layers = openBudgets(f, row.Backoff, row.butBudgets, row.butBudgetsChange)
	for _, g := range row.layers {
		row.gates = append(row.gates, g)
	}
	row.gates = append(row.gates, row.Zones)
	row.Zones.Open() // last: turns depend on all other gates
	row.said = make([][]candidate.Blocker, len(row.gates))
	return row
}

// lasting returns the lasting blockers of a request, except those of the node itself, its pods and its domains. A
// blocker is lasting if it blocks the request whatever else is disrupted. The turns of zones depend on these.
func (row *row) lasting(r *request) (blockers []candidate.Blocker) {
	for m := range r.members() {
		blockers = joined(blockers, row.Signals.Lasting(m))
		for _, g := range row.layers {
			blockers = joined(blockers, g.Lasting(m))
		}
	}
	return blockers
}

// butBudgets returns what blocks a request, or the rest of its unit, at the gates before budgets. Requests that only
// budgets and zones block are the demand for a share (budget.Budget.Guaranteed).
func (row *row) butBudgets(r *request) (blockers []candidate.Blocker) {
	judge := func(r *request) {
		for _, g := range row.gates[:row.beforeBudgets] {
			blockers = joined(blockers, g.Blockers(r))
		}
	}
	if r.unit != nil {
		row.together(r.unit, judge)
	} else {
		judge(r)
	}
	return blockers
}

// butBudgetsChange returns a time before which time alone changes no answer of these gates, except by their blockers'
// Until.
func (row *row) butBudgetsChange() (next time.Time) {
	for i := range row.gates[:row.beforeBudgets] {
		next = schedule.First(next, row.gates[i].NextChange())
	}
	return next
}

// Walk yields the requests of the line, in order. It calls read for each shortly before.
func (row *row) Walk(read func(*request) int) iter.Seq[*request] {
	return func(yield func(*request) bool) {
		for _, r := range memory.ReadAhead(row.Line, func(r **request) int { return read(*r) }) {
			if !yield(*r) {
				return
			}
		}
	}
}

// Allows reports whether every gate allows a request and the rest of its unit now, beside those that are disrupted.
func (row *row) Allows(r *request) bool {
	if r.unit != nil {
		return row.allowsUnit(r.unit)
	}
	return row.allows(r)
}

// allows reports whether every gate allows a request now. It asks the last gates first, because they are the cheapest
// to ask.
func (row *row) allows(r *request) bool {
	for i := len(row.gates) - 1; i >= 0; i-- {
		if !row.gates[i].Allows(r) {
			return false
		}
	}
	return true
}

// Disrupt counts a request and the rest of its unit as in flight. Cancel takes them back.
func (row *row) Disrupt(r *request) {
	for m := range r.members() {
		m.ForAny = r.ForAny
		row.disrupt(m)
	}
}

func (row *row) disrupt(r *request) {
	r.Disrupted = true
	row.changes++
	row.Disrupted = append(row.Disrupted, r)
	for i := range row.gates {
		row.gates[i].Count(r, 1, false)
	}
}

// Cancel undoes Disrupt, whatever was disrupted since.
func (row *row) Cancel(r *request) {
	for m := range r.members() {
		row.cancel(m)
	}
}

func (row *row) cancel(r *request) {
	for i := range row.gates {
		row.gates[i].Count(r, -1, false)
	}
	r.Disrupted, r.ForAny = false, false
	row.changes++
	i := slices.Index(row.Disrupted, r)
	row.Disrupted = slices.Delete(row.Disrupted, i, i+1)
}

// Blockers returns what blocks a request or the rest of its unit now, with the times when time alone lifts it. Every
// gate is asked, even if an earlier one blocks the request: people want to know all of them.
func (row *row) Blockers(r *request) []candidate.Blocker {
	if r.unit != nil {
		return row.unitBlockers(r)
	}
	return row.blockers(r)
}

// blockers returns what blocks a request itself.
func (row *row) blockers(r *request) []candidate.Blocker {
	var only []candidate.Blocker
	several := false
	for i := range row.gates {
		said := row.gates[i].Blockers(r)
		row.said[i] = said
		several = several || len(only) > 0 && len(said) > 0
		if len(only) == 0 {
			only = said
		}
	}
	if several {
		return row.lists.Keep(row.said...)
	}
	return only
}

// Until returns a time up to which a request that is disrupted would stay allowed, with the rest of its unit. Zero is
// for good.
func (row *row) Until(r *request) (end time.Time) {
	for m := range r.members() {
		for i := range row.gates {
			end = schedule.First(end, row.gates[i].Until(m))
		}
	}
	return end
}

// NextChange returns a time before which time alone changes no answer of the gates, except by their blockers' Until.
func (row *row) NextChange() (next time.Time) {
	for i := range row.gates {
		next = schedule.First(next, row.gates[i].NextChange())
	}
	return next
}

// A Gate is a limit of the caller's own, such as at most two nodes of a rack row at once. It is open for one session:
// see Input.Gates. Its answers must depend only on the Input and on what Count has counted.
type Gate interface {
	// Blockers returns what blocks a candidate now, given the candidates that are counted; nothing: it is allowed. Each
	// blocker has a Gate and a Code of the caller's own, and the time when time alone lifts it. It is called at least
	// once for each candidate, so it should be fast.
	Blockers(c candidate.Candidate, n *candidate.Node) []candidate.Blocker
	// Count counts a candidate: by is 1, or -1 to undo that, in any order. The session disrupts it, or judges the rest
	// of its unit beside it and then undoes that.
	Count(c candidate.Candidate, n *candidate.Node, by int)
	// NextChange returns a time before which time alone changes no answer of the gate, or zero for never.
	NextChange() time.Time
}

// callersGate is all gates of the caller as one, so that their order makes no difference.
type callersGate []Gate

func openCallers(f *fleet) (g callersGate) {
	for _, open := range f.Gates {
		g = append(g, open(f.Input))
	}
	return g
}

// Allows reports whether all gates allow the request.
func (g callersGate) Allows(r *request) bool { return len(g.Blockers(r)) == 0 }

// Blockers returns the blockers of all gates.
func (g callersGate) Blockers(r *request) (blockers []candidate.Blocker) {
	for _, one := range g {
		blockers = slices.Concat(blockers, one.Blockers(r.candidate(), r.Node))
	}
	slices.SortStableFunc(blockers, func(a, b candidate.Blocker) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
	})
	return blockers
}

// Until returns when the answer of a gate may next change.
func (g callersGate) Until(*request) time.Time { return g.NextChange() }

// Count counts the request in all gates, unless it was in flight when they opened.
func (g callersGate) Count(r *request, n int, _ bool) {
	if r.InFlight() {
		return
	}
	for _, one := range g {
		one.Count(r.candidate(), r.Node, n)
	}
}

// NextChange returns when the answer of a gate may next change.
func (g callersGate) NextChange() (next time.Time) {
	for _, one := range g {
		next = schedule.First(next, one.NextChange())
	}
	return next
}
