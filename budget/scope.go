package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Scope is a budget with a TopologyKey: while it is active, it limits each topology domain (zone, rack, …)
// separately. Package topology applies it. The zero Scope allows nothing.
type Scope struct {
	Index      int                // its position in Set.Budgets
	Key        string             // the label whose values are the domains
	Sequential bool               // the domains take turns
	Reasons    []candidate.Reason // those that it covers; none means all; shared, never modified

	limit Amount
	set   *set
}

// Scopes returns the budgets with a topology key that cover a reason, active or not, in the order of the list. They do
// not affect AllowedByReason. Broken ones are not included; they make AllowedByReason return 0. (AZ-sequential RFC,
// "Interaction with NodePool-Level Budgets".)
func (s Set) Scopes(reason candidate.Reason) []Scope {
	var scopes []Scope
	set := s.get()
	for i := range set.compiled.Scoped {
		if b := &set.compiled.Scoped[i]; b.Covers(reason) {
			scopes = append(scopes, Scope{b.Index, b.Key, b.Sequential, b.Reasons, b.Limit, set})
		}
	}
	return scopes
}

// Allowed returns how many nodes may be disrupted at once in a domain with a number of counted nodes. A percentage
// refers to the domain's own nodes, and rounds up.
func (s Scope) Allowed(nodes int) int {
	if s.set == nil {
		return 0
	}
	return s.limit.Of(nodes)
}

// Covers reports whether the budget names a reason, or is for all reasons. For the reasons of sequential budgets, see
// topology.Options.Applies.
func (s Scope) Covers(reason candidate.Reason) bool { return coversReason(s.Reasons, reason) }

// Knows reports whether the budgets of the Set can name a reason. They cannot name "".
func (s Scope) Knows(reason candidate.Reason) bool {
	return reason != "" && s.set != nil && s.set.compiled.Knows(reason)
}

// Describe is String, with the events in the budget's calendar at a time, as Set.Describe has it.
func (s Scope) Describe(at time.Time) string {
	if s.set == nil || s.set.written[s.Index].Calendar == "" {
		return s.String()
	}
	return s.set.places[s.Index] + " is " + Set{s.set}.Describe(s.Index, at)
}

// String says which budget it is: "budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)".
func (s Scope) String() string {
	if s.set == nil {
		return "no budget"
	}
	return s.set.places[s.Index] + " is " + s.set.texts[s.Index]
}
