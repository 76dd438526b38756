package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// MissingHelp describes what happens if some objects are missing from the input.
const MissingHelp = `A kind that the input lacks is unknown, not empty. Without Pods no node may be disrupted, since any of its pods may block it.
Without Nodes or NodePools no node may be disrupted, either. Without NodeClaims no node is known to be drifted or empty. Without
PodDisruptionBudgets nothing is blocked, since many clusters have none, and the answer says that fewer nodes may be disrupted if
there are any. The answer names the kinds that are missing. In a List from a file, a kind without objects looks like one
that was not asked for, or may not be listed. To say that a kind has no objects, add an empty list of it:
{"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "items": []}
If kubectl could not list a kind, or its output is cut off, there is no answer, and the exit status is 2.
DisruptionPolicies are optional as well: if the cluster has any, add ` + disruptionpolicy.Resource + ` to the kinds.
Without -A, kubectl prints the Pods of one namespace alone. If the input looks like that, the answer says so, but holds
back no node for it.`

// A Missing is a kind that decisions need but that the input lacks: it has neither an object of the kind nor a list of
// only that kind, which may be empty (kind PodList, items []). The List of all kinds that kubectl prints does not show
// whether a kind has no objects, was not requested, or may not be listed.
type Missing struct {
	Kind    string // such as Pod
	Message string // what is unknown without it
	// Suspected reports that there are objects of the kind, but others seem to be missing.
	Suspected bool

	code candidate.Code // of the blockers of nodes that stay because of it; "": none
}

// Sentence returns the message as a sentence.
func (m Missing) Sentence() string { return strings.ToUpper(m.Message[:1]) + m.Message[1:] + "." }

// decisionKinds are the kinds that decisions need. PodDisruptionSchedules are optional.
var decisionKinds = []Missing{
	{Kind: "NodePool", Message: "no NodePools were given: no node may be disrupted, since what its pool allows is unknown",
		code: candidate.CodeUnknownPool},
	{Kind: "NodeClaim", Message: "no NodeClaims were given: which nodes have to go, or are in flight, is unknown; nodes count for " +
		"the pool that their label names"},
	{Kind: "Node", Message: "no Nodes were given: no node may be disrupted, since it is unknown which are initialized and Ready; none is " +
		"counted", code: candidate.CodeNotInitialized},
	{Kind: "Pod", Message: "no Pods were given: no node may be disrupted, since any of its pods may block it",
		code: candidate.CodePodsUnknown},
	{Kind: "PodDisruptionBudget", Message: "no PodDisruptionBudgets were given: if the cluster has any, fewer nodes may go than " +
		"is said here"},
}

// has reports whether the input has a kind that decisions need: all of it, if it is whole.
func (c *Cluster) has(kind string) bool { return c.policy.Whole || c.from.handedIn[kind] }

// Missing returns the missing kinds, and then Pods if those of other namespaces seem to be missing.
func (c *Cluster) Missing() []Missing {
	missing := slices.DeleteFunc(slices.Clone(decisionKinds), func(m Missing) bool { return c.has(m.Kind) })
	if c.podless > 0 && len(c.from.namespaces) == 1 && !c.policy.Whole {
		missing = append(missing, Missing{Kind: "Pod", Message: c.oneNamespace(), Suspected: true})
	}
	return missing
}

// oneNamespace reports that kubectl may have printed only one namespace; -A prints all. Nodes almost never run no pods at
// all, because of DaemonSets, and most DaemonSets have their own namespace.
func (c *Cluster) oneNamespace() string {
	nodes := "1 node has"
	if c.podless > 1 {
		nodes = fmt.Sprintf("%d nodes have", c.podless)
	}
	namespace := slices.Collect(maps.Keys(c.from.namespaces))[0]
	return fmt.Sprintf("all Pods that were given are in the namespace %s, and %s none of them: if others were left out, nodes "+
		"that they would block may be disrupted", wording.Quote(namespace), nodes)
}

// HoldsBack reports whether a candidate of some decisions stays because the kind is missing.
func (m Missing) HoldsBack(decisions ...disruptkit.Decision) bool {
	lacks := func(b candidate.Blocker) bool { return b.Code == m.code }
	stays := func(c candidate.Candidate) bool { return slices.ContainsFunc(c.Blockers, lacks) }
	return slices.ContainsFunc(decisions, func(d disruptkit.Decision) bool { return slices.ContainsFunc(d.Blocked, stays) })
}

// cutLists has, by kind, the lists that the API server has truncated and whose rest is not in the input.
type cutLists map[string]list

func (c cutLists) addList(l list) {
	switch {
	case l.rest != "" && (l.of.kind == "" || l.of.isKnown()):
		c[l.of.kind] = l
	case l.of.kind != "": // the rest of the one before; a List may be of anything
		delete(c, l.of.kind)
	}
}

// err returns an error if a list is truncated: of several, that of the first kind.
func (c cutLists) err() error {
	if len(c) == 0 {
		return nil
	}
	kind := slices.Min(slices.Collect(maps.Keys(c)))
	return candidate.Warning{
		Code: CodeUnreadable, Object: c[kind].where, Field: "metadata." + c[kind].rest,
		Message: "the " + kind + "List is incomplete: provide the rest, or print it without a limit",
	}
}
