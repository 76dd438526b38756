// Command decide says which nodes of a cluster may be disrupted right now, for which reason, and if not, why not and until when.
//
//	kubectl get nodepools,nodeclaims,nodes,pods,poddisruptionbudgets -A -o json | go run ./decide -f -
//
// Without a file it shows a cluster of its own.
package main

import (
	"os"

	"github.com/disruptkit/disruptkit/cmd/internal/decide"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

func main() {
	os.Exit(decide.Run(program.Environment{Name: "decide", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
}
