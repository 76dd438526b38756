// Command roll runs the real Karpenter twice on the same drifted fleet in three zones, without the guard and with it,
// and shows both side by side:
//
//	go run ./roll
//
// The cluster is in memory, and time is fake: see the package world.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "roll:", err)
		os.Exit(1)
	}
}

// run tells both stories at the same time, and draws them.
func run(w io.Writer) error {
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
