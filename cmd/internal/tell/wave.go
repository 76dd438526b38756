package tell

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// Wave reports where a pool or a group stands in its waves; "": it does not roll in any. When describes a time to come.
func Wave(p disruptkit.PoolDecision, when func(time.Time) string) string {
	w := p.Wave
	switch {
	case w == nil || w.Nodes == 0: // broken waves are said with what they block
		return ""
	case !w.Until.IsZero():
		return fmt.Sprintf("wave %d of %d is done, and bakes until %s", w.Wave, w.Of, when(w.Until))
	case w.Nodes == budget.Unlimited:
		return fmt.Sprintf("wave %d of %d, the last: all the rest may be disrupted", w.Wave, w.Of)
	}
	return fmt.Sprintf("wave %d of %d: at most %d of %d nodes may be new or in flight, and %d now; it is done when %d are new and Ready",
		w.Wave, w.Of, w.Nodes, p.Nodes, w.InUse, w.Nodes)
}
