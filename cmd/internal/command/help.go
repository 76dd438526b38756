package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ConnectionHelp is the text of help for kubectl's flags.
const ConnectionHelp = `The flags of kubectl say which cluster to ask, and as whom: --context, --kubeconfig, --cluster, --user, --server, --token,
--as, --as-group, --request-timeout and the like. They may stand before the subcommand as well. -n and -A have no effect: a
node has pods of all namespaces, so all are read.`

const helpWidth = 100

// A group is flags that are about the same.
type group struct {
	title string
	flags []string
}

// groups are those that several commands have. All other flags are about what a command itself is about.
var groups = []group{
	{"Input", []string{"filename", "demo", "recursive", "exclude", "if-any", "now", "zone", "engine", "calendar", "repair", "most-specific", "fail-closed"}},
	{"What a plan assumes", []string{"drain", "launch", "eviction", "pass", "runs", "horizon", "drain-first", "terminate-first", "ignore-probes"}},
	{"Waiting", []string{"watch", "watch-every", "wait", "timeout", "at-least", "behind", "settle", "stuck-after"}},
}

// help prints what a command is for, how it is used, its flags, and then all else about it.
func help(c *cobra.Command, _ []string) {
	first, more, _ := strings.Cut(strings.TrimSpace(cmp.Or(c.Long, c.Short+".")), "\n\n")
	out := []string{first, "", "Usage:", "  " + c.UseLine()}
	if c.HasExample() {
		out = append(out, "", "Examples:", strings.TrimRight(c.Example, "\n"))
	}
	if c.HasSubCommands() {
		out = append(out, "", "Commands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				out = append(out, fmt.Sprintf("  %-*s  %s", sub.NamePadding(), sub.Name(), sub.Short))
			}
		}
	} else {
		out = append(out, flagsByGroup(c)...)
	}
	if c.HasParent() && asks(c) {
		text := ConnectionHelp
		if c.LocalNonPersistentFlags().Lookup("namespace") != nil { // of its own
			text, _, _ = strings.Cut(text, " -n and -A")
		}
		out = append(out, "", "Flags of kubectl:", text)
	}
	if more != "" {
		out = append(out, "", more)
	}
	fmt.Fprintln(c.OutOrStdout(), strings.Join(out, "\n"))
}

// flagsByGroup returns the flags of a command, under the titles of their groups.
func flagsByGroup(c *cobra.Command) (lines []string) {
	own := group{title: "Flags"}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.flags, f.Name) }) {
			own.flags = append(own.flags, f.Name)
		}
	})
	for _, g := range slices.Concat([]group{own}, groups) {
		set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.flags {
			if f := c.LocalFlags().Lookup(name); f != nil {
				set.AddFlag(f)
			}
		}
		if set.HasAvailableFlags() {
			lines = append(lines, "", g.title+":", strings.TrimRight(set.FlagUsagesWrapped(helpWidth), "\n"))
		}
	}
	return lines
}

// asks reports whether a command asks a cluster: one that does not says so.
func asks(c *cobra.Command) bool { return c.Annotations[noCluster] == "" }

const noCluster = "no cluster"

// WithoutCluster are the annotations of a command that asks no cluster: its help names no flags for one.
func WithoutCluster() map[string]string { return map[string]string{noCluster: noCluster} }
