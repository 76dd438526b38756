// Command kubectl_complete-disruption completes the arguments of kubectl disruption. kubectl looks for it on the PATH,
// calls it with the arguments so far, and offers what it prints. It asks kubectl-disruption, which must be on the PATH,
// too.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdout, stderr io.Writer) (status int) {
	if len(args) == 0 { // kubectl gives at least the word to complete
		fmt.Fprintln(stdout, "kubectl runs this program to complete the arguments of kubectl disruption: put it on the PATH.")
		return 0
	}
	complete := exec.Command("kubectl-disruption", append([]string{"__completeNoDesc"}, args...)...)
	complete.Stdout, complete.Stderr = stdout, stderr
	var exit *exec.ExitError
	switch err := complete.Run(); {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(stderr, "kubectl_complete-disruption:", err)
		return 2
	}
	return 0
}
