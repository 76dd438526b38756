package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Notes returns what a reader of decisions should know about the input. Notes are not faults.
func (c *Cluster) Notes() []string {
	var notes []string
	for _, note := range []string{c.from.unknownKinds(), c.missingKinds(), c.otherNamespaces(), c.strayNodes()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	notes = append(notes, c.ignoredRequests()...)
	notes = append(notes, c.policy.CalendarNotes()...)
	for _, p := range c.all {
		notes = append(notes, p.Stock...)
	}
	for _, p := range c.all {
		if p.endless {
			notes = append(notes, fmt.Sprintf("%s has no budgets, so nothing limits it; if it was applied now without "+
				"spec.disruption.budgets, the API server would fill in 10%%", wording.Quote("NodePool/"+p.Name)))
		}
	}
	return notes
}

const skipped = "skipped, since decisions do not depend on them: "

func (r *reader) unknownKinds() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(r.unknown)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", r.unknown[kind], wording.Quote(kind)))
	}
	if len(kinds) == 0 {
		return ""
	}
	return skipped + strings.Join(kinds, ", ")
}

// missingKinds describes how to provide what is missing.
func (c *Cluster) missingKinds() string {
	var kinds []string
	for _, m := range c.Missing() {
		if !m.Suspected {
			kinds = append(kinds, "no "+m.Kind)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return "the input has " + strings.Join(kinds, ", ") + ", which decisions depend on; to print everything, write: " + Command
}

// otherNamespaces describes how to provide what may be missing.
func (c *Cluster) otherNamespaces() string {
	for _, m := range c.Missing() {
		if m.Suspected {
			return m.Message + "; to print all namespaces, write: " + Command
		}
	}
	return ""
}

// manyStrays is the number from which not all are named.
const manyStrays = 4

func (c *Cluster) strayNodes() string {
	if len(c.strays) == 0 {
		return ""
	}
	return "nodes with the label " + annotation.PoolLabel + " and without a NodeClaim count for no pool, as in Karpenter: " +
		wording.List(slices.Sorted(slices.Values(c.strays)), manyStrays, wording.Quote)
}
