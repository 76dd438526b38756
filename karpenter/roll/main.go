// Command roll runs the real Karpenter twice on the same drifted fleet in three zones, without the guard and with it,
// and shows both side by side:
//
//	go run ./roll
//
// The cluster is in memory, and time is fake: see the package world.
package main

import (
	"os"

	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside"
)

var command = sidebyside.Command[story]{Name: "roll", Tell: tell, Draw: draw}

func main() { os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr)) }
