package manifest

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/annotation"
	"github.com/disruptkit/disruptkit/examples/internal/engine"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/repair"
)

// Kinds are those of all objects that Read wants to see, and Command prints them.
const (
	Kinds   = "nodepools,nodeclaims,nodes,pods,poddisruptionbudgets"
	Command = "kubectl get " + Kinds + " -A -o json"
)

// A Cluster is what the API told of one, at some time.
type Cluster struct {
	Pools []disruptkit.Pool
	Nodes []candidate.Node // without what repair says of them: see Input
	Rules candidate.Rules  // of its pods
	// Memory is what annotations of each pool remember, and MemoryIn which of them are there: memory.Annotation,
	// memory.RollAnnotation, or both.
	Memory   map[string]disruptkit.Memory
	MemoryIn map[string][]string
	// Probes are the disruptionProbes of each pool that has any, broken ones included. Nobody has asked them yet, so
	// that the verdicts of Pools let nothing go: for who asks, to replace. (Package poll does.)
	Probes map[string][]probe.Probe
	Pauses []probe.Pause // that pools are annotated with, where the guard runs

	policies repair.Set
	patients []patient // nodes that policies are about

	as       engine.Engine
	admitted map[string]budget.Set // by pool, what Karpenter makes of its budgets; where the guard runs
	written  map[string]int        // by pool, how many those are: the budgets of annotations come after them

	faults   []candidate.Warning
	handedIn map[string]bool // kinds of which there are objects, or a list
	unknown  map[string]int  // objects by kind and apiVersion
	endless  []string        // pools without budgets
	strays   []string        // nodes that have a pool's label and no NodeClaim

	namespaces map[string]bool // of Pods
	podless    int             // nodes of pools that should run Pods, and run none
}

// Read reads objects from JSON or YAML. The error says that the input is neither, is empty or ends early: what cannot be read
// may be what holds any of the nodes back, so that nothing can be decided without it. Whatever else is wrong is in Warnings.
func (p Policy) Read(in io.Reader) (*Cluster, error) {
	clusters, err := ReadAll(in, p)
	if err != nil {
		return nil, err
	}
	return clusters[0], nil
}

// ofDisruption matches what package budget says of fields of spec.disruption.
var ofDisruption = regexp.MustCompile(`^(budgets|consolidat|defaults|drift|expiration|emptiness)`)

// Input returns what to decide on, at some time: the objects do not say when they were printed.
func (c *Cluster) Input(now time.Time) disruptkit.Input {
	return disruptkit.Input{
		Now: now, Pools: c.Pools, Nodes: c.nodes(now), Rules: c.Rules, Memory: c.Memory, Pauses: c.Pauses, Dialect: c.as.Dialect(),
	}
}

// Decide decides as the engine does that the cluster was read for.
func (c *Cluster) Decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	if c.as == engine.Guard {
		return engine.Guarded(in, c.admittedFor(in.Pools), reason)
	}
	return disruptkit.Decide(in, reason)
}

// Rejected reports whether Karpenter's API server does not store a NodePool: what is in force is unknown instead.
func (c *Cluster) Rejected(pool string) bool {
	return slices.ContainsFunc(c.faults, func(w candidate.Warning) bool {
		return w.Code == candidate.CodeRejected && w.Object == "NodePool/"+pool
	})
}

// Place returns where a budget of a pool is written: "budgets[0]" of its spec.disruption, or "disruptkit.dev/disruption budgets[0]".
func (c *Cluster) Place(pool string, set budget.Set, i int) string {
	return placeOf(set, i, c.as, c.written[pool])
}

func placeOf(set budget.Set, i int, as engine.Engine, written int) string {
	place := set.Place(i)
	switch {
	case as != engine.Guard || i < written:
		return place
	case place == fmt.Sprintf("budgets[%d]", i):
		place = fmt.Sprintf("budgets[%d]", i-written)
	}
	return annotation.Disruption + " " + place
}

// Warnings returns what is wrong with the objects, and what decisions on them have found wrong, each fault once.
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
			for _, w := range annotation.Place(w, c.Pauses) {
				add(w)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return all
}
