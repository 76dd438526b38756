package disruptkit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// duplicateNames are those that more than one node has: nobody could say which of them was meant. Such nodes stay, and
// percentages are of the others. Duplicates in flight or not Ready still use up budget.
type duplicateNames map[string]bool

func (names duplicateNames) warnings() []candidate.Warning {
	var all []candidate.Warning
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, candidate.Warning{
			Code: candidate.CodeDuplicateNode, Object: "Node/" + name, Field: "name", Value: name,
			Message: fmt.Sprintf("several nodes are called %q, and none of them is disrupted: write each node once", name),
		})
	}
	return all
}
