// Package sidebyside plays a story of Karpenter twice, without the guard and with it, and prints both next to each other.
package sidebyside

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
)

// The exit status of a Command.
const (
	Good     = 0
	Hopeless = 2 // a story did not end, or the arguments are wrong
)

// A Command is a program that plays a story twice. It takes no arguments.
type Command[Story any] struct {
	Name string
	Tell func(guarded bool) (Story, error)
	Draw func(w io.Writer, without, with Story) error
}

// Run is the whole program. It returns the exit status.
func (c Command[Story]) Run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprintf(stderr, "usage: %s\nIt takes no arguments.\n", c.Name) }
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return Good
	case err != nil:
		return Hopeless
	case flags.NArg() > 0:
		flags.Usage()
		return Hopeless
	}
	if err := c.compare(stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", c.Name, err)
		return Hopeless
	}
	return Good
}

// compare tells both stories at the same time, and draws them.
func (c Command[Story]) compare(w io.Writer) error {
	var without, with Story
	var faults [2]error
	var group sync.WaitGroup
	group.Go(func() { without, faults[0] = c.Tell(false) })
	group.Go(func() { with, faults[1] = c.Tell(true) })
	group.Wait()
	if err := errors.Join(faults[:]...); err != nil {
		return err
	}
	return c.Draw(w, without, with)
}
