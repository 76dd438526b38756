// Package metrics is the command that serves the metrics of disruptkit's reports with the Prometheus client library, and a page to look at. It
// also shows how reports are folded: each look at a cluster becomes decisions, and those become a report with the previous one
// before it (watch.go).
package metrics

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// The exit status.
const (
	good     = command.Good
	faulty   = command.Faulty
	hopeless = command.Hopeless
)

// run does what the flags say.
func (o *options) run(ctx context.Context, env command.Environment, _ []string) (status int, err error) {
	if err := o.finish(env); err != nil {
		return hopeless, err
	}
	return o.watch(ctx, env)
}

// watch does what the options say.
func (o options) watch(ctx context.Context, env command.Environment) (status int, err error) {
	stdout, stderr := env.Stdout, env.Stderr
	if o.File == "" && env.Cluster == nil {
		return good, o.simulate(ctx, stdout, stderr)
	}
	f := newFile(o.File, env.Stdin, o.Policy, o.At)
	f.open = func() (io.ReadCloser, error) { return o.OpenFile(env) }
	if o.File == "" {
		f.open = func() (io.ReadCloser, error) { return env.Cluster(manifest.Kinds + "," + manifest.Optional) }
	}
	w := &watch{cluster: f, only: o.reasons, eta: o.eta}
	now, err := w.look()
	if err != nil {
		return hopeless, err
	}
	if o.choice, err = o.choice.In(now.in, f.claims); err != nil {
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
		return status, o.show(stdout, stderr, narrow(now, o.choice))
	}
	return status, o.serve(ctx, stderr, w.look)
}

// simulate watches the simulated cluster: for a day, or, where it serves, until ctx ends.
func (o options) simulate(ctx context.Context, stdout, stderr io.Writer) error {
	f, err := newFleet()
	if err != nil {
		return err
	}
	w := &watch{cluster: f, only: o.reasons, eta: o.eta}
	now, err := w.look()
	if err != nil {
		return err
	}
	if o.choice, err = o.choice.In(now.in, nil); err != nil {
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
	return o.show(stdout, stderr, narrow(now, o.choice))
}
