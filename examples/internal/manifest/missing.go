package manifest

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// MissingHelp tells whoever hands objects in what happens without some of them.
const MissingHelp = `What is not handed in is not known. Without Pods no node may go, since any of its pods may hold it back; nor may one
without Nodes or NodePools. Without NodeClaims no node is known to be drifted or empty. Without PodDisruptionBudgets
nothing is held back, since many clusters have none. The answer names the kinds that are missing. In the List that
kubectl prints, a kind without objects looks like one that was not asked for, or may not be listed. To say that a kind
has no objects, add an empty list of it: {"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "items": []}`

// A Missing kind is one that decisions depend on, and that was not handed in: the input has no object of it, and no list of it
// alone, which may be empty (kind PodList, items []). A List of all kinds, which is what kubectl prints, does not tell a kind of
// which there is nothing from one that nobody asked for, or that may not be listed.
type Missing struct {
	Kind    string // such as Pod
	Message string // what is not known without it

	code string // of the blockers of nodes that stay for it; "" is none
}

// decisionKinds are what decisions depend on. No cluster needs PodDisruptionSchedules.
var decisionKinds = []Missing{
	{"NodePool", "no NodePools were handed in: no node may go, since nobody knows what its pool allows", candidate.CodeUnknownPool},
	{"NodeClaim", "no NodeClaims were handed in: nobody knows which nodes are to go, or in flight; nodes count for the pool that " +
		"their label names", ""},
	{"Node", "no Nodes were handed in: no node may go, since nobody knows which are initialized and Ready; none is counted",
		candidate.CodeNotInitialized},
	{"Pod", "no Pods were handed in: no node may go, since any of its pods may hold it back", candidate.CodePodsUnknown},
	{"PodDisruptionBudget", "no PodDisruptionBudgets were handed in: none holds a node back, as in a cluster that has none", ""},
}

// Missing returns the kinds that were not handed in.
func (c *Cluster) Missing() []Missing {
	return slices.DeleteFunc(slices.Clone(decisionKinds), func(m Missing) bool { return c.handedIn[m.Kind] })
}

// HoldsBack reports whether a node that decisions are about stays since the kind is missing.
func (m Missing) HoldsBack(decisions ...disruptkit.Decision) bool {
	lacks := func(b candidate.Blocker) bool { return b.Code == m.code }
	stays := func(c candidate.Candidate) bool { return slices.ContainsFunc(c.Blockers, lacks) }
	return slices.ContainsFunc(decisions, func(d disruptkit.Decision) bool { return slices.ContainsFunc(d.Blocked, stays) })
}

// cutLists has the lists that an API server has cut off, and whose rest was not handed in yet, by kind.
type cutLists map[string]list

func (c cutLists) addList(l list) {
	if l.goesOn && (l.of.kind == "" || l.of.isKnown()) {
		c[l.of.kind] = l
	} else {
		delete(c, l.of.kind)
	}
}

// warnings returns one for each of them.
func (c cutLists) warnings() (all []candidate.Warning) {
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		all = append(all, candidate.Warning{
			Code: CodeUnreadable, Object: c[kind].where, Field: "metadata.continue",
			Message: "the " + kind + "List goes on: hand in the rest, or print it without a limit",
		})
	}
	return all
}
