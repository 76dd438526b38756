package tell

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
)

// Alike groups candidates of the same pool with the same blockers, in the order of the first of each group.
func Alike(blocked []candidate.Candidate) [][]candidate.Candidate {
	var groups [][]candidate.Candidate
	position := map[string]int{}
	for _, c := range blocked {
		key := fmt.Sprint(c.Pool, c.Blockers)
		i, ok := position[key]
		if !ok {
			i = len(groups)
			position[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}
