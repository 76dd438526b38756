package metrics

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"reflect"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func help(env program.Environment) string {
	return `metrics serves what operators watch of disruption: the metrics of disruptkit's reports at /metrics, in the format of
Prometheus, and a page to look at at /. Without --listen it prints them once.

  ` + env.Name + ` [flags]

Without -f it asks the cluster of kubectl's context, at each scrape.
A file is read again at each scrape: print into it again, and what changes between two scrapes becomes counters and events.
With --demo it shows a simulated day of two NodePools, one with controls for each method. A second there is ten minutes. Without
--listen it prints the metrics at the end of the day, and its events on standard error.

  --listen address  serve at this address until interrupted, such as localhost:9090
  --engine engine       ` + engine.Help + `
  -f file          watch the cluster of a file, JSON or YAML; - is standard input, which can be read once, without --listen
  --demo           ` + program.DemoHelp + `
  --zone name       the tz database zone of the times that are shown, such as Europe/Berlin (default: UTC); metrics have no zone
  --now time        decide for this time, such as 2026-11-20 or 2026-11-20T10:30:00Z (default: now); without --listen
  --reason names    look at these reasons alone: Drifted, Empty, Underutilized, Expired, Unhealthy, or children such as
                   Drifted/AMIDrift, in any case, with commas between them (default: all that Karpenter asks for)
  --pool name       show one NodePool
  --node name       show one node and the numbers of its NodePool
  -o format        without --listen: text (the default: the format of Prometheus, with notes on standard error) or json
  --page file       without --listen: write the page as it is at the end, as HTML
  --repair file     ` + manifest.RepairHelp + `
  --calendar file   ` + manifest.CalendarHelp + `
  --most-specific   ` + manifest.MostSpecificHelp + `
  --fail-closed     ` + manifest.FailClosedHelp + `

` + manifest.MissingHelp + `

A NodePool with disruptionProbes is held back, since this command does not ask the probes;
kubectl disruption probe -f FILE does.

The exit status is 0; 1 if something in the file is broken, which is named on standard error, or if nodes are held back for a
kind that is missing; or 2 if there is nothing to print or to serve.
`
}

// written is what some flags say, as text.
type written struct{ zone, now, reason, format string }

// options are what the arguments say.
type options struct {
	written
	listen  string // "": serve nothing
	file    string // "" is the simulation, - standard input
	page    string // "": write none
	zone    *time.Location
	now     time.Time          // zero: when somebody looks
	reasons []candidate.Reason // none: those of Karpenter
	choice  choose.Choice
	policy  manifest.Policy
	print   func(o options, stdout, stderr io.Writer, p picture) error
}

func newFlags(o *options) *flag.FlagSet {
	flags := flag.NewFlagSet("metrics", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	flags.StringVar(&o.listen, "listen", "", "")
	flags.StringVar(&o.file, "f", "", "")
	flags.StringVar(&o.page, "page", "", "")
	flags.StringVar(&o.written.zone, "zone", "UTC", "")
	flags.StringVar(&o.written.now, "now", "", "")
	flags.StringVar(&o.written.reason, "reason", "", "")
	flags.StringVar(&o.written.format, "o", "text", "")
	o.choice.Flags(flags)
	program.AddDemo(flags)
	o.policy.Flags(flags)
	return flags
}

// Flags returns the flags that there are.
func Flags() *flag.FlagSet { return newFlags(new(options)) }

// parseOptions returns flag.ErrHelp where help is asked for. Environment env may have a cluster to ask without -f.
func parseOptions(env program.Environment, args []string) (options, error) {
	var o options
	live := env.Cluster != nil
	flags := newFlags(&o)
	usual := o.policy
	var rest []string
	err := env.Parse(flags, args, func(arg string) { rest = append(rest, arg) })
	switch {
	case err != nil:
		return options{}, err
	case len(rest) > 0:
		return options{}, program.None(rest)
	case o.listen != "" && o.file == "-":
		return options{}, errors.New("-f - can be read once, and --listen reads at each scrape: name a file")
	case o.file == "" && !live && !reflect.DeepEqual(o.policy, usual):
		return options{}, errors.New("--engine, --most-specific, --fail-closed and --repair are for -f: the simulated cluster has its own")
	case o.listen != "" && o.page != "":
		return options{}, errors.New("--page writes the page at the end, and --listen serves it: write one of them")
	case o.listen != "" && o.format != "text":
		return options{}, errors.New("-o prints once, and --listen serves: write one of them")
	case o.written.now != "" && (o.listen != "" || o.file == "" && !live):
		return options{}, errors.New("--now is for what is read once: write it with -f, and without --listen")
	}
	if err := program.DemoAlone(flags, o.file); err != nil {
		return options{}, err
	}
	if o.zone, err = program.Zone("--zone", o.written.zone); err != nil {
		return options{}, err
	}
	if err := errors.Join(o.setNow(), o.setReasons(), o.setFormat()); err != nil {
		return options{}, err
	}
	if o.file == "" && !live {
		o.policy.As = engine.Disruptkit // the simulated cluster says all that only it knows
	}
	if err := o.policy.Check(); err != nil {
		return options{}, err
	}
	o.policy = o.policy.For(o.policy.As, o.reasons)
	o.policy.Whole = live && o.file == ""
	if o.listen != "" {
		if _, _, err := net.SplitHostPort(o.listen); err != nil {
			return options{}, fmt.Errorf("--listen %q is not an address: write one such as localhost:9090", o.listen)
		}
	}
	return o, nil
}

func (o *options) setNow() (err error) {
	if o.written.now != "" {
		o.now, err = program.Time("--now", o.written.now, o.zone)
	}
	return err
}

func (o *options) setReasons() (err error) {
	if o.written.reason != "" {
		o.reasons, err = program.Reasons("--reason", o.written.reason)
	}
	return err
}

func (o *options) setFormat() error {
	switch o.format {
	case "text":
		o.print = options.printText
	case "json":
		o.print = options.printJSON
	default:
		return fmt.Errorf("-o %q is unknown: write text or json", o.format)
	}
	return nil
}
