package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// ConnectionHelp is the text of help for kubectl's flags.
const ConnectionHelp = `The flags of kubectl say which cluster to ask, and as whom: --context, --kubeconfig, --cluster, --user, --server, --token,
--as, --as-group, --request-timeout and the like. They may stand before the subcommand as well. -n and -A have no effect: a
node has pods of all namespaces, so all are read.`

const helpWidth = 100

// help prints what a command is for, its flags, and examples.
func help(c *cobra.Command, _ []string) {
	out := []string{strings.TrimSpace(c.Long), "", "Usage:", "  " + c.UseLine()}
	if c.HasSubCommands() {
		out = append(out, "", "Commands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				out = append(out, fmt.Sprintf("  %-*s  %s", sub.NamePadding(), sub.Name(), sub.Short))
			}
		}
	}
	if !c.HasSubCommands() {
		out = append(out, "", "Flags:", strings.TrimRight(c.LocalFlags().FlagUsagesWrapped(helpWidth), "\n"))
	}
	if c.HasParent() && asks(c) {
		out = append(out, "", ConnectionHelp)
	}
	if c.HasExample() {
		out = append(out, "", "Examples:", strings.TrimRight(c.Example, "\n"))
	}
	fmt.Fprintln(c.OutOrStdout(), strings.Join(out, "\n"))
}

// asks reports whether a command asks a cluster: one that does not says so.
func asks(c *cobra.Command) bool { return c.Annotations[noCluster] == "" }

const noCluster = "no cluster"

// WithoutCluster are the annotations of a command that asks no cluster: its help names no flags for one.
func WithoutCluster() map[string]string { return map[string]string{noCluster: noCluster} }
