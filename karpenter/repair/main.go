// Command repair runs the real Karpenter v1.15 twice on the same fleet, without the guard and with it. The fleet drifts, and while it
// is replaced a bad kubelet breaks a third of it; later most of it breaks at once. Both are shown side by side:
//
//	go run ./repair
//
// The cluster is in memory, and time is fake: see the package world.
package main

import (
	"os"

	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside"
)

var command = sidebyside.Command[story]{Name: "repair", Tell: tell, Draw: draw}

func main() { os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr)) }
