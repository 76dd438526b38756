package plan

// Decisive is for the naive plan: which blocker counts is checked by a table.
var Decisive = decisive
var Steady = steady

var Stays = stays
