package karpenter

import "time"

// A relook tracks when consolidation has to look again. A consolidation method that finds nothing to do marks the
// cluster as consolidated. It then computes nothing until the cluster changes, a time that all methods share
// (state.Cluster), or for 5 minutes. But nodes that the guard withheld may become available by time alone. The method
// must look then, but not earlier, since it computes for minutes on a large cluster. The zero relook is ready for use.
type relook struct {
	withheld map[string]bool // nodes that were offered but that the method has not seen since
	looked   time.Time       // the cluster's state when the method was last called
}

// wake makes the method look again, if nodes that were withheld from it are available now and the method would
// otherwise see no change. The other methods look again as well, since Karpenter cannot notify a single method.
func (g *guard) wake(p plan) {
	for _, c := range p.eligible {
		if g.relook.withheld[c.Name()] && g.State.ConsolidationState().Equal(g.relook.looked) {
			g.State.MarkUnconsolidated()
			return
		}
	}
}

// note records what the method was shown and what was withheld from it.
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
