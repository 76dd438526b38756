package budget

import "github.com/disruptkit/disruptkit/candidate"

// Alike groups reasons that the same budgets affect. At any time and for any number of nodes, the same budgets allow
// the same number for all reasons of a group. So costly work, such as a Forecast, need only be done once for each
// group. Groups are in the order of their first reasons.
func (s Set) Alike(reasons []candidate.Reason) [][]candidate.Reason {
	var groups [][]candidate.Reason
	for _, a := range s.Compiled().Alike(reasons) {
		groups = append(groups, a.Reasons)
	}
	return groups
}
