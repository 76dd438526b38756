package decide

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/input"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

const long = `decide lists the nodes that may be disrupted right now, for which reason, and what blocks the others, and when that lifts.

Without -f it asks the cluster of kubectl's context:

  ` + manifest.Command + `

Each reason is decided on its own, on the cluster as it is: nodes that may be disrupted for one reason do not count for the next.
Without --reason the reasons are Unhealthy (if a node is), Empty, Drifted, Expired (if a node is) and Underutilized.

LIMIT is how many nodes of a pool may be in disruption at once, and LEFT is LIMIT less IN USE. An allowed node may be disrupted at
least UNTIL the time shown, unless a node ahead of it in line is allowed first, or something other than the time changes. Time alone
lifts a blocker at the time shown; another change may lift it earlier. When a node is expected to be disrupted, kubectl disruption
why NODE and plan say.

Unhealthy is node repair. Karpenter v1.15 repairs nodes if its feature gate NodeRepair is on, by policies of its cloud
provider. No object shows these policies: name a file of them with --repair. repair-policies.yaml is an example. A node is due
SINCE the end of what its policy tolerates; the most urgent comes first. A node that is not Ready uses up what may be disrupted
for every reason but Unhealthy. After two reboots in a day, Karpenter replaces a node.

Pods block their node with the annotation karpenter.sh/do-not-disrupt, with disruption schedules (annotations, or
the PodDisruptionSchedules that select them, where a cluster has any), and with PodDisruptionBudgets, unless they have finished
or are terminating. If the node has a terminationGracePeriod, a pod does not block drift, but may delay the drain until that
period ends.

Budgets with a topologyKey limit each zone on its own; sequential ones let zones take turns. TO GO counts the candidates for
the budget's reasons that are neither in flight nor blocked for good. A zone keeps its TURN until none are TO GO, and its new
nodes are Ready. decide reads whose turn it was from the annotation ` + annotation.Memory + ` of a NodePool. The answer says
whose turn it is now: store that before you drain.

` + manifest.MissingHelp + `

A NodePool with disruptionProbes is blocked, since this command does not ask the probes. The guard and the steward ask them.

The exit status is 0; 1 if something in the input is invalid, which standard error names, or if nodes are blocked since
a kind is missing, while all else is decided; or 2 if nothing can be decided.`

const examples = `  # all nodes, for the reasons for which Karpenter asks
  kubectl disruption decide
  # one NodePool, for one reason
  kubectl disruption decide --pool web --reason Drifted
  # a file that kubectl printed, as if it was Christmas Eve
  kubectl disruption decide -f cluster.json --now 2026-12-24
  # only the names of the nodes that are allowed now
  kubectl disruption decide --reason Drifted -o name
  # Karpenter with disruptkit's guard, for a program to read
  kubectl disruption decide --engine guard -o json`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "decide [flags]",
		Short:   "Which nodes may be disrupted now, and what blocks the others",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, o.run)
	o.addFlags(env, c.Flags())
	choose.PoolFlag(c.Flags(), &o.pool, "show one `NodePool`")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show everything (by default, a long answer is one screen)")
	command.OneOf(c.Flags(), &o.print, "output", "o", "the `format`: %s; name shows only the nodes that are allowed now for one reason",
		command.Is("text", printTable), command.Is("name", printNames), command.Is("json", printJSON))
	return c
}

// addFlags adds the flags that decide and why share.
func (o *options) addFlags(env *command.Environment, f *pflag.FlagSet) {
	o.AddFlags(env, f, "decide for")
	(*command.Reasons)(&o.reasons).AddFlag(f, "decide for these reasons: %s")
}

// options are what the arguments say.
type options struct {
	input.Source
	reasons []candidate.Reason // none: those of Karpenter
	pool    string             // "": all
	verbose bool               // show all, however much it is
	print   func(io.Writer, answer) error
}

// read reads the cluster, as each engine does.
func (o *options) read(env command.Environment) (clusters map[engine.Engine]*manifest.Cluster, err error) {
	as := o.Policy.As.Compared()
	read, err := o.Read(env, 0, as...)
	if err != nil {
		return nil, err
	}
	clusters = map[engine.Engine]*manifest.Cluster{}
	for i, e := range as {
		clusters[e] = read[i]
	}
	return clusters, nil
}
