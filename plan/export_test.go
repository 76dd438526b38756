package plan

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Decisive is for the naive plan: which blocker counts is checked by a table.
var Decisive = decisive
var Steady = steady

var Stays = stays

// HeldBy returns the budgets that block some node in a plan, by pool.
func HeldBy(in disruptkit.Input, o Options) map[string]budget.Indexes { return Run(in, o).holding }

// LimitWork limits the work of plans, and returns what takes that back.
func LimitWork(nodes int) (restore func()) {
	before := mostWork
	mostWork = nodes
	return func() { mostWork = before }
}

// AskFew asks only n of the first nodes of each class, or all nodes if n is 0. It returns what takes that back.
func AskFew(n int) (restore func()) {
	asked, without := leastAsked, noCrowds
	leastAsked, noCrowds = max(n, 1), n == 0
	return func() { leastAsked, noCrowds = asked, without }
}

// LimitEffort limits the effort of all draws of a plan, and returns what takes that back.
func LimitEffort(effort int) (restore func()) {
	before := drawnEffort
	drawnEffort = effort
	return func() { drawnEffort = before }
}

// Held reports whether a node waits while replacements of full nodes are launched.
func Held(launching []candidate.Node, n candidate.Node, now time.Time) bool {
	l, end := launches{}, now.Add(time.Minute)
	for i := range launching {
		l["in"] = append(l["in"], Model{Full: true}.launched(&launching[i], now, end, manner{}))
	}
	return !l.until("in", &n, now).IsZero()
}

// LimitExpectation limits the effort of an Expectation, and returns what takes that back.
func LimitExpectation(effort int) (restore func()) {
	before := expectEffort
	expectEffort = effort
	return func() { expectEffort = before }
}

// SpreadOf is the Spread of some times.
var SpreadOf = spread

// Changed returns what Try tries: each change with the input that it makes of another one.
func Changed(in disruptkit.Input, p Plan) map[string]disruptkit.Input {
	changed := map[string]disruptkit.Input{}
	out, all := changes(in, p)
	for _, c := range append(out, all...) {
		changed[c.text] = c.apply(in)
	}
	return changed
}
