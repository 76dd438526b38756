package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/blockers"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/decide"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
	"github.com/disruptkit/disruptkit/cmd/internal/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/metrics"
	"github.com/disruptkit/disruptkit/cmd/internal/pause"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/replace"
	"github.com/disruptkit/disruptkit/cmd/internal/rerun"
)

// newRoot returns kubectl disruption, whose commands ask a cluster that kubectl's own flags name.
func newRoot(env *command.Environment, cluster kube.Cluster) *cobra.Command {
	root := &cobra.Command{
		Use: "kubectl-disruption COMMAND [flags] [argument...]",
		Long: `kubectl disruption says which nodes of a Karpenter cluster may be disrupted right now, for which reason, and if not, why
not, and when that ends. It asks the cluster of kubectl's current context, or reads files. Only pause, resume and
replace change anything, once you say yes, and steward install and leave. kubectl completes its arguments where
kubectl_complete-disruption is on the PATH.

` + command.ConnectionHelp,
		Example: `  # which nodes may be disrupted now, and what blocks the others
  kubectl disruption decide
  # the same for an example, without a cluster
  kubectl disruption decide --demo
  # for another cluster, as another user
  kubectl disruption decide --context prod-eu --as ops@example.com
  # why one node is blocked
  kubectl disruption why ip-10-0-36-243
  # when a roll will be done
  kubectl disruption plan
  # how far it is, and whether it is stuck
  kubectl disruption status`,
		DisableFlagsInUseLine: true,
		Annotations:           map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl disruption"},
	}
	root.PersistentFlags().Bool("version", false, "print the version of this command")
	cluster.Flags.Add(root.PersistentFlags())
	root.CompletionOptions.DisableDefaultCmd = true // its script completes kubectl-disruption, which nobody types
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetVersionTemplate("{{.Version}}\n")
	for _, of := range []func(*command.Environment) *cobra.Command{
		decide.Command, decide.WhyCommand, forecast.Command, forecast.TestCommand, planner.Command, planner.StatusCommand, blockers.Command, pause.Command, pause.ResumeCommand, replace.Command, metrics.DashboardCommand, lint.Command, explain.Command, metrics.Command, rerun.Command,
	} {
		root.AddCommand(of(env))
	}
	root.AddCommand(newSteward(cluster))
	root.Version = version(debug.ReadBuildInfo())
	for _, c := range root.Commands() {
		c.Version = root.Version
		complete(c, cluster)
	}
	complete(root, cluster)
	return root
}

// readsFile reports whether a command has a file to read.
func readsFile(c *cobra.Command, args []string) bool {
	return c.Flags().Changed("filename") || len(args) > 0 && argumentsOf(c) == "file"
}
