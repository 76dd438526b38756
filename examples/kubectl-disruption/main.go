// Command kubectl-disruption says which nodes of a cluster may be disrupted right now, for which reason, and if not, why not and
// until when. With kubectl on the PATH it runs as kubectl disruption.
package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		return hopeless
	}
	return good
}

// The exit status.
const (
	good     = 0
	hopeless = 2
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-disruption",
		Short: "Which nodes may be disrupted right now, and if not, why not and until when",
		Annotations: map[string]string{
			cobra.CommandDisplayNameAnnotation: "kubectl disruption",
		},
		SilenceUsage: true,
	}
	root.AddCommand(newVersion())
	return root
}
