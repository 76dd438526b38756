// Command kubectl-disruption says which nodes of a cluster may be disrupted right now, for which reason, and if not,
// why not, and when that ends. With kubectl on the PATH it runs as kubectl disruption. Only pause, resume and replace
// write.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/kube"
)

func main() {
	if os.Getenv("GOGC") == "" { // nearly all that a command reads stays in use until it ends
		debug.SetGCPercent(200) // for 3,000 nodes, a tenth less processor time, and up to a third more memory
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, arguments(os.Args), os.Stdin, os.Stdout, os.Stderr))
}

// arguments returns the arguments of the command. Under the name kubectl_complete-disruption, the program completes
// them: kubectl runs what has this name on the PATH, with the arguments so far.
func arguments(args []string) []string {
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") == "kubectl_complete-disruption" {
		return append([]string{cobra.ShellCompNoDescRequestCmd}, args[1:]...)
	}
	return args[1:]
}

// run is the whole program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cluster := kube.Cluster{Flags: new(kube.Flags), Stderr: stderr}
	asked, file := false, false
	env := command.Environment{
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Cluster: func(kinds string) (io.ReadCloser, error) {
			cluster.Again, asked = asked, true
			return cluster.Get(ctx, kinds)
		},
		Patch:     func(ctx context.Context, object, patch string) error { return cluster.Patch(ctx, object, patch) },
		NodePools: func() (io.ReadCloser, error) { return cluster.NodePools(ctx) },
		Events:    func(node string) (io.Reader, error) { return cluster.Events(ctx, node) },
	}
	of := func(env *command.Environment) *cobra.Command {
		root := newRoot(env, cluster)
		root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
			file = readsFile(c, args)
			return cluster.Flags.Check()
		}
		return root
	}
	status := command.Run(ctx, env, of, args)
	if note := cluster.Flags.Unused(); note != "" && file && !asked && status != command.Hopeless {
		fmt.Fprintln(stderr, "note:", note)
	}
	return status
}
