// Command metrics serves the metrics of disruptkit's reports with the Prometheus client library, and a page to look at. It
// also shows how reports are folded: each look at a cluster becomes decisions, and those become a report with the previous one
// before it (watch.go).
//
//	go run ./metrics -listen localhost:9090
//
// Without -listen it prints the events of a simulated day, and the metrics at its end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/examples/internal/tell"
)

// The exit status.
const (
	good     = 0
	faulty   = 1 // something in the file is broken or missing, and nodes are held back for it
	hopeless = 2 // nothing was printed or served
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. Where it serves, it ends, and well, when ctx does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return good
	}
	status := good
	if err == nil {
		status, err = o.watch(ctx, stdin, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "metrics:", err)
		return hopeless
	}
	return status
}

// watch does what the options say.
func (o options) watch(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) (status int, err error) {
	if o.file == "" {
		return good, o.simulate(ctx, stdout, stderr)
	}
	f := &file{name: o.file, stdin: stdin, policy: o.policy}
	w := &watch{cluster: f}
	now, err := w.look()
	if err != nil {
		return hopeless, err
	}
	warnings := f.warnings(now.decisions)
	for _, m := range now.missing {
		if !m.Suspected { // a note says so below
			fmt.Fprintln(stderr, "note:", m.Message)
		}
	}
	for _, note := range f.cluster.Notes() {
		fmt.Fprintln(stderr, "note:", note)
	}
	for _, warning := range warnings {
		fmt.Fprintln(stderr, warning.Error())
	}
	holdsBack := func(m manifest.Missing) bool { return m.HoldsBack(now.decisions...) }
	if slices.ContainsFunc(warnings, tell.IsFault) || slices.ContainsFunc(now.missing, holdsBack) {
		status = faulty
	}
	if o.listen == "" {
		return status, o.print(stdout, now)
	}
	return status, o.serve(ctx, stderr, w.look)
}

// simulate watches the simulated cluster: for a day, or, where it serves, until ctx ends.
func (o options) simulate(ctx context.Context, stdout, stderr io.Writer) error {
	f, err := newFleet()
	if err != nil {
		return err
	}
	w := &watch{cluster: f}
	now, err := w.look()
	if err != nil {
		return err
	}
	if o.listen != "" {
		go w.follow(ctx, f)
		return o.serve(ctx, stderr, w.seen)
	}
	for f.now.Before(begin.Add(24 * time.Hour)) {
		if now, err = w.advance(f); err != nil {
			return err
		}
	}
	return o.print(stdout, now)
}
