// Command repair runs the real Karpenter v1.15 twice on the same fleet, without the guard and with it. The fleet drifts, and while it
// is replaced a bad kubelet breaks a third of it; later most of it breaks at once. Both are shown side by side:
//
//	go run ./repair
//
// The cluster is in memory, and time is fake: see the package world.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
)

// The exit status.
const (
	good     = 0
	hopeless = 2 // a story did not end
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("repair", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprintln(stderr, "usage: repair\nIt takes no arguments.") }
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return good
	case err != nil:
		return hopeless
	case flags.NArg() > 0:
		flags.Usage()
		return hopeless
	}
	if err := compare(stdout); err != nil {
		fmt.Fprintln(stderr, "repair:", err)
		return hopeless
	}
	return good
}

// compare tells the story with the guard and without it, at the same time, and prints both.
func compare(w io.Writer) error {
	var without, with story
	var faults [2]error
	var group sync.WaitGroup
	group.Go(func() { without, faults[0] = tell(false) })
	group.Go(func() { with, faults[1] = tell(true) })
	group.Wait()
	if err := errors.Join(faults[:]...); err != nil {
		return err
	}
	return draw(w, without, with)
}
