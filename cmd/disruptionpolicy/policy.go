// Package disruptionpolicy reads DisruptionPolicies (disruptkit.dev/v1alpha1): what people want of several NodePools
// together. It has their CustomResourceDefinition as well.
package disruptionpolicy

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/topology"
)

// What the API server calls DisruptionPolicies.
const (
	Group    = "disruptkit.dev"
	Version  = Group + "/v1alpha1" // the apiVersion
	Kind     = "DisruptionPolicy"
	Resource = "disruptionpolicies." + Group
)

// CRD is the CustomResourceDefinition in YAML. The API server refuses what it can check without knowing schedules, time
// zones, dates and calendars; [Read] checks all.
//
//go:embed crd.yaml
var CRD []byte

// A Policy is a DisruptionPolicy.
type Policy struct {
	Name     string
	Budgets  budget.Set // none: no limit
	Topology topology.Options
	Probes   []httpget.Spec
	Memory   disruptkit.Memory // zero if that is not valid
	Faults   []candidate.Warning
	Warnings []candidate.Warning // of what blocks nothing

	all      bool
	selector *candidate.Selector // nil: none
	unclear  bool                // which pools it selects cannot be read
	pause    *probe.Pause        // of the pools that it selects
}

// Object names the policy in warnings.
func (p Policy) Object() string { return Kind + "/" + p.Name }

// broken returns a blocker for each of the Faults. With any, no node of the pools may go that the policy selects, or
// could select, if it is not known which these are.
func (p Policy) broken() (blockers []candidate.Blocker) {
	for _, f := range p.Faults {
		blockers = append(blockers, candidate.Blocker{Gate: candidate.GateNode, Code: f.Code, Message: f.Error()})
	}
	return blockers
}

// selects reports whether the policy is about a NodePool with these labels: those of the NodePool, not of its nodes. An
// empty selector selects nothing. A selector that cannot be read could select any NodePool, and so does.
func (p Policy) selects(labels map[string]string) bool {
	switch {
	case p.unclear || p.all:
		return true
	case p.selector == nil || p.isEmpty():
		return false
	}
	matches, _ := p.selector.Matches(labels) // it is valid
	return matches
}

// isEmpty reports whether the selector is there, and has no terms.
func (p Policy) isEmpty() bool {
	return p.selector != nil && len(p.selector.MatchLabels)+len(p.selector.MatchExpressions) == 0
}

// Of returns the policy as a group of those pools that it selects, and its pause. Labels has the labels of all
// NodePools, by name. Elsewhere has the pools of nodes that are not among these: what their labels are is not known, so
// they could be selected, and what they have in flight could not be counted. Then no node of the group may be disrupted.
func (p Policy) Of(labels map[string][]map[string]string, elsewhere []string) (g disruptkit.Group, pauses []probe.Pause) {
	g = disruptkit.Group{Name: p.Name, Budgets: p.Budgets, Topology: p.Topology, Blockers: p.broken()}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if slices.ContainsFunc(labels[name], p.selects) {
			g.Pools = append(g.Pools, name)
		}
	}
	for _, name := range elsewhere {
		if p.unclear || p.all || p.selector != nil && !p.isEmpty() {
			g.Blockers = append(g.Blockers, candidate.Blocker{Gate: candidate.GateNode, Code: candidate.CodeUnknownPool,
				Message: fmt.Sprintf("NodePool %s has nodes and is not in the input, so whether %s is about it, and what of "+
					"it is in flight, is unknown: give it as well, or wait until its nodes are gone", wording.Quote(name), wording.Quote(p.Object()))})
		}
	}
	if p.pause != nil && len(g.Pools) > 0 { // without pools, it would pause all
		pause := *p.pause
		for _, name := range g.Pools {
			pause.Pools = append(pause.Pools, probe.PoolSelector(annotation.PoolLabel+"="+name))
		}
		pauses = append(pauses, pause)
	}
	return g, pauses
}

// Idle reports why the policy has no effect on a cluster with some pools selected; "": it has one.
func (p Policy) Idle(selected int) string {
	switch {
	case p.isEmpty():
		return "an empty selector selects nothing, and the policy limits nothing: write all: true for all NodePools"
	case selected == 0:
		return "the policy selects no NodePool, and limits nothing: write labels that NodePools have, or all: true"
	case len(p.Faults)+len(p.Budgets.Budgets())+len(p.Probes) == 0 && p.pause == nil && p.Budgets.Spec().Order == "" && p.Budgets.Spec().Defaults.Rollout == nil:
		return "the policy has no budgets, rollout, disruptionProbes and pause, and limits nothing: write some, or delete it"
	}
	return ""
}
