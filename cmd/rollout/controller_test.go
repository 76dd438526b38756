package main

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

func TestARollThatCannotEndIsAnError(t *testing.T) {
	for _, test := range []struct {
		rule    string
		budgets []budget.Budget
		want    string
	}{
		{"no node may ever go", []budget.Budget{{Nodes: "0"}},
			"on Wed 04:35 nothing is in flight, nothing may start, and nothing will change that"},
		{"a broken budget lets none go", []budget.Budget{{Nodes: "x"}},
			"on Mon 21:30 nothing is in flight, nothing may start, and nothing will change that"},
		{"the window is an hour in a month", []budget.Budget{{Nodes: "1"}, {Nodes: "0", Schedule: "0 0 1 * *", Duration: "1h", Outside: true}},
			"within 60 days"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			budgets, _ := budget.Compile(test.budgets)
			_, err := anyOutage(t, 1).rollWith(disruptkit.Pool{Name: poolName, Budgets: budgets}, false)
			if err == nil || !strings.HasPrefix(err.Error(), "the roll does not end") || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
