package metrics

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/input"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

const long = `metrics serves what operators watch of disruption: the metrics of disruptkit's reports at /metrics, in the format of
Prometheus, and a page for people at /. Without --listen it prints the metrics once.

Without -f it asks the cluster of kubectl's context, at each scrape. With -f it reads the file at each scrape: if you print into
the file again, what has changed since the last scrape becomes counters and events.
With --demo it shows a simulated day of two NodePools, one with controls for each method. Each second is ten minutes of that day.
With --demo and without --listen it prints the metrics at the end of the day, and the day's events on standard error.

` + manifest.MissingHelp + `

With --eta it plans as well: karpenter_nodepool_disruption_eta_timestamp_seconds says when each pool is done, and
karpenter_nodepool_disruption_behind_plan_seconds how much later that is than in the first plan of the roll that this process made.
Drains and launches take as long as kubectl disruption plan assumes without measurements.

A NodePool with disruptionProbes is blocked, since this command does not ask the probes;
kubectl disruption probe -f FILE does.

The exit status is 0; 1 if something in the file is broken, which standard error names, or if nodes are blocked because a
kind is missing; or 2 if there is nothing to print or to serve.`

const examples = `  # serve the metrics and a page until interrupted
  kubectl disruption metrics --listen localhost:9090
  # print the metrics of one NodePool once
  kubectl disruption metrics -f cluster.json --pool web
  # write the page as well
  kubectl disruption metrics -f cluster.json --page page.html`

// Command returns the command. Where it serves, it ends, and well, when its context does.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "metrics [flags]",
		Short:   "What operators watch, for Prometheus and as a page",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, o.run)
	f := c.Flags()
	o.AddFlags(env, f, "without --listen, decide for")
	f.StringVar(&o.listen, "listen", "", "serve at this `address` until interrupted, such as localhost:9090")
	(*command.Reasons)(&o.reasons).AddFlag(f, "look at these reasons alone: %s (default: all that Karpenter asks for)")
	o.choice.Flags(f, "")
	command.OneOf(f, &o.format, "output", "o",
		"the `format` without --listen: %s; text is the format of Prometheus, with notes on "+
			"standard error", command.Is("text", format{options.printText, true}),
		command.Is("json", format{print: options.printJSON}))
	f.BoolVar(&o.eta, "eta", false, "also plan, once a minute at most, when each pool is done, and how far behind the first plan that is")
	f.StringVar(&o.page, "page", "", "without --listen: write the page, as it is at the end, to this `file` as HTML")
	return c
}

// A format is how what is seen is printed.
type format struct {
	print  func(o options, stdout, stderr io.Writer, p picture) error
	served bool // it is what is served as well
}

// options are what the arguments say.
type options struct {
	input.Source
	format
	listen  string             // "": serve nothing
	page    string             // "": write none
	reasons []candidate.Reason // none: those of Karpenter
	choice  choose.Choice
	eta     bool
}

// check returns an error if flags are given that exclude each other. A simulated cluster has rules of its own.
func (o *options) check(env command.Environment) error {
	simulated := o.File == "" && env.Cluster == nil
	own := slices.ContainsFunc([]string{"engine", "most-specific", "fail-closed", "repair", "calendar"}, o.Given)
	switch {
	case o.listen != "" && o.File == "-":
		return errors.New("-f - can be read once, and --listen reads at each scrape: name a file")
	case simulated && own:
		return errors.New("--engine, --most-specific, --fail-closed and --repair are for -f: the simulated cluster has its own")
	case o.listen != "" && o.page != "":
		return errors.New("--page writes the page at the end, and --listen serves it: write one of them")
	case o.listen != "" && !o.served:
		return errors.New("-o prints once, and --listen serves: write one of them")
	case o.Given("now") && (o.listen != "" || simulated):
		return errors.New("--now is for what is read once: write it with -f, and without --listen")
	}
	return env.DemoAlone(o.File)
}

// finish sets what several flags say together.
func (o *options) finish(env command.Environment) error {
	if err := o.check(env); err != nil {
		return err
	}
	if err := o.Finish(env, o.reasons); err != nil || o.listen == "" {
		return err
	}
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return fmt.Errorf("--listen %q is not an address: write one such as localhost:9090", o.listen)
	}
	return nil
}
