package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleRoundsUp = Rule{
	Code: CodeRoundsUp,
	Means: "The pool has so few nodes that a percentage rounds up to 1. Percentages always round up, as in " +
		"PodDisruptionBudgets.",
	Example: `nodes: "10%" of a pool of 5 nodes lets 1 node go, which is 20%.`,
	Do:      "If that is too much for a small pool, write a schedule for when it may go.",
}

// roundsUp finds percentages of so few nodes that they round up to 1.
func (l *linter) roundsUp() {
	if l.assumed {
		return
	}
	for _, b := range l.valid {
		scoped := l.list[b.Index].TopologyKey != ""
		if !b.Percent || b.N == 0 || scoped || l.nodes > 99/b.N {
			continue
		}
		l.addFix(Finding{Code: CodeRoundsUp, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s: percentages round up, so that %d%% of %s is 1", l.name(b.Index), b.N,
				wording.Count(l.nodes, "node"))}, func() remedy {
			const zero = `only "0" blocks all nodes`
			return remedy{tail: " if that is intended; " + zero, otherwise: zero,
				ways: []way{{does: `write "nodes": "1" in ` + l.set.Place(b.Index),
					edits: l.edit(b.Index, func(b *budget.Budget) { b.Nodes = "1" })}}}
		})
	}
}
