package karpenter

import "time"

// A relook knows when consolidation has to look again. A method of consolidation that finds nothing to do takes the cluster for
// consolidated: it computes nothing until the cluster changes, which is a time that all methods share (state.Cluster), and 5 minutes at
// the most. What the guard withheld from it may be freed by the passing of time. It must look then, and not earlier: on a large cluster it
// computes for minutes. The zero relook is ready.
type relook struct {
	withheld map[string]bool // nodes that were offered, and that the method has not seen since
	looked   time.Time       // the state in which it was last asked
}

// wake makes the method look again, if it is now shown nodes that were withheld from it and would find all as it was. The other methods
// look again, too: none of Karpenter's can be told alone.
func (g *guard) wake(p plan) {
	for _, c := range p.eligible {
		if g.relook.withheld[c.Name()] && g.State.ConsolidationState().Equal(g.relook.looked) {
			g.State.MarkUnconsolidated()
			return
		}
	}
}

// note notes what the method was shown, once it was asked, and what was withheld from it.
func (g *guard) note(p plan) {
	if g.ConsolidationType() == "" {
		return
	}
	if g.relook.withheld == nil {
		g.relook.withheld = map[string]bool{}
	}
	for name := range p.byName {
		g.relook.withheld[name] = true
	}
	for _, c := range p.eligible {
		delete(g.relook.withheld, c.Name())
	}
	if len(p.eligible) > 0 {
		g.relook.looked = g.State.ConsolidationState()
	}
}
