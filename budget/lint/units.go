package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// unitTooLarge finds reasons for which no unit as large as the largest one of the pool is ever disrupted.
func (l *linter) unitTooLarge(r candidate.Reason) (f Finding, _ advisor) {
	if l.facts.Unit < 2 || l.set.Oversized() {
		return f, nil
	}
	most := 0
	for _, s := range l.effective(r) {
		if s.Nodes > most {
			most, f.Budgets = s.Nodes, s.Binding
		}
	}
	if most == 0 || most >= l.facts.Unit { // never-disruptable finds the former
		return f, nil
	}
	f.Message = fmt.Sprintf("never allowed for its unit of %s: of %s, %d at most may be disrupted at once: %s",
		wording.Count(l.facts.Unit, "node"), wording.Count(l.nodes, "node"), most, l.names(f.Budgets))
	f.Advice = fmt.Sprintf(`allow %d, or write oversized: alone beside budgets`, l.facts.Unit)
	return f, nil
}
