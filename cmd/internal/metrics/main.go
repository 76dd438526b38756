// Package metrics has two commands. metrics exposes what operators watch of disruption with the Prometheus client library. dashboard serves a page for
// people. Both show how reports are folded: each look at a cluster becomes decisions, and those become a report with the previous one before it
// (watch.go).
package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/input"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/report"
)

// The exit status.
const (
	good     = command.Good
	faulty   = command.Faulty
	hopeless = command.Hopeless
)

const long = `metrics serves what operators watch of disruption at /metrics, in the format of Prometheus. Without --listen it prints the
metrics once. kubectl disruption dashboard is a page for people.

Without -f it asks the cluster of kubectl's context, at each scrape. With -f it reads the file at each scrape: if you print into
the file again, what has changed since the last scrape becomes counters.

` + manifest.MissingHelp + `

With --eta it plans as well: karpenter_nodepool_disruption_eta_timestamp_seconds says when each pool is done, and
karpenter_nodepool_disruption_behind_plan_seconds how much later that is than in the first plan of the roll that this process made.
Drains and launches take as long as kubectl disruption plan assumes without measurements.

A NodePool with disruptionProbes is blocked, since this command does not ask the probes. The guard and the steward ask them.

The exit status is 0; 1 if something in the file is invalid, which standard error names, or if nodes are blocked because a
kind is missing; or 2 if there is nothing to print or to serve.`

const examples = `  # serve the metrics until interrupted
  kubectl disruption metrics --listen localhost:9090
  # print the metrics once
  kubectl disruption metrics -f cluster.json
  # serve the metrics of an example
  kubectl disruption metrics --demo --listen localhost:9090`

// Command returns the command. Where it serves, it ends, and well, when its context does.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "metrics [flags]",
		Short:   "What operators watch, for Prometheus",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, o.run)
	f := c.Flags()
	o.AddFlags(env, f, "without --listen, decide for")
	f.StringVar(&o.listen, "listen", "", "serve at this `address` until interrupted, such as localhost:9090")
	f.BoolVar(&o.eta, "eta", false, "also plan, once a minute at most, when each pool is done, and how far behind the first plan that is")
	return c
}

// options are what the arguments say.
type options struct {
	input.Source
	listen string // "": serve nothing
	eta    bool
}

// finish sets what several flags say together.
func (o *options) finish(env command.Environment) error {
	switch {
	case o.listen != "" && o.File == "-":
		return errors.New("-f - can be read once, and --listen reads at each scrape: name a file")
	case o.listen != "" && o.Given("now"):
		return errors.New("--now is for what is read once: write it without --listen")
	}
	if err := o.Finish(env, nil); err != nil || o.listen == "" {
		return err
	}
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return fmt.Errorf("--listen %q is not an address: write one such as localhost:9090", o.listen)
	}
	return nil
}

// run does what the flags say.
func (o *options) run(ctx context.Context, env command.Environment, _ []string) (status int, err error) {
	if err := o.finish(env); err != nil {
		return hopeless, err
	}
	w := &watch{as: o.Policy.As, eta: o.eta}
	now, err := o.look(w, env)
	if err != nil {
		return hopeless, err
	}
	for _, m := range now.missing {
		if !m.Suspected { // a note says so below
			fmt.Fprintln(env.Stderr, "note:", m.Message)
		}
	}
	status = input.Report(env, now.cluster, now.cluster.Warnings(now.decisions...), now.decisions...)
	if o.listen != "" {
		return status, o.serve(ctx, env, w)
	}
	fmt.Fprintln(env.Stderr, o.Policy.As.Title())
	return status, printMetrics(env.Stdout, now.report)
}

// look reads the cluster as it is now, and looks at it.
func (o *options) look(w *watch, env command.Environment) (picture, error) {
	s := o.Source // which notes the time of this reading
	clusters, err := s.Read(env, 0, s.Policy.As)
	if err != nil {
		return picture{}, err
	}
	return w.look(clusters[0], s.At), nil
}

// serve serves the metrics of the cluster as it is at each scrape, until ctx ends.
func (o *options) serve(ctx context.Context, env command.Environment, w *watch) error {
	listener, err := listen(ctx, o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "http://%s/metrics are the metrics; interrupt to end\n", listener.Addr())
	env.Stderr = io.Discard // it was said
	registry := newRegistry(func() (report.Report, error) {
		p, err := o.look(w, env)
		return p.report, err
	})
	h := newHost(o.listen, listener.Addr())
	return serve(ctx, listener, h.scraped(promhttp.HandlerFor(registry, promhttp.HandlerOpts{})))
}

// printMetrics prints the metrics of a report as a scrape shows them.
func printMetrics(w io.Writer, r report.Report) error {
	families, err := newRegistry(func() (report.Report, error) { return r, nil }).Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return err
		}
	}
	return nil
}
