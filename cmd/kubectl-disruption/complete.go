package main

import (
	"context"
	"flag"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// patience is how long a completion waits for a cluster.
const patience = 5 * time.Second

// complete completes the last argument of a command: names of flags, and of what is in the cluster, or in the file of -f.
func complete(flags func() *flag.FlagSet) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		all := flags()
		connection := new(kube.Flags)
		connection.Add(all)
		name := ""
		if len(args) > 0 {
			name = valueOf(all, args[len(args)-1])
		}
		if before, value, joined := strings.Cut(begun, "="); joined && strings.HasPrefix(begun, "-") {
			names, directive := values(c, flags, args, strings.TrimLeft(before, "-"))
			return beginning(value, before+"=", names), directive
		}
		switch {
		case name != "":
			names, directive := values(c, flags, args[:len(args)-1], name)
			return beginning(begun, "", names), directive
		case strings.HasPrefix(begun, "-"):
			return beginning(begun, "", flagNames(all, begun)), cobra.ShellCompDirectiveNoFileComp
		case c.Name() == "why":
			names, directive := values(c, flags, args, "node")
			return beginning(begun, "", names), directive
		case c.Name() == "explain":
			var codes []string
			for _, e := range explain.All() {
				codes = append(codes, e.Code)
			}
			return beginning(begun, "", codes), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault // files
	}
}

// valueOf returns the name of the flag whose value follows an argument, if any does.
func valueOf(flags *flag.FlagSet, arg string) string {
	if !strings.HasPrefix(arg, "-") || strings.Contains(arg, "=") {
		return ""
	}
	f := flags.Lookup(strings.TrimLeft(arg, "-"))
	if f == nil {
		return ""
	}
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		return ""
	}
	return f.Name
}

// beginning returns the names that begin with a text, behind what stands before them.
func beginning(text, before string, names []string) (found []string) {
	for _, name := range names {
		if strings.HasPrefix(name, text) {
			found = append(found, before+name)
		}
	}
	return found
}

// flagNames returns the flags with as many dashes as somebody has begun with. Long ones have two, unless somebody has gone on after one.
func flagNames(flags *flag.FlagSet, begun string) (names []string) {
	flags.VisitAll(func(f *flag.Flag) {
		dashes := "--"
		if len(f.Name) == 1 || len(begun) > 1 && begun[1] != '-' {
			dashes = "-"
		}
		names = append(names, dashes+f.Name)
	})
	return names
}

// values returns the values that a flag may have.
func values(c *cobra.Command, flags func() *flag.FlagSet, args []string, name string) (names []string, _ cobra.ShellCompDirective) {
	switch name {
	case "engine":
		for _, e := range engine.All {
			names = append(names, e.String())
		}
	case "reason":
		for _, r := range []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Expired, candidate.Unhealthy} {
			names = append(names, string(r))
		}
	case "pool", "node", "context":
		names = objectNames(c, flags(), args, name)
	case "f", "what-if", "watch", "calendar", "repair", "page", "kubeconfig":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// objectNames returns the names of the pools, of the nodes, or of the contexts. Where they cannot be read there are none: a completion has no
// place for an error.
func objectNames(c *cobra.Command, flags *flag.FlagSet, args []string, kind string) []string {
	var connection kube.Flags
	file := fileOf(flags, args)
	env := program.Environment{Connection: connection.Add}
	if err := env.Parse(flags, args, func(string) {}); err != nil {
		return nil
	}
	if kind == "context" || file == "" {
		ctx, cancel := context.WithTimeout(c.Context(), patience)
		defer cancel()
		return kube.Cluster{Flags: &connection, Stderr: io.Discard}.Names(ctx, kind)
	}
	in, err := manifest.Open(file, strings.NewReader(""))
	if err != nil {
		return nil
	}
	defer in.Close()
	if kind == "pool" {
		read, err := manifest.ReadPools(file, in)
		if err != nil {
			return nil
		}
		var names []string
		for _, p := range read.Pools {
			names = append(names, p.Name)
		}
		return names
	}
	cluster, err := manifest.Read(in)
	if err != nil {
		return nil
	}
	var names []string
	for _, n := range cluster.Input(time.Now()).Nodes {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

// fileOf returns the file of the last -f.
func fileOf(flags *flag.FlagSet, args []string) (file string) {
	for i, arg := range args {
		if text, ok := strings.CutPrefix(strings.TrimPrefix(arg, "-"), "-f="); ok {
			file = text
		} else if i > 0 && valueOf(flags, args[i-1]) == "f" {
			file = arg
		}
	}
	return file
}
