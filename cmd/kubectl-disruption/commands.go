package main

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/decide"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
	"github.com/disruptkit/disruptkit/cmd/internal/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/metrics"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/probe"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

// commands are the programs. Each parses its own flags and prints its own help.
func commands() []*cobra.Command {
	return []*cobra.Command{
		command("decide", "Which nodes may go now, and why the others stay", decide.Flags, without(decide.Run)),
		command("why", "Everything that holds one node back, and what to do about it", decide.Flags, without(decide.RunWhy)),
		command("forecast", "When how many nodes may go, and which budget says so", forecast.Flags, without(forecast.Run)),
		command("plan", "When a roll will be done, what holds it up, and what would help", planner.Flags, without(planner.Run)),
		command("lint", "What in the budgets is probably a mistake, for CI", lint.Flags, without(lint.Run)),
		command("probe", "What the disruptionProbes of NodePools say, as it changes", probe.Flags, probe.Run),
		command("explain", "What a code means, and what to do", explain.Flags, without(explain.Run)),
		command("metrics", "What operators watch, for Prometheus and as a page", metrics.Flags, metrics.Run),
	}
}

func without(run func(program.Environment, []string) int) func(context.Context, program.Environment, []string) int {
	return func(_ context.Context, env program.Environment, args []string) int { return run(env, args) }
}

func command(use, short string, flags func() *flag.FlagSet, run func(context.Context, program.Environment, []string) int) *cobra.Command {
	c := &cobra.Command{
		Use:                use,
		Short:              short,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if slices.Contains(args, "--version") {
				_, err := fmt.Fprintln(c.OutOrStdout(), version(debug.ReadBuildInfo()))
				return err
			}
			env := newEnvironment(c)
			if (program.Environment{Connection: new(kube.Flags).Add}).WantsDemo(flags(), args) {
				env.Cluster, env.Events = nil, nil
			}
			s := status(run(c.Context(), env.Environment, args))
			if note := env.flags.Unused(); note != "" && !*env.asked && s != program.Hopeless {
				fmt.Fprintln(c.ErrOrStderr(), "note:", note)
			}
			if s != program.Good {
				return s
			}
			return nil
		},
		ValidArgsFunction: complete(flags),
	}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		run(c.Context(), newEnvironment(c).Environment, []string{"--help"})
	})
	return c
}
