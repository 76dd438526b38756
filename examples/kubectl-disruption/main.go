// Command kubectl-disruption says which nodes of a cluster may be disrupted right now, for which reason, and if not, why not and
// until when. With kubectl on the PATH it runs as kubectl disruption. It only reads.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/examples/internal/kube"
	"github.com/disruptkit/disruptkit/examples/internal/program"
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
		fmt.Fprintf(stderr, "kubectl disruption: %v\n", err)
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
not and until when. It asks the cluster of kubectl's current context, or reads files, and changes nothing.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl disruption"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(commands()...)
	root.AddCommand(newVersion())
	return root
}

// environment is what a command has of the world.
func environment(c *cobra.Command) program.Environment {
	return program.Environment{
		Name:  "kubectl disruption " + c.Name(),
		Stdin: c.InOrStdin(), Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(),
		Cluster: func(kinds string) (io.ReadCloser, error) {
			return kube.Cluster{Stderr: c.ErrOrStderr()}.Get(c.Context(), kinds)
		},
	}
}
