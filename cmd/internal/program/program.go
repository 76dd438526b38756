// Package program is what a program has of the world, so that each can run by itself, as a command of kubectl-disruption, and in
// tests.
package program

import (
	"flag"
	"fmt"
	"io"
)

// The exit status of all programs.
const (
	Good     = 0
	Faulty   = 1 // something in the input is broken or missing, and nodes are held back for it, or a check failed; the rest was done
	Hopeless = 2 // nothing could be done
)

// An Environment is what a program has of the world.
type Environment struct {
	Name           string // as people run it: kubectl disruption decide
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Cluster asks the cluster for objects of some kinds, with commas between them. It is nil where a program shows what is bundled
	// with it unless it is given a file, as with --demo.
	Cluster func(kinds string) (io.ReadCloser, error)
	// Events asks the cluster for the Events about a node. It is nil where Cluster is.
	Events func(node string) (io.Reader, error)
	// Connection adds the flags that say which cluster, and as whom. It is nil in tests.
	Connection func(*flag.FlagSet)
}

// Fail tells that nothing can be done, and returns the exit status.
func (e Environment) Fail(err error) int {
	fmt.Fprintf(e.Stderr, "%s: %v\n", e.Name, err)
	return Hopeless
}
