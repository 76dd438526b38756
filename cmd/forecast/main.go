// Command forecast shows what the disruption budgets of NodePools mean: when how many nodes may go, for which reason, and which budget
// says so; and which of them are probably mistakes.
//
//	go run ./forecast nodepool.yaml
//
// Without a file it shows a NodePool of its own.
package main

import (
	"os"

	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

func main() {
	os.Exit(forecast.Run(program.Environment{Name: "forecast", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
}
