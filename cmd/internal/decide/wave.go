package decide

import (
	"fmt"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// wave reports where a pool or a group stands in its waves, if it rolls in some.
func (t *table) wave(p disruptkit.PoolDecision) string {
	w := p.Wave
	switch {
	case w == nil || w.Nodes == 0: // broken waves are said with what they block
		return ""
	case !w.Until.IsZero():
		return fmt.Sprintf("wave %d of %d is done, and bakes until %s", w.Wave, w.Of, t.clock.until(w.Until))
	case w.Nodes == budget.Unlimited:
		return fmt.Sprintf("wave %d of %d, the last: all the rest may be disrupted", w.Wave, w.Of)
	}
	return fmt.Sprintf("wave %d of %d: at most %d of %d nodes may be new or in flight, and %d now; it is done when %d are new and Ready",
		w.Wave, w.Of, w.Nodes, p.Nodes, w.InUse, w.Nodes)
}

// sameWave reports whether two stand in the same wave.
func sameWave(a, b *disruptkit.Wave) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Wave == b.Wave && a.Of == b.Of && a.Nodes == b.Nodes && a.InUse == b.InUse && a.Since.Equal(b.Since) && a.Until.Equal(b.Until)
}
