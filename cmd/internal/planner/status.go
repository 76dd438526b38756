package planner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/wire"
)

// The further exit status of status --wait. 0 is that the roll is done.
const (
	endedStuck   = 3
	endedBehind  = 4
	endedTimeout = 5
)

const statusLong = `status reports how far a roll is, in each NodePool, DisruptionPolicy and zone, whether it is stuck, and when it will be done.

Without -f it asks the cluster of kubectl's context.

A roll is of the nodes that have drifted, or whose replacement somebody asks for, or of those that have a --reason. Nodes
without such a reason that are Ready are up to date; status says how many of them are to go for another reason. Those that are not Ready count
apart: old nodes that failed, or new ones that are still starting. Nodes in progress are being replaced. All others are to go. Nodes
in flight for another reason are in none of these numbers.

Stuck are the nodes that
  - are to go, and neither time, nor a turn, nor a node that leaves will unblock them (a budget or a PodDisruptionBudget that is used up
    counts only while each node that uses it up is stuck, or has not been Ready for longer than --stuck-after: others give it back);
  - have been draining for longer than --stuck-after, and beyond their terminationGracePeriod, if they have one;
  - have waited for a replacement, or lack the reason and have not been Ready, for longer than --stuck-after.
A NodePool is stuck if all of its nodes that are not up to date are stuck. status reports what blocks each stuck node, and since when: for a
drain, since it began; for a node that is to go, since anything of its NodePool last moved, by the timestamps of NodeClaims. If nothing has
moved for longer than --stuck-after although nodes may be disrupted, status says so: probably Karpenter does not run, or cannot replace them.

The time when the roll will be done comes from a plan, as the command plan makes it. A duration that is neither given nor measured is a guess,
and the first line says so. As the roll goes on, its own drains and launches replace --drain and --launch.

With --wait it reads the cluster again and again, prints a line when something changes, and ends with one of these exit statuses:
  0  done: all nodes are up to date (or the share of --at-least), and have been so for --settle
  1  done, but something in the input is invalid; or --timeout is over, and the last attempt to read the cluster failed
  2  nothing could be read, there is no such NodePool, or somebody stopped it
  3  stuck: in each NodePool that is not done, all nodes that are not up to date have been stuck for longer than --stuck-after
  4  behind plan, by --behind
  5  timeout: --timeout is over
A cluster that cannot be read is never done. If a NodePool changes meanwhile, status says so, and waits for the new revision. A
NodePool is not done before Karpenter has looked at its change: while its condition Ready is of an earlier generation, or a node was
launched with another hash and is not marked as Drifted. When a NodeClass changes, to another image, for example, only Karpenter can
tell, and it takes some minutes until it marks nodes as Drifted. Until then the roll looks done: make --settle longer than that.

Without --wait, the exit status is 0; 1 if something in the input is invalid, while all else is shown; or 2 if nothing can be shown.`

const statusExamples = `  # how far all rolls are
  kubectl disruption status
  # one NodePool, drawn again and again
  kubectl disruption status web --watch
  # in a pipeline: until web is up to date, or stuck, or 6 hours are over
  kubectl disruption status web --wait --timeout 6h
  # the same, but 90 % are enough, and 2 hours behind the plan are not
  kubectl disruption status web --wait --at-least 90% --drain 10m --behind 2h
  # for a program to read
  kubectl disruption status -o json`

// StatusCommand returns the command that reports how far a roll is.
func StatusCommand(env *command.Environment) *cobra.Command {
	o := &statusOptions{}
	c := command.New(env, &cobra.Command{
		Use:     "status [flags] [NodePool...]",
		Short:   "How far a roll is, and whether it is stuck; --wait for pipelines",
		Long:    statusLong,
		Example: statusExamples,
	}, o.run)
	o.add(env, c.Flags())
	return c
}

// add adds the flags.
func (o *statusOptions) add(env *command.Environment, f *pflag.FlagSet) {
	o.addRoll(env, f)
	command.OneOf(f, &o.show, "output", "o", "the `format`: %s", command.Is("text", printStatusText), command.Is("json", printStatusJSON))
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show all NodePools and zones, however many there are")
	f.BoolVar(&o.wait, "wait", false, "read the cluster every --watch-every, print a line when something changes, and end when the roll is done, or as the next flags say")
	f.StringVar(&o.atLeast, "at-least", "100%", "with --wait: the roll is done when this `percent` of the nodes of each NodePool is up to date")
	command.Duration(f, &o.timeout, "timeout", "0s", 0, "with --wait: end after this `time` (0s: never)")
	command.Duration(f, &o.behind, "behind", "0s", 0, "with --wait: end when the roll is this `time` behind the first plan (0s: never); give --drain and --launch, or that plan is a guess")
	command.Duration(f, &o.settle, "settle", "1m", 0, "with --wait: the `time` for which the roll must be done, since Karpenter takes some time to mark nodes as Drifted (default for a file: 0s)")
	f.BoolVar(&o.watch, "watch", false, "redraw the status until you stop it by q, the NodePools with stuck nodes first; arrows, PgUp, PgDn, g and G scroll. If the output is not a terminal, print a line when something changes")
}

// addRoll adds the flags of the input, of the nodes that roll, and of how long things take.
func (o *statusOptions) addRoll(env *command.Environment, f *pflag.FlagSet) {
	o.AddFlags(env, f, "plan from")
	(*command.Reasons)(&o.model.Reasons).AddFlag(f, "the roll is of nodes that have one of these reasons: %s (default: Drifted, and Requested unless stock Karpenter runs)")
	command.Duration(f, &o.stuckAfter, "stuck-after", "30m", 0, "the `time` after which a drain, a launch, or a node that nothing will allow is stuck")
	o.AddEvery(f)
	o.addModel(f)
}

// printStatusJSON prints an overview as JSON, with times in UTC.
func printStatusJSON(w io.Writer, o overview) error { return wire.Print(w, inZone(o, time.UTC)) }

// statusOptions are the arguments of status.
type statusOptions struct {
	options
	pools                               []string // none: all
	wait, watch                         bool
	atLeast                             string
	share                               int           // the same in percent: how many nodes of each pool are to be up to date
	timeout, behind, settle, stuckAfter time.Duration // 0: without
	show                                func(io.Writer, overview) error
}

// run shows how far a roll is, once or until it ends.
func (o *statusOptions) run(ctx context.Context, env command.Environment, args []string) (status int, err error) {
	o.pools = args
	switch err := o.finish(env); {
	case err != nil:
		return hopeless, err
	case o.wait || o.watch:
		return o.await(ctx, env)
	}
	s, err := o.snapshot(env, o.At)
	if err != nil {
		return hopeless, err
	}
	progress := newProgress(env.Stderr)
	s.options.Observe = progress.observe
	all, err := newLooker(o).look(s)
	progress.done()
	if err != nil {
		return hopeless, err
	}
	broken := o.tell(env, s.cluster, all.warnings)
	return exit(broken, o.show(env.Stdout, all))
}

// finish checks flags, and sets what depends on several.
func (o *statusOptions) finish(env command.Environment) error {
	if err := o.check(env); err != nil {
		return err
	}
	if o.File != "" && !o.Given("settle") {
		o.settle = 0 // a file stays as it is until somebody writes it
	}
	return errors.Join(o.setRoll(env), o.setShare())
}

// setRoll sets what depends on the flags of addRoll.
func (o *statusOptions) setRoll(env command.Environment) error {
	err := o.set(env)
	if len(o.model.Reasons) == 0 {
		o.model.Reasons = []candidate.Reason{candidate.Drifted}
		if o.Policy.As != engine.Karpenter { // which knows no requests
			o.model.Reasons = []candidate.Reason{candidate.Requested, candidate.Drifted}
		}
	}
	return err
}

// check returns an error if flags are given that exclude each other.
func (o *statusOptions) check(env command.Environment) error {
	for _, flag := range []string{"at-least", "timeout", "behind", "settle"} {
		if !o.wait && o.Given(flag) {
			return fmt.Errorf("--%s is for --wait: also write --wait", flag)
		}
	}
	switch {
	case o.wait && o.watch:
		return errors.New("--wait prints lines until the roll ends, and --watch draws it until you stop it: leave out one of them")
	case o.watch && o.Given("output"):
		return errors.New("--watch shows text: leave out -o")
	case o.wait:
		return o.Again(env, "--wait")
	case o.watch:
		return o.Again(env, "--watch")
	case o.Given("watch-every"):
		return errors.New("--watch-every is how often --wait and --watch read: also write one of them")
	}
	return nil
}

// setShare sets how many nodes are to be up to date.
func (o *statusOptions) setShare() (err error) {
	number, isPercent := strings.CutSuffix(o.atLeast, "%")
	if o.share, err = strconv.Atoi(number); err != nil || !isPercent || o.share < 1 || o.share > 100 {
		return fmt.Errorf("--at-least %q is not a percentage from 1%% to 100%%: write one such as 90%%", o.atLeast)
	}
	return nil
}
