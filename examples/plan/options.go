package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/bundled"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

const help = `plan says when a roll will be done, what holds it up, and which single change would help most.

  ` + manifest.Command + ` | plan -f -

It starts what disruptkit.Decide allows, lets time pass, and asks again, until all is done, or nothing will change any
more. What it takes for granted is at the end of what it prints. All times are UTC.

` + manifest.MissingHelp + `

  -f file         read JSON or YAML that kubectl printed; - is standard input (default: a bundled cluster)
  -now time       plan from this time on, such as 2026-11-20T10:30:00Z (default: now; for the bundled cluster, its own)
  -o format       text (the default), json, svg or html
  -reason name    plan for one reason: Drifted, Empty, Underutilized, Expired, Unhealthy, or a child such as
                  Drifted/AMIDrift (default: all that nodes have)
  -what-if file   plan also with the NodePools of this file in the place of those of the same name, side by side
  -drain times    how long a node drains: 3m (the default); 1m,3m,20m for nodes of which each takes one of these times; or
                  @file with such times, a line each, or with a histogram of a Prometheus client
  -launch times   likewise, how long it takes until a replacement is Ready (default 2m)
  -drain-first    nodes drain before their replacements are launched
  -every time     how often decisions are made (default 10s)
  -horizon time   how far ahead the plan looks, such as 720h (default 2160h, 90 days)
  -zone label     what tells zones apart (default topology.kubernetes.io/zone)
  -ignore-probes  take for granted that disruptionProbes let nodes go (default: nobody asks them, and their pools stay)
  -try=false      do not try what would help
  -watch file     plan once, read the file again whenever it changes, and say how the roll compares with the plan
  -repair file    ` + manifest.RepairHelp + `
  -most-specific  ` + manifest.MostSpecificHelp + `
  -fail-closed    ` + manifest.FailClosedHelp + `

The exit status is 0; 1 if something in the input is broken or missing, while all else is planned; or 2 if nothing can be
planned.
`

// options are what the arguments say.
type options struct {
	file, whatIf, watch string    // "" is none; - of file is standard input
	now                 time.Time // zero: not given
	model               plan.Model
	horizon             time.Duration
	zone                string
	ignoreProbes, try   bool
	policy              manifest.Policy
	print               func(io.Writer, report) error
	reads               int // how often -watch reads; 0: for ever
}

// parseOptions returns flag.ErrHelp where help is asked for.
func parseOptions(args []string) (*options, error) {
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	o := &options{}
	flags.StringVar(&o.file, "f", "", "")
	flags.StringVar(&o.whatIf, "what-if", "", "")
	flags.StringVar(&o.watch, "watch", "", "")
	flags.StringVar(&o.zone, "zone", "", "")
	flags.BoolVar(&o.ignoreProbes, "ignore-probes", false, "")
	flags.BoolVar(&o.try, "try", true, "")
	flags.BoolVar(&o.model.DrainFirst, "drain-first", false, "")
	now, format, reason := flags.String("now", "", ""), flags.String("o", "text", ""), flags.String("reason", "", "")
	drain, launch := flags.String("drain", "3m", ""), flags.String("launch", "2m", "")
	every, horizon := flags.String("every", "10s", ""), flags.String("horizon", "2160h", "")
	o.policy.Flags(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: write plan -h to see the flags", err)
	case flags.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag: to read a file, write -f %[1]s", flags.Arg(0))
	case o.watch != "" && (o.file != "" || o.whatIf != ""):
		return nil, errors.New("-watch reads its own file: leave out -f and -what-if")
	}
	return o, errors.Join(o.setNow(*now), o.setReason(*reason), o.setFormat(*format), setTakes("drain", *drain, &o.model.Drain),
		setTakes("launch", *launch, &o.model.Launch), setDuration("every", *every, time.Second, &o.model.Every),
		setDuration("horizon", *horizon, time.Minute, &o.horizon))
}

func (o *options) setNow(text string) (err error) {
	if text == "" {
		return nil
	}
	o.now, err = time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("-now %q is no time: write one such as 2026-11-20T10:30:00Z", text)
	}
	if year := o.now.UTC().Year(); year < 1970 || year > 9000 { // JSON knows no year after 9999, and windows reach ahead
		return fmt.Errorf("-now %q is too far away: write a year from 1970 to 9000", text)
	}
	o.now = o.now.UTC()
	return nil
}

func (o *options) setReason(text string) error {
	if text == "" {
		return nil
	}
	reason, err := candidate.ParseReason(text)
	if err != nil {
		return fmt.Errorf("-reason: %w", err)
	}
	o.model.Reasons = []candidate.Reason{reason}
	return nil
}

func (o *options) setFormat(text string) error {
	formats := map[string]func(io.Writer, report) error{"text": printText, "json": printJSON, "svg": printSVG, "html": printHTML}
	if o.print = formats[text]; o.print == nil {
		return fmt.Errorf("-o %q is not known: write text, json, svg or html", text)
	}
	return nil
}

func setDuration(name, text string, least time.Duration, to *time.Duration) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > 10*365*24*time.Hour {
		return fmt.Errorf("-%s %q is no duration from %s to ten years: write one such as 90s or 12h", name, text, least)
	}
	*to = d
	return nil
}

// planOptions returns the options of the plan.
func (o *options) planOptions(disruptkit.Input) plan.Options {
	return plan.Options{Model: o.model, Horizon: o.horizon, Zone: o.zone}
}

// read reads the cluster, and sets the time unless it was given.
func (o *options) read(stdin io.Reader) (*manifest.Cluster, error) {
	in, now := io.Reader(bytes.NewReader(bundled.Cluster)), bundled.Now
	if o.file != "" {
		f, err := manifest.Open(o.file, stdin)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, now = f, time.Now().UTC().Truncate(time.Second)
	}
	if o.now.IsZero() {
		o.now = now
	}
	cluster, err := o.policy.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%w\nto print what is read here, write: %s", err, manifest.Command)
	}
	return cluster, nil
}

// input returns what to plan on.
func (o *options) input(cluster *manifest.Cluster) disruptkit.Input {
	in := cluster.Input(o.now)
	if o.ignoreProbes {
		in.Verdicts, in.Pools = nil, slices.Clone(in.Pools)
		for i := range in.Pools {
			in.Pools[i].Verdicts = nil
		}
	}
	return in
}

// imagine returns the input with the NodePools of the file -what-if.
func (o *options) imagine(in disruptkit.Input, stderr io.Writer) (disruptkit.Input, error) {
	f, err := manifest.Open(o.whatIf, strings.NewReader(""))
	if err != nil {
		return in, err
	}
	defer f.Close()
	pools, err := o.policy.ReadPools(o.whatIf, f)
	if err != nil {
		return in, fmt.Errorf("%s: %w", o.whatIf, err)
	}
	for _, fault := range pools.Faults {
		fmt.Fprintln(stderr, fault)
	}
	in.Pools = slices.Clone(in.Pools)
	found := false
	for _, p := range pools.Pools {
		for _, fault := range p.Faults {
			fmt.Fprintln(stderr, fault)
		}
		for i := range in.Pools {
			if in.Pools[i].Name == p.Name || len(in.Pools) == 1 && len(pools.Pools) == 1 {
				in.Pools[i].Budgets, err = p.Spec.Compile()
				found = true
				if err != nil {
					fmt.Fprintln(stderr, err)
				}
			}
		}
	}
	if !found {
		return in, fmt.Errorf("%s has no NodePool of the cluster: write one of the name of a pool in its metadata.name", o.whatIf)
	}
	return in, nil
}
