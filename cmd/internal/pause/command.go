// Package pause has the commands that stop voluntary disruption of NodePools, and start it again: by an annotation that the guard and the
// steward read, and in stock Karpenter by a budget of 0.
package pause

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const how = `

With the guard and the steward, a pause is the annotation disruptkit.dev/pause of a NodePool. Stock Karpenter has no pauses: there, a
budget of 0 nodes is added, and the annotation disruptkit.dev/paused-budgets keeps the list as it was. Which of them runs a NodePool, its
annotations say, unless --engine does.

Both commands show what they will write, and ask first. The exit status is 0 if all is written, or with --dry-run could be; or 2.`

const long = `pause stops voluntary disruption of all NodePools, or of those that you name, until a time or until resume.

It stops no drain that has begun, no node that expires, and none that the cloud takes away.` + how

const examples = `  # stop everything for two hours
  kubectl disruption pause --until 2h --why INC-1234
  # what it would write for two NodePools
  kubectl disruption pause web batch --dry-run
  # go on
  kubectl disruption resume`

// options are what the arguments say.
type options struct {
	file, until, why string
	zone             command.Zone
	as               engine.Engine
	yes, dry         bool
	flags            *pflag.FlagSet
}

// Command returns the command that pauses.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := o.command(env, "pause", "Stop voluntary disruption", long, examples, o.pause)
	c.Flags().StringVar(&o.until, "until", "", "when the pause ends: a `time` such as 2026-11-23T09:00:00Z, or how long it lasts, such as 2h (default: when somebody resumes)")
	c.Flags().StringVar(&o.why, "why", "", "the `reason`, for people: INC-1234")
	return c
}

// ResumeCommand returns the command that ends pauses.
func ResumeCommand(env *command.Environment) *cobra.Command {
	o := &options{}
	return o.command(env, "resume", "End a pause of disruption", `resume ends the pauses of all NodePools, or of those that you name. In stock Karpenter, the list of budgets is
as it was before. If somebody has changed it meanwhile, only the budget that pause added is taken out.`+how,
		"  # all NodePools\n  kubectl disruption resume\n  # one of them, without a question\n  kubectl disruption resume web --yes",
		func(p pool, _ time.Time) (change, error) { return p.resume(), nil })
}

// command returns a command that changes NodePools.
func (o *options) command(env *command.Environment, name, short, long, examples string, of func(pool, time.Time) (change, error)) *cobra.Command {
	c := command.New(env, &cobra.Command{Use: name + " [flags] [NodePool...]", Short: short, Long: long, Example: examples},
		func(ctx context.Context, env command.Environment, args []string) (int, error) {
			return o.run(ctx, env, args, of)
		})
	f := c.Flags()
	o.flags = f
	f.StringVarP(&o.file, "filename", "f", "", "read the NodePools of this `file`, and print the commands that would change them; - is standard input")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.dry, "dry-run", false, "change nothing: print the commands")
	o.as.Flag(f)
	o.zone.AddFlag(f, "the tz database zone in which dates are read, such as Europe/Berlin")
	return c
}

// run shows what changes, asks, and writes.
func (o *options) run(ctx context.Context, env command.Environment, args []string, of func(pool, time.Time) (change, error)) (status int, err error) {
	o.dry = o.dry || o.file != ""
	pools, err := o.read(env, args)
	if err != nil {
		return command.Hopeless, err
	}
	now := time.Now().UTC()
	var changes []change
	for _, p := range pools {
		c, err := of(p, now)
		if err != nil {
			return command.Hopeless, err
		}
		fmt.Fprintln(env.Stdout, tell.Wrap(fmt.Sprintf("NodePool %s (%s): %s", wording.Quote(p.Metadata.Name), p.runBy(o.given()), c.says), "  "))
		if c.patch == "" {
			continue
		}
		if o.dry {
			fmt.Fprintln(env.Stdout, "  "+c.command())
		}
		changes = append(changes, c)
	}
	if o.dry || len(changes) == 0 {
		return command.Good, nil
	}
	if !o.yes {
		if err := env.Agreed(fmt.Sprintf("Write this to %s? [y/N] ", wording.Count(len(changes), "NodePool"))); err != nil {
			return command.Hopeless, err
		}
	}
	for i, c := range changes {
		if err := env.Patch(ctx, "nodepool/"+c.pool, c.patch); err != nil {
			return command.Hopeless, fmt.Errorf("%d of %s written: %w", i, wording.Count(len(changes), "NodePool"), err)
		}
		fmt.Fprintf(env.Stdout, "nodepool/%s: written\n", c.pool)
	}
	return command.Good, nil
}

// given returns the engine that somebody names; nil: nobody does.
func (o *options) given() *engine.Engine {
	if o.flags.Changed("engine") {
		return &o.as
	}
	return nil
}

// read reads the NodePools that are named, or all.
func (o *options) read(env command.Environment, names []string) ([]pool, error) {
	if o.as == engine.Disruptkit && o.given() != nil {
		return nil, errors.New("--engine disruptkit: an autoscaler of your own has its own way to pause: set Input.Pauses")
	}
	var in io.ReadCloser
	var err error
	if o.file != "" {
		in, err = manifest.Open(o.file, env.Stdin)
	} else {
		in, err = env.Cluster("nodepools")
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all, err := parse(in)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, p := range all {
		known = append(known, p.Metadata.Name)
	}
	chosen, err := choose.Pools(names, known)
	if err != nil {
		return nil, err
	}
	var pools []pool
	for _, name := range chosen {
		for _, p := range all {
			if p.Metadata.Name == name {
				pools = append(pools, p)
			}
		}
	}
	if len(pools) == 0 {
		return nil, errors.New("there is no NodePool: kubectl get nodepools prints what is read here")
	}
	return pools, nil
}

// pause returns the change that pauses a NodePool.
func (o *options) pause(p pool, now time.Time) (change, error) {
	until, err := o.end(now)
	if err != nil {
		return change{}, err
	}
	return p.pause(p.engine(o.given()), stop{From: now, Until: until, By: os.Getenv("USER"), Why: o.why})
}

// end reads --until. Zero: without end.
func (o *options) end(now time.Time) (until time.Time, err error) {
	if o.until == "" {
		return until, nil
	}
	if d, err := time.ParseDuration(o.until); err == nil {
		until = now.Add(d).Truncate(time.Second)
	} else if until, err = command.Time("--until", o.until, o.zone.In); err != nil {
		return until, fmt.Errorf("%w, or how long it lasts, such as 2h", err)
	}
	if !until.After(now) {
		return until, fmt.Errorf("--until %s is over: write a later time, or how long the pause lasts, such as 2h", o.until)
	}
	return until.UTC(), nil
}
