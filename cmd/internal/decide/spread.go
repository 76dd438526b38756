package decide

import (
	"fmt"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// spread reports whether a roll that a budget of a pool or a group spreads is on pace.
func (t *table) spread(key string, p disruptkit.PoolDecision) string {
	s := p.Spread
	if s == nil || s.Left == 0 {
		return ""
	}
	text := fmt.Sprintf("%s left of the roll that %s", wording.Count(s.Left, "candidate"), t.policies[key].Budgets.Place(s.Budget))
	if s.End.IsZero() {
		text += " spreads"
	} else {
		text += " spreads up to " + t.clock.Until(s.End)
	}
	switch {
	case s.Next.IsZero():
		return text + ", and none is ever due, because the budgets stay closed"
	case s.Behind:
		return text + ": behind, the next was due " + t.clock.Since(s.Next)
	}
	return text + ": on pace, the next is due " + t.clock.Until(s.Next)
}
