package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Notes returns what a reader of decisions should know of the input. Nothing of it is a fault.
func (c *Cluster) Notes() []string {
	var notes []string
	if note := c.unknownKinds(); note != "" {
		notes = append(notes, note)
	}
	if note := c.missingKinds(); note != "" {
		notes = append(notes, note)
	}
	for _, pool := range c.endless {
		notes = append(notes, fmt.Sprintf("NodePool/%s has no budgets, so that nothing limits it; were it applied now, the API "+
			"server would write 10%% where spec.disruption.budgets is absent", pool))
	}
	return notes
}

func (c *Cluster) unknownKinds() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(c.unknown)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", c.unknown[kind], kind))
	}
	if len(kinds) == 0 {
		return ""
	}
	return "skipped what decisions do not depend on: " + strings.Join(kinds, ", ")
}

// missingKinds says that decisions lack what they depend on. Without its pods every node looks empty,
// and without their PodDisruptionBudgets every pod may go.
func (c *Cluster) missingKinds() string {
	var kinds []string
	for _, kind := range []string{"NodePool", "NodeClaim", "Node", "Pod", "PodDisruptionBudget"} {
		if c.seen[kind] == 0 {
			kinds = append(kinds, "no "+kind)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return "the input has " + strings.Join(kinds, ", ") + ", which decisions depend on; all is printed by: " + Command
}
