// Package decide is the command that says which nodes of a cluster may be disrupted right now, for which reason, and if not, why not
// and when that ends. It needs no Kubernetes client: it reads what kubectl prints.
//
// It is also the shortest way to embed disruptkit: what a decision depends on is read (package manifest), disruptkit.Decide is called
// once for each reason, and what it returns is printed.
package decide

import (
	"context"
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/input"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/repair"
)

// The exit status.
const (
	good     = command.Good
	faulty   = command.Faulty
	hopeless = command.Hopeless
)

// run decides, and prints the decisions.
func (o *options) run(_ context.Context, env command.Environment, _ []string) (status int, err error) {
	if err := o.Finish(env, o.reasons); err != nil {
		return hopeless, err
	}
	a, err := o.answer(env)
	if err != nil {
		return hopeless, err
	}
	if len(a.cluster.Probes)+len(a.cluster.Probing) > 0 && o.Policy.As != engine.Karpenter {
		fmt.Fprintln(env.Stderr, "note:", env.Name, "does not run disruptionProbes, so it blocks pools that have any; the guard and the steward run them")
	}
	status = input.Report(env, a.cluster, a.warnings, a.decisions...)
	if err := o.print(env.Stdout, a); err != nil {
		return hopeless, err
	}
	return status, nil
}

// answer reads the cluster, and decides.
func (o *options) answer(env command.Environment) (answer, error) {
	clusters, err := o.read(env)
	if err != nil {
		return answer{}, err
	}
	a := decide(clusters[o.Policy.As], *o)
	a.differs = differences(clusters, a, *o)
	return a, a.narrow(o.pool)
}

// decide decides each reason on the same input: what one allows is not in flight for the next. (Who starts what was
// allowed before deciding on continues with Input.Apply.)
func decide(cluster *manifest.Cluster, o options) answer {
	a := answer{verbose: o.verbose, as: o.Policy.As, cluster: cluster, in: cluster.Input(o.At), missing: cluster.Missing(), repairs: cluster.Repairs(o.At), policies: o.Policy.Repair, nodes: map[string]*candidate.Node{}}
	for i := range slices.Backward(a.in.Nodes) { // of nodes that share a name, the first
		a.nodes[a.in.Nodes[i].Name] = &a.in.Nodes[i]
	}
	for _, reason := range a.asked(o.reasons) {
		a.decisions = append(a.decisions, cluster.Decide(a.in, reason))
	}
	a.warnings, a.whole = cluster.Warnings(a.decisions...), a.in
	a.narrowed = len(o.reasons) > 0 || o.pool != ""
	return a
}

// asked returns the reasons to decide: those that the options name, or those of Karpenter, in its order, and those that nodes have besides.
func (a answer) asked(named []candidate.Reason) []candidate.Reason {
	if len(named) > 0 {
		return named
	}
	reasons := []candidate.Reason{candidate.Empty, candidate.Drifted, candidate.Underutilized}
	occurs := func(reason candidate.Reason) bool {
		return slices.ContainsFunc(a.in.Nodes, func(n candidate.Node) bool {
			return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return reason.Covers(c.Reason) })
		})
	}
	if occurs(candidate.Expired) {
		reasons = slices.Insert(reasons, 2, candidate.Expired)
	}
	if occurs(candidate.Requested) {
		reasons = slices.Insert(reasons, 1, candidate.Requested)
	}
	if len(a.repairs) > 0 {
		reasons = slices.Insert(reasons, 0, candidate.Unhealthy)
	}
	return reasons
}

// split returns the candidates of a decision that wait, and those that are in flight already: what blocks starts does not
// matter to these.
func (a answer) split(d disruptkit.Decision) (blocked, inFlight []candidate.Candidate) {
	for _, c := range d.Blocked {
		if n := a.nodes[c.Node]; n != nil && n.InFlight() {
			inFlight = append(inFlight, c)
		} else {
			blocked = append(blocked, c)
		}
	}
	return blocked, inFlight
}

// An answer is everything that is to be printed.
type answer struct {
	verbose   bool
	as        engine.Engine
	cluster   *manifest.Cluster
	differs   []difference               // from other engines
	in        disruptkit.Input           // what is shown of it
	whole     disruptkit.Input           // what was decided on
	narrowed  bool                       // somebody named reasons, a pool or a node
	nodes     map[string]*candidate.Node // of the input, by name
	missing   []manifest.Missing
	repairs   map[string]repair.Result // what is to be done with unhealthy nodes, by name
	policies  repair.Set
	decisions []disruptkit.Decision // one for each reason
	warnings  []candidate.Warning
}
