package metrics

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

const long = `metrics serves what operators watch of disruption: the metrics of disruptkit's reports at /metrics, in the format of
Prometheus, and a page to look at at /. Without --listen it prints them once.

Without -f it asks the cluster of kubectl's context, at each scrape.
A file is read again at each scrape: print into it again, and what changes between two scrapes becomes counters and events.
With --demo it shows a simulated day of two NodePools, one with controls for each method. A second there is ten minutes. Without
--listen it prints the metrics at the end of the day, and its events on standard error.

` + manifest.MissingHelp + `

With --eta it plans, too: karpenter_nodepool_disruption_eta_timestamp_seconds says when each pool is done, and
karpenter_nodepool_disruption_behind_plan_seconds by how much that is later than the first plan of the roll said, as long as this
command runs. How long drains and launches take is then assumed, as kubectl disruption plan does without measurements.

A NodePool with disruptionProbes is held back, since this command does not ask the probes;
kubectl disruption probe -f FILE does.

The exit status is 0; 1 if something in the file is broken, which is named on standard error, or if nodes are held back for a
kind that is missing; or 2 if there is nothing to print or to serve.`

const examples = `  # serve the metrics and a page until interrupted
  kubectl disruption metrics --listen localhost:9090
  # print the metrics of one NodePool once
  kubectl disruption metrics -f cluster.json --pool web
  # write the page, too
  kubectl disruption metrics -f cluster.json --page page.html`

// Command returns the command. Where it serves, it ends, and well, when its context does.
func Command(env *command.Environment) *cobra.Command {
	w := &written{}
	c := command.New(env, &cobra.Command{
		Use:     "metrics [flags]",
		Short:   "What operators watch, for Prometheus and as a page",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, w.run)
	f := c.Flags()
	w.flags = f
	f.StringVar(&w.listen, "listen", "", "serve at this `address` until interrupted, such as localhost:9090")
	w.policy.Flags(f)
	f.StringVarP(&w.file, "filename", "f", "",
		"watch the cluster of a `file`, JSON or YAML; - is standard input, which can be read once, "+
			"without --listen")
	env.AddDemo(f)
	w.zone.AddFlag(f, "the tz database zone of the times that are shown, such as Europe/Berlin; metrics have no zone")
	f.StringVar(&w.now, "now", "",
		"decide for this `time`, such as 2026-11-20 or 2026-11-20T10:30:00Z (default: now); without --listen")
	(*command.Reasons)(&w.reasons).AddFlag(f, "look at these reasons alone: %s (default: all that Karpenter asks for)")
	w.choice.Flags(f, "")
	command.OneOf(f, &w.print, "output", "o",
		"the `format` without --listen: %s; text is the format of Prometheus, with notes on "+
			"standard error", command.Is("text", options.printText), command.Is("json", options.printJSON))
	f.BoolVar(&w.eta, "eta", false, "plan, too, once a minute at most: when each pool is done, and how far behind the first plan it is")
	f.StringVar(&w.page, "page", "", "write the page as it is at the end to this `file`, as HTML; without --listen")
	return c
}

// options are what the arguments say.
type options struct {
	listen  string // "": serve nothing
	file    string // "" is the simulation, - standard input
	page    string // "": write none
	zone    *time.Location
	now     time.Time          // zero: when somebody looks
	reasons []candidate.Reason // none: those of Karpenter
	choice  choose.Choice
	policy  manifest.Policy
	eta     bool
	print   func(o options, stdout, stderr io.Writer, p picture) error
}

// written is what the flags say, of which some are texts that others change the meaning of.
type written struct {
	options
	flags *pflag.FlagSet
	zone  command.Zone
	now   string
}

// check returns an error if flags are given that exclude each other. A simulated cluster has rules of its own.
func (w *written) check(env command.Environment, simulated bool) error {
	own := slices.ContainsFunc([]string{"engine", "most-specific", "fail-closed", "repair", "calendar"}, w.flags.Changed)
	switch {
	case w.listen != "" && w.file == "-":
		return errors.New("-f - can be read once, and --listen reads at each scrape: name a file")
	case simulated && own:
		return errors.New("--engine, --most-specific, --fail-closed and --repair are for -f: the simulated cluster has its own")
	case w.listen != "" && w.page != "":
		return errors.New("--page writes the page at the end, and --listen serves it: write one of them")
	case w.listen != "" && w.flags.Lookup("output").Value.String() != "text":
		return errors.New("-o prints once, and --listen serves: write one of them")
	case w.now != "" && (w.listen != "" || simulated):
		return errors.New("--now is for what is read once: write it with -f, and without --listen")
	}
	return env.DemoAlone(w.file)
}

// finish sets what several flags say together.
func (w *written) finish(env command.Environment) (o options, err error) {
	live := env.Cluster != nil
	simulated := w.file == "" && !live
	if err := w.check(env, simulated); err != nil {
		return o, err
	}
	o = w.options
	o.zone = w.zone.In
	if w.now != "" {
		if o.now, err = command.Time("--now", w.now, o.zone); err != nil {
			return o, err
		}
	}
	if simulated {
		o.policy.As = engine.Disruptkit // the simulated cluster says all that only it knows
	}
	if err := o.policy.Check(); err != nil {
		return o, err
	}
	o.policy = o.policy.For(o.policy.As, o.reasons)
	o.policy.Whole = live && o.file == ""
	if o.listen != "" {
		if _, _, err := net.SplitHostPort(o.listen); err != nil {
			return o, fmt.Errorf("--listen %q is not an address: write one such as localhost:9090", o.listen)
		}
	}
	return o, nil
}
