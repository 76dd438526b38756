package decide

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func help(env program.Environment) string {
	return `decide says which nodes may be disrupted right now, for which reason, and if not, why not and until when.

  ` + env.Name + ` [flags]

Without -f it asks the cluster of kubectl's context:

  ` + manifest.Command + `

Each reason is decided on its own, on the cluster as it is: what one allows is not subtracted from the next. Without
--reason they are Unhealthy, where a node is, Empty, Drifted and Underutilized, in the order in which Karpenter asks.

Unhealthy is node repair. Karpenter v1.15 repairs nodes where its feature gate NodeRepair is on, by policies of its
cloud provider. No object shows those: name a file of them with --repair. repair-policies.yaml is an example.

What holds a node back until some time lifts then if all nodes that may go now do go, and nothing else changes.

Pods hold their node back with the annotation karpenter.sh/do-not-disrupt, with disruption schedules (annotations, or
the PodDisruptionSchedules that select them, where a cluster has any), and with PodDisruptionBudgets.

Budgets with a topologyKey limit each zone on its own; sequential ones let zones take turns. Whose turn it was is read
from the annotation ` + annotation.Memory + ` of a NodePool, or from ` + annotation.Roll + `, where older versions
stored it. Whose it is now is in the answer: store it before you drain.

` + manifest.MissingHelp + `

A NodePool with disruptionProbes is held back, since this command does not ask the probes;
kubectl disruption probe -f FILE does.

  --engine engine      ` + engine.Help + `
  -f file         read JSON or YAML that kubectl printed; - is standard input (default: the cluster)
  --demo           ` + program.DemoHelp + `
  --now time       decide for this time, such as 2026-11-20 or 2026-11-20T10:30:00Z (default: now)
  --zone name      the tz database zone in which times are shown and dates are read, such as Europe/Berlin (default:
                  UTC); JSON is in UTC
  --reason names   decide for these reasons: Drifted, Empty, Underutilized, Expired, Unhealthy, or children such as
                  Drifted/AMIDrift, in any case, with commas between them
  --pool name      show one NodePool
  --node name      show one node; the command why says more about it
  -v              show everything; without it, a page of what is more than that
  -o format       table (the default), wide (with cells that table cuts), or json
  --repair file    ` + manifest.RepairHelp + `
  --calendar file  ` + manifest.CalendarHelp + `, unless --zone
                  names another
  --most-specific  ` + manifest.MostSpecificHelp + `
  --fail-closed    ` + manifest.FailClosedHelp + `

The exit status is 0; 1 if something in the input is broken, which is named on standard error, or if nodes are held back
for a kind that is missing, while all else is decided; or 2 if nothing can be decided.
`
}

// options are what the arguments say.
type options struct {
	file    string             // "" is the bundled cluster, - standard input
	now     time.Time          // zero: not given
	zone    *time.Location     // in which times are shown, and dates are read
	days    string             // the zone of the whole days of calendars; "": as they say
	reasons []candidate.Reason // none: those of Karpenter
	choice  choose.Choice
	verbose bool // show all, however much it is
	policy  manifest.Policy
	print   func(io.Writer, answer) error
	json    bool // print is for programs
	wide    bool // tables are not cut
}

// written is what the flags say, as text.
type written struct {
	*flag.FlagSet
	file, now, zone, reason, format string
	choice                          choose.Choice
	verbose                         bool
	policy                          manifest.Policy
}

func newFlags() *written {
	w := &written{FlagSet: flag.NewFlagSet("decide", flag.ContinueOnError)}
	w.SetOutput(io.Discard) // errors are returned
	w.StringVar(&w.file, "f", "", "")
	w.StringVar(&w.now, "now", "", "")
	w.StringVar(&w.zone, "zone", "UTC", "")
	w.choice.Flags(w.FlagSet)
	w.BoolVar(&w.verbose, "v", false, "")
	w.StringVar(&w.reason, "reason", "", "")
	w.StringVar(&w.format, "o", "table", "")
	program.AddDemo(w.FlagSet)
	w.policy.Flags(w.FlagSet)
	return w
}

// Flags returns the flags that there are.
func Flags() *flag.FlagSet { return newFlags().FlagSet }

// parseOptions returns flag.ErrHelp where help is asked for. Environment env may have a cluster to ask without -f.
func parseOptions(env program.Environment, args []string) (options, error) {
	o, rest, err := parseMore(env, args)
	return o, errors.Join(err, program.None(rest))
}

// parseMore is parseOptions with arguments that are no flags.
func parseMore(env program.Environment, args []string) (_ options, rest []string, err error) {
	flags, live := newFlags(), env.Cluster != nil
	if err = env.Parse(flags.FlagSet, args, func(arg string) { rest = append(rest, arg) }); err != nil {
		return options{}, nil, err
	}
	if err = program.DemoAlone(flags.FlagSet, flags.file); err != nil {
		return options{}, nil, err
	}
	if flags.file == "" && !live {
		flags.policy.As.Bundled(flags.FlagSet)
	}
	o := options{days: program.Given(flags.FlagSet, "zone"), file: flags.file, choice: flags.choice, verbose: flags.verbose, policy: flags.policy}
	if o.zone, err = program.Zone("--zone", flags.zone); err != nil {
		return options{}, nil, err
	}
	err = errors.Join(o.policy.Check(), o.setNow(flags.now), o.setReasons(flags.reason), o.setFormat(flags.format))
	o.policy = o.policy.For(o.policy.As, o.reasons)
	o.policy.Whole = live && o.file == ""
	return o, rest, err
}

func (o *options) setNow(text string) (err error) {
	if text != "" {
		o.now, err = program.Time("--now", text, o.zone)
	}
	return err
}

func (o *options) setReasons(text string) error {
	if text == "" {
		return nil
	}
	var err error
	o.reasons, err = program.Reasons("--reason", text)
	return err
}

func (o *options) setFormat(text string) error {
	switch text {
	case "table", "text":
		o.print = printTable
	case "wide":
		o.print, o.wide = printTable, true
	case "json":
		o.print, o.json = printJSON, true
	default:
		return fmt.Errorf("-o %q is unknown: write table, wide or json", text)
	}
	return nil
}

// read reads the cluster, as each engine does, and sets the time unless it was given.
func (o *options) read(env program.Environment) (clusters map[engine.Engine]*manifest.Cluster, err error) {
	in, now, err := bundled.Open(env, o.file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if o.now.IsZero() {
		o.now = now
	}
	o.now = o.now.In(o.zone)
	if err := o.policy.ReadCalendars(o.days, o.now, o.now); err != nil {
		return nil, err
	}
	var policies []manifest.Policy
	for _, e := range engine.All {
		policies = append(policies, o.policy.For(e, o.reasons))
	}
	read, err := manifest.ReadAll(in, policies...)
	if err != nil {
		return nil, o.policy.Unread(err)
	}
	clusters = map[engine.Engine]*manifest.Cluster{}
	for i, e := range engine.All {
		clusters[e] = read[i]
	}
	return clusters, nil
}
