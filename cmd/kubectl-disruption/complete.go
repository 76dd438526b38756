package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// patience is how long a completion waits for a cluster.
const patience = 5 * time.Second

// complete completes the values of a command's flags, and its arguments, by what the declarations say they are.
func complete(c *cobra.Command, cluster kube.Cluster) {
	values := func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		if v, ok := f.Value.(interface{ Completions() []string }); ok {
			_ = c.RegisterFlagCompletionFunc(f.Name, names(func(*cobra.Command) []string { return v.Completions() }))
		} else if complete := completionOf(what, cluster); complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete)
		}
	}
	c.LocalNonPersistentFlags().VisitAll(values)
	c.PersistentFlags().VisitAll(values)
	c.ValidArgsFunction = completionOf(argumentsOf(c), cluster)
}

// argumentsOf describes what the arguments of a command are, which its usage says last: file of [file ...], node of NODE, and so on.
func argumentsOf(c *cobra.Command) string {
	words := strings.Fields(c.Use)
	return strings.ToLower(strings.Trim(words[len(words)-1], "[]."))
}

func files(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// names completes with those of some names that begin as what is written does.
func names(all func(*cobra.Command) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		others := func(name string) bool { return !strings.HasPrefix(name, begun) }
		return slices.DeleteFunc(slices.Clone(all(c)), others), cobra.ShellCompDirectiveNoFileComp
	}
}

// completionOf returns how something is completed; nil is not at all.
func completionOf(what string, cluster kube.Cluster) cobra.CompletionFunc {
	switch what {
	case "file":
		return files
	case "nodepool": // as an argument
		return completionOf("NodePool", cluster)
	case "NodePool", "node", "context":
		return names(func(c *cobra.Command) []string { return objectNames(c, cluster, what) })
	}
	return nil
}

// objectNames returns the names of the NodePools, of the nodes, or of the contexts. Where they cannot be read there are
// none: a completion has no place for an error.
func objectNames(c *cobra.Command, cluster kube.Cluster, kind string) []string {
	file, demo := c.Flags().Lookup("filename"), c.Flags().Lookup("demo")
	switch {
	case kind != "context" && file != nil && file.Changed:
		path := file.Value.String()
		if several, ok := file.Value.(pflag.SliceValue); ok {
			all := several.GetSlice()
			path = all[len(all)-1]
		}
		in, err := manifest.Open(path, strings.NewReader(""))
		if err != nil {
			return nil
		}
		defer in.Close()
		return namesIn(path, in, kind)
	case kind != "context" && demo != nil && demo.Changed: // which asks no cluster
		return namesIn("", bytes.NewReader(bundled.Cluster), kind)
	}
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	cluster.Stderr = io.Discard
	return cluster.Names(ctx, kind)
}

// namesIn returns the names of the NodePools, or of the nodes, in a file.
func namesIn(path string, in io.Reader, kind string) (names []string) {
	if kind == "NodePool" {
		read, err := manifest.ReadPools(path, in)
		if err != nil {
			return nil
		}
		for _, p := range read.Pools {
			names = append(names, p.Name)
		}
		return names
	}
	read, err := manifest.Read(in)
	if err != nil {
		return nil
	}
	for _, n := range read.Input(time.Now()).Nodes {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}
