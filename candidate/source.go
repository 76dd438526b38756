package candidate

import (
	"cmp"
	"slices"
)

// A Source names the cause of a blocker in fields, so that programs need not parse [Blocker].Message. Other fields are
// zero. Blockers share Sources, so do not modify them.
//
// Budgets, Key and Domain refer to the Group, or, if that is "", to the pool of the candidate, or of Node. The numbers
// are in the decision about that group or pool.
type Source struct {
	Node        string   `json:",omitempty"` // the node of the candidate's unit that is blocked; "": the candidate
	PDBs        []string // PodDisruptionBudgets as "namespace/name": one, or up to ten of a pod (CodeSeveralPDBs)
	PodSchedule string   // the PodDisruptionSchedule by name; "" for the pod's own annotations

	Group   string `json:",omitempty"` // the group of pools whose blocker it is; "": none
	Budgets []int  // the budgets that set the limit, as positions in budget.Set.Budgets of the pool or the group

	Key      string // of a budget per zone: its topologyKey
	Domain   string // the node's value of Key; "": it does not have the label
	WaitsFor string // the zone with the turn, or with nodes in flight (CodeWaitsForDomain); "": nodes without the label

	Probe   string // the probe or breaker by name
	By, Why string // who paused disruption, and why (CodePaused)
}

// compare orders Sources by their fields. Nil comes first.
func (s *Source) compare(other *Source) int {
	switch {
	case s == other:
		return 0
	case s == nil:
		return -1
	case other == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(s.Node, other.Node), slices.Compare(s.PDBs, other.PDBs),
		cmp.Compare(s.PodSchedule, other.PodSchedule),
		cmp.Compare(s.Group, other.Group), slices.Compare(s.Budgets, other.Budgets),
		cmp.Compare(s.Key, other.Key), cmp.Compare(s.Domain, other.Domain), cmp.Compare(s.WaitsFor, other.WaitsFor),
		cmp.Compare(s.Probe, other.Probe), cmp.Compare(s.By, other.By), cmp.Compare(s.Why, other.Why))
}
