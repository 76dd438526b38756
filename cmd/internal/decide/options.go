package decide

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/follow"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

const long = `decide says which nodes may be disrupted right now, for which reason, and if not, why not and until when.

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

The exit status is 0; 1 if something in the input is broken, which is named on standard error, or if nodes are held back
for a kind that is missing, while all else is decided; or 2 if nothing can be decided.`

const examples = `  # all nodes, for the reasons for which Karpenter asks
  kubectl disruption decide
  # one NodePool, for one reason
  kubectl disruption decide --pool web --reason Drifted
  # a file that kubectl printed, as if it was Christmas Eve
  kubectl disruption decide -f cluster.json --now 2026-12-24
  # again and again, in place
  kubectl disruption decide --watch
  # Karpenter with disruptkit's guard, for a program to read
  kubectl disruption decide --engine guard -o json`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	w := &written{}
	c := command.New(env, &cobra.Command{
		Use:     "decide [flags]",
		Short:   "Which nodes may go now, and why the others stay",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, w.run)
	w.addFlags(env, c.Flags())
	c.Flags().BoolVarP(&w.verbose, "verbose", "v", false, "show everything; without it, a page of what is more than that")
	command.OneOf(c.Flags(), &w.format, "output", "o", "the `format`: %s; wide has the cells that table cuts",
		command.Is("table", format{print: printTable}), command.Is("text", format{print: printTable}),
		command.Is("wide", format{print: printTable, wide: true}), command.Is("json", format{print: printJSON}))
	c.Flags().BoolVar(&w.watch, "watch", false,
		"draw it again and again, until you stop it; where the output is no terminal, print how many nodes may go for each reason "+
			"whenever that changes")
	c.Flags().StringVar(&w.every, "watch-every", "30s", "the `time` from one reading of the cluster to the next; a file is read whenever it changes")
	return c
}

// addFlags adds the flags that decide and why share.
func (w *written) addFlags(env *command.Environment, f *pflag.FlagSet) {
	w.flags = f
	w.policy.Flags(f)
	f.StringVarP(&w.file, "filename", "f", "",
		"read the `file` with JSON or YAML that kubectl printed; - is standard input "+
			"(default: the cluster)")
	env.AddDemo(f)
	f.StringVar(&w.now, "now", "", "decide for this `time`, such as 2026-11-20 or 2026-11-20T10:30:00Z (default: now)")
	w.zone.AddFlag(f,
		"the tz database zone in which times are shown and dates are read, such as Europe/Berlin; JSON is in UTC")
	(*command.Reasons)(&w.reasons).AddFlag(f, "decide for these reasons: %s")
	w.choice.Flags(f, "")
}

// A format is how the answer is printed.
type format struct {
	print func(io.Writer, answer) error
	wide  bool // tables are not cut
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
	format

	watch    bool          // decide again and again
	interval time.Duration // from one reading to the next
}

// written is what the flags say, of which some are texts that others change the meaning of.
type written struct {
	options
	flags *pflag.FlagSet
	zone  command.Zone
	now   string
	every string // of interval
}

// finish sets what several flags say together.
func (w *written) finish(env command.Environment) (o options, err error) {
	live := env.Cluster != nil
	if err := w.check(env); err != nil {
		return o, err
	}
	if w.file == "" && !live {
		w.policy.As.Bundled(w.flags)
	}
	o = w.options
	o.zone, o.days = w.zone.In, w.zone.Written
	if w.now != "" {
		o.now, err = command.Time("--now", w.now, o.zone)
	}
	if w.watch {
		every, fault := time.ParseDuration(w.every)
		if fault != nil || every < time.Second {
			err = errors.Join(err, fmt.Errorf("--watch-every %q is not a duration of a second or more: write one such as 30s", w.every))
		}
		o.interval = every
	}
	err = errors.Join(o.policy.Check(), err)
	o.policy = o.policy.For(o.policy.As, o.reasons)
	o.policy.Whole = live && o.file == ""
	return o, err
}

// check returns an error if flags are given that exclude each other.
func (w *written) check(env command.Environment) error {
	switch {
	case w.watch && w.flags.Changed("output") && !w.shows("table", "text", "wide"):
		return errors.New("--watch shows tables: leave out -o, or write -o wide")
	case w.watch:
		return follow.Again(env, "--watch", w.file, w.now)
	case w.flags.Changed("watch-every"):
		return errors.New("--watch-every is how often --watch reads: write --watch, too")
	}
	return env.DemoAlone(w.file)
}

// shows reports whether -o names one of some formats.
func (w *written) shows(formats ...string) bool {
	return slices.Contains(formats, w.flags.Lookup("output").Value.String())
}

// read reads the cluster, as each engine does, and sets the time unless it was given.
func (o *options) read(env command.Environment) (clusters map[engine.Engine]*manifest.Cluster, err error) {
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
	for _, e := range o.policy.As.Compared() {
		policies = append(policies, o.policy.For(e, o.reasons))
	}
	read, err := manifest.ReadAll(in, policies...)
	if err != nil {
		return nil, o.policy.Unread(err)
	}
	clusters = map[engine.Engine]*manifest.Cluster{}
	for i, e := range o.policy.As.Compared() {
		clusters[e] = read[i]
	}
	return clusters, nil
}
