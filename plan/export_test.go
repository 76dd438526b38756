package plan

// Decisive is for the naive plan: which blocker counts is checked by a table.
var Decisive = decisive
var Steady = steady

var Stays = stays

// LimitWork limits the work of plans, and returns what takes that back.
func LimitWork(nodes int) (restore func()) {
	before := mostWork
	mostWork = nodes
	return func() { mostWork = before }
}
