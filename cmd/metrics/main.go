// Command metrics serves the metrics of disruptkit's reports with the Prometheus client library, and a page to look at.
//
//	go run ./metrics --listen localhost:9090
//
// Without --listen it prints the events of a simulated day, and the metrics at its end.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/disruptkit/disruptkit/cmd/internal/metrics"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(metrics.Run(ctx, program.Environment{Name: "metrics", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
}
