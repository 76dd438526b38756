// Command probe shows how signals from outside stop disruption. It runs a server that falls ill in several ways, polls three
// probes of it, decides on a small cluster, and tells what changes:
//
//	go run ./probe
//
// Or it polls the disruptionProbes of real NodePools, and prints what their verdicts are:
//
//	go run ./probe -f nodepools.yaml
//
// Package poll, which does the polling, is for other programs, too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// The exit status.
const (
	good     = 0
	faulty   = 1 // some NodePools or probes are broken; all else was polled
	hopeless = 2 // nothing was polled, or what came of it could not be written
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It ends early, and well, when ctx does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return good
	}
	status := good
	switch {
	case err != nil:
	case o.file == "":
		err = tellStory(ctx, stdout)
	default:
		status, err = follow(ctx, o, stdin, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "probe:", err)
		return hopeless
	}
	return status
}
