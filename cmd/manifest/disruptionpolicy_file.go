package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Codes of faults of DisruptionPolicies that are read well, in files.
const (
	CodeSelectsNothing candidate.Code = "selects-nothing" // it limits nothing
	CodeOverruled      candidate.Code = "overruled"       // another policy always allows less
)

// A WrittenPolicy is a DisruptionPolicy in a file.
type WrittenPolicy struct {
	disruptionpolicy.Policy
	in writing
}

// Place returns where a field is written, such as spec.budgets[0].
func (p WrittenPolicy) Place(field string) Place { return p.in.at(field) }

func (f *File) addPolicy(o *object, in writing) {
	f.Policies = append(f.Policies, WrittenPolicy{readDisruptionPolicy(o, f.policy), in})
}

// PolicyFaults returns what is wrong with the policies of some files, whose NodePools are pools: what is broken, what
// selects nothing, and which of two says less than the other.
func PolicyFaults(as engine.Engine, policies []WrittenPolicy, pools []NodePool) (all []Fault) {
	labels := map[string][]map[string]string{}
	for _, p := range pools {
		labels[p.Name] = append(labels[p.Name], p.labels)
	}
	var read []disruptionpolicy.Policy
	for _, p := range policies {
		read = append(read, p.Policy)
	}
	selected := make([][]string, len(policies))
	for i, p := range distinct(read) {
		say := func(code candidate.Code, field, message string) {
			w := candidate.Warning{Code: code, Object: p.Object(), Field: field, Message: message}
			all = append(all, policies[i].in.faults([]candidate.Warning{w})...)
		}
		if as == engine.Karpenter {
			say(CodeSelectsNothing, "", unheard)
			continue
		}
		all = append(all, policies[i].in.faults(slices.Concat(p.Faults, p.Warnings))...)
		g, _ := p.Of(labels, nil)
		if selected[i] = g.Pools; len(labels) > 0 {
			if idle := p.Idle(len(g.Pools)); idle != "" {
				say(CodeSelectsNothing, "spec", idle)
			}
		}
		for j, other := range read {
			if i == j || len(g.Pools) == 0 || len(p.Faults) > 0 {
				continue
			}
			o, _ := other.Of(labels, nil)
			within := !slices.ContainsFunc(g.Pools, func(pool string) bool { return !slices.Contains(o.Pools, pool) })
			if n, by, found := overruled(p.Budgets.Budgets(), other.Budgets.Budgets()); within && found {
				say(CodeOverruled, fmt.Sprintf("spec.budgets[%d]", n), fmt.Sprintf("it never decides: %s, which selects all NodePools of this policy, "+
					"never allows more than %s (spec.budgets[%d]): the stricter holds, so delete this budget, or raise the other",
					wording.Quote(other.Object()), other.Budgets.Budgets()[by].Nodes, by))
			}
		}
	}
	return all
}

// overruled returns the first of some budgets that one of others overrules, and that one.
func overruled(own, others []budget.Budget) (n, by int, found bool) {
	for n, b := range own {
		if by := slices.IndexFunc(others, func(o budget.Budget) bool { return overrules(o, b) }); by >= 0 {
			return n, by, true
		}
	}
	return 0, 0, false
}

// overrules reports whether a budget always allows less than another one, for the same reasons or more. Only counts are compared, since
// percentages may be of other nodes.
func overrules(o, b budget.Budget) bool {
	n, err := strconv.Atoi(o.Nodes)
	than, err2 := strconv.Atoi(b.Nodes)
	if err != nil || err2 != nil || n >= than || b.TopologyKey+b.Per+b.Soak+b.Spread != "" {
		return false
	}
	covers := func(child candidate.Reason) bool {
		child, _ = candidate.ParseReason(string(child)) // none is broken
		return slices.ContainsFunc(o.Reasons, func(r candidate.Reason) bool {
			r, _ = candidate.ParseReason(string(r))
			return r.Covers(child)
		})
	}
	if len(o.Reasons) > 0 && (len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return !covers(r) })) {
		return false
	}
	o.Nodes, o.Reasons, b.Nodes, b.Reasons = "", nil, "", nil
	return reflect.DeepEqual(o, budget.Budget{}) || reflect.DeepEqual(o, b) // what is left says when
}
