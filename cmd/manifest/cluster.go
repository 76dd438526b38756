package manifest

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Kinds are the kinds of all objects that Read needs. Command prints these objects.
const (
	Kinds   = "nodepools,nodeclaims,nodes,pods,poddisruptionbudgets"
	Command = "kubectl get " + Kinds + " -A -o json"
	// Optional are those kinds that only some clusters have, and that package kube asks for where they do.
	Optional = disruptionpolicy.Resource
)

// A Cluster is the state of a cluster as the API printed it.
type Cluster struct {
	Pools []disruptkit.Pool
	Nodes []candidate.Node // without the results of repair: see Input
	Rules candidate.Rules  // of its pods
	// Memory is the memory of each pool from its annotations.
	Memory map[string]disruptkit.Memory
	// Probes are the disruptionProbes of each pool that has any, including invalid ones. They have not run yet, so the
	// verdicts of Pools allow nothing. Callers that run probes replace these verdicts. (Package poll does.)
	Probes map[string][]httpget.Spec
	Pauses []probe.Pause // from annotations of pools, if the guard runs, and from DisruptionPolicies
	// Groups are the DisruptionPolicies that select NodePools, for an engine that reads them.
	Groups []disruptkit.Group
	// Probing names the DisruptionPolicies of Groups that have disruptionProbes. As for pools, these have not run yet.
	Probing []string
	// Said is the last that Karpenter's events say about the consolidation of nodes, by their names. Events are optional.
	Said map[string]Event

	policy Policy
	states []state // of Nodes, in the same order

	aging []aging // nodes that expire as budgets let them, if the guard or the steward runs

	standings map[string]Standing           // of nodes, by their names
	byPDB     map[string]pdb                // by namespace/name
	requests  map[string]annotation.Request // likewise: for their replacement
	ignored   map[string][]string           // nodes whose requests have no effect, by why

	// admitted has, by pool, its budgets as Karpenter reads them, if the guard runs. Those of annotations come after them.
	admitted map[string]budget.Set

	faults   []candidate.Warning
	strays   []string            // nodes with a pool's label but without a NodeClaim
	unmarked map[string][]string // by pool: see Revision

	selected disruptionpolicy.Selection // what DisruptionPolicies say of the pools

	from    *reader
	all     []*nodePool          // in the order of the input; several may share a name
	pools   map[string]*nodePool // by name
	several []disruptionpolicy.Policy
	podless int // nodes of pools that should run Pods but run none
}

// Read reads objects from JSON or YAML. It returns an error if the input is neither, is empty or ends early: the
// missing part could block any node, so no decision is possible. Warnings has all other faults.
func (p Policy) Read(in io.Reader) (*Cluster, error) {
	clusters, err := ReadAll(in, p)
	if err != nil {
		return nil, err
	}
	return clusters[0], nil
}

// ofDisruption matches the fields of spec.disruption in messages of package budget.
var ofDisruption = regexp.MustCompile(`^(budgets|consolidat|defaults|drift|expiration|emptiness)`)

// Input returns the input of a decision at a time. The time is a parameter because the objects do not say when they
// were printed.
func (c *Cluster) Input(now time.Time) disruptkit.Input {
	return disruptkit.Input{
		Now: now, Pools: c.Pools, Groups: c.Groups, Nodes: c.nodes(now), Rules: c.Rules, Memory: c.Memory, Pauses: c.Pauses, Dialect: c.policy.As.Dialect(),
	}
}

// Decide decides as the engine for which the cluster was read.
func (c *Cluster) Decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	switch c.policy.As {
	case engine.Guard:
		return engine.Guarded(in, c.admittedFor(in.Pools), reason)
	case engine.Steward:
		return engine.Stewarded(in, c.admittedFor(in.Pools), reason)
	}
	return disruptkit.Decide(in, reason)
}

// Decider returns Decide for package plan: nil if it is disruptkit.Decide, so that a plan can skip work.
func (c *Cluster) Decider() func(disruptkit.Input, candidate.Reason) disruptkit.Decision {
	if c.policy.As.Annotated() {
		return c.Decide
	}
	return nil
}

// Static reports whether a NodePool has a fixed number of nodes (spec.replicas), and how many it may have at most
// (spec.limits.nodes); 0: as many as it likes, or what is written there is no whole number.
func (c *Cluster) Static(pool string) (static bool, most int) {
	if p := c.pools[pool]; p != nil && p.Static {
		return true, p.limit
	}
	return false, 0
}

// Rejected reports whether Karpenter's API server rejects a NodePool, so that it is unknown what is in force.
func (c *Cluster) Rejected(pool string) bool {
	return slices.ContainsFunc(c.faults, func(w candidate.Warning) bool {
		return w.Code == candidate.CodeRejected && w.Object == "NodePool/"+pool
	})
}

// Warnings returns the faults of the objects, and those that decisions have found, without duplicates.
func (c *Cluster) Warnings(decisions ...disruptkit.Decision) []candidate.Warning {
	var all []candidate.Warning
	known := map[candidate.Warning]bool{}
	add := func(w candidate.Warning) {
		if !known[w] {
			known[w] = true
			all = append(all, w)
		}
	}
	for _, w := range c.faults {
		add(w)
	}
	for _, d := range decisions {
		for _, w := range d.Warnings {
			if strings.HasPrefix(w.Object, "NodePool/") && ofDisruption.MatchString(w.Field) {
				w.Field = "spec.disruption." + w.Field
			}
			for _, w := range c.place(w) {
				add(w)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return all
}
