// Package pause has the commands that stop voluntary disruption of NodePools, and start it again: by an annotation that the guard and the
// steward read, and in stock Karpenter by a budget of 0.
package pause

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/patch"
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
	patch.Flags
	until, why string
	zone       command.Zone
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
		func(p pool, _ engine.Engine, _ time.Time) (change, error) { return p.resume(), nil })
}

// command returns a command that changes NodePools.
func (o *options) command(
	env *command.Environment, name, short, long, examples string, of func(pool, engine.Engine, time.Time) (change, error),
) *cobra.Command {
	c := command.New(env, &cobra.Command{Use: name + " [flags] [NodePool...]", Short: short, Long: long, Example: examples},
		func(ctx context.Context, env command.Environment, args []string) (int, error) {
			return o.run(ctx, env, args, of)
		})
	o.Add(c.Flags(), "NodePools")
	o.zone.AddFlag(c.Flags(), "the tz database zone in which dates are read, such as Europe/Berlin")
	return c
}

// run shows what changes, asks, and writes.
func (o *options) run(
	ctx context.Context, env command.Environment, args []string, of func(pool, engine.Engine, time.Time) (change, error),
) (status int, err error) {
	pools, err := o.read(env, args)
	if err != nil {
		return command.Hopeless, err
	}
	now := time.Now().UTC()
	var writes []patch.Write
	for _, p := range pools {
		as, why := o.Engine(p.Metadata.Annotations)
		c, err := of(p, as, now)
		if err != nil {
			return command.Hopeless, err
		}
		fmt.Fprintln(env.Stdout, tell.Wrap(fmt.Sprintf("NodePool %s (%s, %s): %s", wording.Quote(p.Metadata.Name), as.Name(), why, c.says), "  "))
		if c.patch != "" {
			writes = append(writes, patch.Write{Object: "nodepool/" + c.pool, Patch: c.patch, Command: manifest.PatchCommand(c.pool, c.patch)})
		}
	}
	return o.Apply(ctx, env, writes)
}

// read reads the NodePools that are named, or all.
func (o *options) read(env command.Environment, names []string) ([]pool, error) {
	if as, _ := o.Engine(nil); as == engine.Disruptkit {
		return nil, errors.New("--engine disruptkit: an autoscaler of your own has its own way to pause: set Input.Pauses")
	}
	all, err := patch.Read[pool](&o.Flags, env, "nodepools")
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p pool) bool { return p.Kind != "NodePool" })
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
func (o *options) pause(p pool, as engine.Engine, now time.Time) (change, error) {
	until, err := o.end(now)
	if err != nil {
		return change{}, err
	}
	return p.pause(as, stop{From: now, Until: until, By: os.Getenv("USER"), Why: o.why})
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
