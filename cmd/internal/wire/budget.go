package wire

import (
	"cmp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A Budget is one of a NodePool, with the fields that it has there. What is not written is left out, except for nodes and reasons: none are all.
type Budget struct {
	Place  string `json:"place"` // where it is written, such as budgets[0]
	Text   string `json:"text"`  // in words
	Broken bool   `json:"broken"`
	written
}

// The fields that are written, without how they are read.
type written budget.Budget

// newBudget returns the JSON of a Budget that is written at a place.
func newBudget(b budget.Budget, place string, broken bool) Budget {
	text := b.String()
	b.Nodes, b.Reasons = cmp.Or(b.Nodes, "10%"), append([]candidate.Reason{}, b.Reasons...)
	return Budget{place, text, broken, written(b)}
}

// A NodePool is one with its budgets, to which positions refer.
type NodePool struct {
	Name    string   `json:"name"`
	Budgets []Budget `json:"budgets"`
}

// Budgets returns the JSON of all budgets of a Set.
func Budgets(set budget.Set) []Budget {
	all, broken := []Budget{}, set.Broken()
	for i, b := range set.Budgets() {
		all = append(all, newBudget(b, set.Place(i), broken.Has(i)))
	}
	return all
}

// NodePools returns the JSON of the pools of a cluster. Budgets that cannot be read are broken as well.
func NodePools(cluster *manifest.Cluster, pools []disruptkit.Pool) []NodePool {
	faults := cluster.Warnings()
	return Each(pools, func(p disruptkit.Pool) NodePool {
		j := NodePool{p.Name, Budgets(p.Budgets)}
		for i := range j.Budgets {
			field := "spec.disruption." + j.Budgets[i].Place
			j.Budgets[i].Broken = j.Budgets[i].Broken || slices.ContainsFunc(faults, func(w candidate.Warning) bool {
				return w.Code == manifest.CodeUnreadable && w.Object == "NodePool/"+p.Name && (w.Field == field || strings.HasPrefix(w.Field, field+"."))
			})
		}
		return j
	})
}

// Policies returns the JSON of DisruptionPolicies, as NodePools does of pools.
func Policies(groups []disruptkit.Group) []NodePool {
	return Each(groups, func(g disruptkit.Group) NodePool { return NodePool{g.Name, Budgets(g.Budgets)} })
}
