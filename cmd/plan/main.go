// Command plan says when a roll will be done, what holds it up, and what would help.
//
//	kubectl get nodepools,nodeclaims,nodes,pods,poddisruptionbudgets -A -o json | go run ./plan -f -
//
// Without a file it shows a cluster of its own.
package main

import (
	"os"

	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

func main() {
	os.Exit(planner.Run(program.Environment{Name: "plan", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
}
