package manifest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// MissingHelp tells whoever hands objects in what happens without some of them.
const MissingHelp = `What the input lacks is unknown. Without Pods no node may go, since any of its pods may hold it back; nor may one
without Nodes or NodePools. Without NodeClaims no node is known to be drifted or empty. Without PodDisruptionBudgets
nothing is held back, since many clusters have none. The answer names the kinds that are missing. In the List that
kubectl prints, a kind without objects looks like one that was not asked for, or may not be listed. To say that a kind
has no objects, add an empty list of it: {"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "items": []}
Without -A, kubectl prints the Pods of one namespace alone. Where it looks like that, the answer says so, and holds back
nothing for it.`

// A Missing kind is one that decisions depend on, and that was not given: the input has no object of it, and no list of it
// alone, which may be empty (kind PodList, items []). A List of all kinds, which is what kubectl prints, does not tell a kind of
// which there is nothing from one that nobody asked for, or that may not be listed.
type Missing struct {
	Kind    string // such as Pod
	Message string // what is not known without it
	// Suspected says that there are objects of the kind, but that it looks as if others were left out.
	Suspected bool

	code string // of the blockers of nodes that stay for it; "" is none
}

// decisionKinds are what decisions depend on. No cluster needs PodDisruptionSchedules.
var decisionKinds = []Missing{
	{Kind: "NodePool", Message: "no NodePools were given: no node may go, since what its pool allows is unknown",
		code: candidate.CodeUnknownPool},
	{Kind: "NodeClaim", Message: "no NodeClaims were given: which nodes have to go, or are in flight, is unknown; nodes count for " +
		"the pool that their label names"},
	{Kind: "Node", Message: "no Nodes were given: no node may go, since it is unknown which are initialized and Ready; none is " +
		"counted", code: candidate.CodeNotInitialized},
	{Kind: "Pod", Message: "no Pods were given: no node may go, since any of its pods may hold it back",
		code: candidate.CodePodsUnknown},
	{Kind: "PodDisruptionBudget", Message: "no PodDisruptionBudgets were given: none holds a node back, as in a cluster that has none"},
}

// Missing returns the kinds that were not handed in, and then Pods, where it looks as if those of other namespaces were not.
func (c *Cluster) Missing() []Missing {
	missing := slices.DeleteFunc(slices.Clone(decisionKinds), func(m Missing) bool { return c.handedIn[m.Kind] })
	if c.podless > 0 && len(c.namespaces) == 1 {
		missing = append(missing, Missing{Kind: "Pod", Message: c.oneNamespace(), Suspected: true})
	}
	return missing
}

// oneNamespace says that kubectl may have been asked for one namespace alone. It prints the others with -A. A node hardly ever
// runs no pod at all: DaemonSets see to that, and most are in a namespace of their own.
func (c *Cluster) oneNamespace() string {
	nodes := "1 node has"
	if c.podless > 1 {
		nodes = fmt.Sprintf("%d nodes have", c.podless)
	}
	namespace := slices.Collect(maps.Keys(c.namespaces))[0]
	return fmt.Sprintf("all Pods that were given are in the namespace %s, and %s none of them: if others were left out, nodes "+
		"that they would hold back may go", quote.Text(namespace), nodes)
}

// HoldsBack reports whether a node that decisions are about stays since the kind is missing.
func (m Missing) HoldsBack(decisions ...disruptkit.Decision) bool {
	lacks := func(b candidate.Blocker) bool { return b.Code == m.code }
	stays := func(c candidate.Candidate) bool { return slices.ContainsFunc(c.Blockers, lacks) }
	return slices.ContainsFunc(decisions, func(d disruptkit.Decision) bool { return slices.ContainsFunc(d.Blocked, stays) })
}

// cutLists has the lists that an API server has cut off, and whose rest was not given yet, by kind.
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
			Message: "the " + kind + "List is incomplete: provide the rest, or print it without a limit",
		})
	}
	return all
}
