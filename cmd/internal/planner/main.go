// Package planner is the command that predicts when a roll will be done, what holds it up, and what would help. It needs no Kubernetes client: it
// reads what kubectl prints.
//
// The cluster is read (package manifest), plan.Run plans, and what it returns is shown: as a page of text, as JSON, or as a picture.
package planner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// The exit status.
const (
	good     = command.Good
	faulty   = command.Faulty
	hopeless = command.Hopeless
)

// run plans, and prints the plan. With --detailed-exitcode, errors have a status of their own.
func (o *options) run(_ context.Context, env command.Environment, _ []string) (status int, err error) {
	if status, err = o.plan(env); err != nil && o.detailed {
		env.Fail(err)
		return faulty, nil
	}
	return status, err
}

func (o *options) plan(env command.Environment) (status int, err error) {
	if err := o.finish(env); err != nil {
		return hopeless, err
	}
	progress := newProgress(env.Stderr)
	cluster, err := o.read(env)
	if err != nil {
		return hopeless, err
	}
	r, err := o.report(cluster, progress)
	if err != nil {
		return hopeless, err
	}
	broken := o.tell(env, cluster, r.plans[0].plan.Warnings) || o.imagined
	status, err = exit(broken, o.print(env.Stdout, r))
	if o.detailed && status == good && len(unlike(r.plans[0].plan, r.plans[1].plan)) > 0 {
		status = differs
	}
	return status, err
}

// exit returns the exit status of a report on an input that may be invalid, or an error if it cannot be printed.
func exit(broken bool, err error) (status int, _ error) {
	switch {
	case err != nil:
		return hopeless, err
	case broken:
		return faulty, nil
	}
	return good, nil
}

// A report is everything to print.
type report struct {
	*options
	plans          []planned           // of the cluster as it is, and of --what-if
	trials         func() []plan.Trial // of the first plan; nil: none are made
	missing        []manifest.Missing
	consolidatable int    // how many nodes are Consolidatable and not planned for it
	needed         needed // what it takes to be done by a time
	defaults       string // which durations nobody has given; "": none
}

// tried returns the trials, which takes longer than the plan.
func (r report) tried() []plan.Trial {
	if r.trials == nil {
		return nil
	}
	return r.trials()
}

// first is the first line: the engine of a report, and what in it is a guess.
func (r report) first() string { return strings.TrimSpace(r.Policy.As.Title() + " " + r.defaults) }

// shown describes the part that a report shows, and the number of nodes of the plan; "": all is shown.
func (r report) shown() string {
	if r.pool == "" {
		return ""
	}
	return fmt.Sprintf("Only NodePool %s is shown (--pool); the plan is of all %s.", wording.Quote(r.pool), wording.Count(r.plans[0].of, "node"))
}

// A planned is a plan with its name.
type planned struct {
	title   string
	plan    plan.Plan  // the run in the middle
	runs    plan.Range // all of them
	of      int        // how many nodes there are in all NodePools
	cluster *manifest.Cluster
	in      disruptkit.Input
}

// report plans the cluster as it is and with the options' changes, and tries what would help.
func (o *options) report(cluster *manifest.Cluster, progress *progress) (report, error) {
	in, left := o.leaveOut(o.input(cluster))
	options := o.planOptions(cluster)
	seen := measure(cluster, in)
	options.Model = seen.model(options.Model, o.Given, in.Now)
	if err := cmp.Or(choose.Pool(o.pool, poolsOf(in)), o.checkUntil("--by", o.until, in.Now), o.checkUntil("--expire", o.expiring.End, in.Now)); err != nil {
		return report{}, err
	}
	options.Observe = progress.observe
	o.try = o.try && o.expiring.End.IsZero()
	sample := func(cluster *manifest.Cluster, in disruptkit.Input, beside *plan.Range) plan.Range {
		r := plan.Sample(in, options, o.runs)
		if beside != nil && len(r.Draws) > 1 { // what differs is then no chance
			same := options
			same.Model.Seed = beside.Seed
			r.Plan = plan.Run(in, same)
		}
		r.Plan = named(cluster, in, r.Plan)
		r.Plan.Assumptions = append(slices.Clip(r.Plan.Assumptions), o.assumes(cluster, in, r, left)...)
		return r
	}
	as := func(title string, r plan.Range, cluster *manifest.Cluster, in disruptkit.Input) planned {
		all := len(r.Plan.Nodes)
		r = inZone(narrow(r, o.pool), o.Zone)
		return planned{title, r.Plan, r, all, cluster, in}
	}
	sampled := sample(cluster, in, nil)
	r := report{
		options: o, plans: []planned{as("as it is", sampled, cluster, in)}, missing: cluster.Missing(), consolidatable: left,
		defaults: defaults(in, seen.known(o.Given)),
	}
	if o.whatIf != "" || len(o.sets)+len(o.outages) > 0 {
		other, title, err := o.imagine(cluster, progress.out)
		if err != nil {
			return report{}, err
		}
		options.Decide, options.Model.Outages = other.Decider(), o.outages
		in, _ := o.leaveOut(o.input(other))
		r.plans = append(r.plans, as(title, sample(other, in, &sampled), other, in))
	}
	if !o.until.IsZero() {
		progress.say("trying what is needed")
		r.needed = o.need(in, options, sampled)
	}
	if o.try && len(r.plans) == 1 {
		options.Model.Seed = sampled.Seed
		r.trials = func() (trials []plan.Trial) {
			defer progress.done()
			progress.say("trying what would help")
			for t := range plan.Try(in, options, sampled.Plan) {
				trials = append(trials, t)
				progress.say(fmt.Sprintf("trying what would help: %s: %s", t.Change, brief(t.Comparison)))
			}
			slices.SortStableFunc(trials, plan.Trial.Compare)
			if o.pool != "" {
				trials = helpPool(trials, o.pool)
			}
			return trials
		}
	}
	progress.done()
	return r, nil
}

// tell prints warnings and notes, and reports whether something is invalid or missing.
func (o *options) tell(env command.Environment, cluster *manifest.Cluster, warnings []candidate.Warning) (broken bool) {
	stderr := env.Stderr
	for _, note := range cluster.Notes() {
		fmt.Fprintln(stderr, "note:", note)
	}
	if len(cluster.Probes) > 0 && !o.ignoreProbes && o.Policy.As != engine.Karpenter {
		fmt.Fprintln(stderr, "note:", env.Name, "does not run disruptionProbes, so it blocks pools that have any; to assume that they pass, write --ignore-probes")
	}
	all := cluster.Warnings(disruptkit.Decision{Warnings: warnings})
	for i, w := range all {
		if i == mostWarnings {
			fmt.Fprintf(stderr, "and %s; decide lists them\n", wording.Count(len(all)-i, "more warning"))
			break
		}
		fmt.Fprintln(stderr, w.Error())
	}
	return isBroken(cluster, all)
}

// isBroken reports whether a cluster has invalid or missing objects.
func isBroken(cluster *manifest.Cluster, warnings []candidate.Warning) bool {
	return slices.ContainsFunc(warnings, tell.IsFault) || len(cluster.Missing()) > 0
}

const mostWarnings = 10

// poolsOf returns the names of the NodePools of an input.
func poolsOf(in disruptkit.Input) (names []string) {
	for _, p := range in.Pools {
		names = append(names, p.Name)
	}
	return names
}
