// Command kubectl-disruption says which nodes of a cluster may be disrupted right now, for which reason, and if not, why not and
// until when. With kubectl on the PATH it runs as kubectl disruption. It only reads.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/internal/kube"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var ended status
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return program.Good
	case errors.As(err, &ended):
		return int(ended)
	default:
		fmt.Fprintf(stderr, "kubectl disruption: %v\nwrite kubectl disruption --help to see the commands\n", err)
		return program.Hopeless
	}
}

// A status is how a command ended that has said why.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-disruption",
		Short: "Which nodes may be disrupted right now, and if not, why not and until when",
		Long: `kubectl disruption says which nodes of a Karpenter cluster may be disrupted right now, for which reason, and if not, why
not and until when. It asks the cluster of kubectl's current context, or reads files, and changes nothing. kubectl completes
its arguments where kubectl_complete-disruption is on the PATH.

` + program.ConnectionHelp,
		Example: `  # which nodes may go now, and why the others stay
  kubectl disruption decide
  # the same of an example, without a cluster
  kubectl disruption decide --demo
  # of another cluster, as somebody else
  kubectl disruption decide --context prod-eu --as ops@example.com
  # why one node stays
  kubectl disruption why ip-10-0-36-243
  # when a roll will be done
  kubectl disruption plan`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl disruption"},
		Version:       version(debug.ReadBuildInfo()),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Flags().Bool("version", false, "print the version of this command")
	root.CompletionOptions.DisableDefaultCmd = true // its script completes kubectl-disruption, which nobody types
	root.SetVersionTemplate("{{.Version}}\n")
	// Commands parse kubectl's flags by themselves. Here they are known, so that they may stand before the name of a command.
	connection := flag.NewFlagSet("", flag.ContinueOnError)
	new(kube.Flags).Add(connection)
	root.PersistentFlags().AddGoFlagSet(connection)
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // the text above names them
	root.AddCommand(commands()...)
	root.AddCommand(newVersion())
	return root
}

// An environment is what a command has of the world.
type environment struct {
	program.Environment
	flags *kube.Flags
	asked *bool // the cluster
}

func newEnvironment(c *cobra.Command) environment {
	e := environment{flags: new(kube.Flags), asked: new(bool)}
	cluster := kube.Cluster{Flags: e.flags, Stderr: c.ErrOrStderr()}
	e.Environment = program.Environment{
		Name:  "kubectl disruption " + c.Name(),
		Stdin: c.InOrStdin(), Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(),
		Cluster: func(kinds string) (io.ReadCloser, error) {
			*e.asked = true
			return cluster.Get(c.Context(), kinds)
		},
		Events:     func(node string) (io.Reader, error) { return cluster.Events(c.Context(), node) },
		Connection: e.flags.Add,
	}
	return e
}
