package planner

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/input"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

const long = `plan says when a roll will be done, what holds it up, and which single change would help most.

Without -f it asks the cluster of kubectl's context:

  ` + manifest.Command + `

It starts the nodes that disruptkit.Decide allows, lets time pass, and asks again, until all nodes are done or nothing will
change any more. Its assumptions are at the end of what it prints.

` + manifest.MissingHelp + `

The exit status is 0; 1 if something in the input is invalid or missing, while all else is planned; or 2 if nothing can be
planned. With --detailed-exitcode, it is 0 if a change leaves the plan as it is, 2 if it does not, and 1 for all errors.`

const examples = `  # when the roll of all drifted nodes will be done
  kubectl disruption plan
  # the same, and with a larger budget beside it
  kubectl disruption plan --set 'web.budgets[0].nodes=20%'
  # what it takes to be done by Friday evening
  kubectl disruption plan --by 2026-11-20T17:00:00Z
  # with the times that draining and launching take in your cluster
  kubectl disruption plan --drain 10m --launch 5m
  # who expires over Christmas
  kubectl disruption plan --expire 2026-12-24/2026-12-27 --zone Europe/Berlin
  # draw one NodePool of a file that kubectl printed
  kubectl disruption plan -f cluster.json --pool web -o svg > plan.svg`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "plan [flags]",
		Short:   "When a roll will be done, what holds it up, and what would help",
		Long:    long,
		Example: examples,
		Args:    command.NoFile,
	}, o.run)
	o.addFlags(env, c.Flags())
	return c
}

// addFlags adds the flags.
func (o *options) addFlags(env *command.Environment, f *pflag.FlagSet) {
	o.AddFlags(env, f, "plan from")
	(*command.Reasons)(&o.model.Reasons).AddFlag(f,
		"plan for these reasons: %s (default: all that nodes have, except Underutilized, since "+
			"prices and a simulation decide whether Consolidatable nodes are disrupted)")
	choose.PoolFlag(f, &o.pool, "show one `NodePool`; the plan is of all")
	command.OneOf(f, &o.print, "output", "o", "the `format`: %s",
		command.Is("text", printText), command.Is("json", printJSON),
		command.Is("svg", printSVG))
	o.addWhatIf(f)
	o.addModel(f)
	f.StringVar(&o.by, "by", "",
		"find the least change of budgets with which each pool is done by this `time`, such as 2026-11-20T17:00:00Z, and say "+
			"where no change is enough")
	f.StringVar(&o.expire, "expire", "",
		"show only which nodes expire, all by name, in a `range` of times such as 2026-12-24/2026-12-27; the end is not in it")
	f.BoolVar(&o.try, "try", true, "try which single changes would help")
}

// addModel adds the flags of the plan's model.
func (o *options) addModel(f *pflag.FlagSet) {
	o.takes.AddFlags(f)
	f.BoolVar(&o.model.TerminateFirst, "terminate-first", false,
		"Karpenter's feature gate TerminateFirstDrift is on: nodes of static NodePools at spec.limits.nodes drain first")
	f.IntVar(&o.runs, "runs", 0,
		"how often to plan if durations or launches depend on chance: `N` times "+
			"(default: 200, or fewer if that takes long)")
	f.StringVar(&o.pass, "pass", "",
		"how long a pass of Karpenter takes, which starts one drifted node: a `time`, or @file with Karpenter's metrics "+
			"(default: for Karpenter, with and without the guard, 1s plus 1.5ms for each node of the cluster; otherwise 0s: all allowed nodes "+
			"start at once)")
	f.BoolVar(&o.model.DrainFirst, "drain-first", false, "nodes drain before their replacements are launched")
	command.Duration(f, &o.horizon, "horizon", "2160h", time.Minute, "the `time` for which to plan ahead, such as 720h")
	f.BoolVar(&o.ignoreProbes, "ignore-probes", false,
		"assume that disruptionProbes allow nodes (by default, since they do not run here, no node of "+
			"their pools is disrupted)")
}

// addWhatIf adds the flags for a second plan.
func (o *options) addWhatIf(f *pflag.FlagSet) {
	command.FileVarP(f, &o.whatIf, "what-if", "",
		"compare with a plan in which the NodePools and DisruptionPolicies of this `file` replace those of the same name; "+
			"a NodePool that the API server rejects allows no node, as everywhere")
	f.StringArrayVar(&o.sets, "set", nil,
		"compare with a plan in which this `change` is made to a field of a NodePool's spec.disruption: "+
			"web.budgets[0].nodes=20%; web.budgets[1]=null removes a budget; may be repeated")
	f.BoolVar(&o.detailed, "detailed-exitcode", false,
		"with --what-if, --set or --outage: exit with 0 if nothing changes, 2 if something does, and 1 for errors")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show all: each pool and zone, and what is assumed")
	f.StringArrayVar(&o.outage, "outage", nil, "compare with a plan that has an outage, `when` probes allow no node: "+
		"a schedule and a duration such as \"0 9 * * mon-fri 8h\", in --zone; may be repeated")
}

// options are the arguments.
type options struct {
	input.Source
	whatIf            string        // "": none
	by                string        // "": nobody asks
	until             time.Time     // the same, parsed
	expire            string        // show only the nodes that expire in it; "": show all
	expiring          schedule.Span // the same, parsed
	model             plan.Model
	takes             Durations
	outage            []string          // for what if
	outages           []schedule.Window // the same, parsed
	sets              []string          // likewise: web.budgets[0].nodes=20%
	imagined          bool              // something in the file for what if is broken
	assumed           []string          // on top of what a plan says
	horizon           time.Duration
	pool              string // "": all
	ignoreProbes, try bool
	pass              string // "": as long as Karpenter's usually takes
	detailed, verbose bool   // of what if
	print             func(io.Writer, report) error
	runs              int // how often to plan where durations depend on chance; 0: as plan.Sample has it
}

// check returns an error if flags are given that exclude each other.
func (o *options) check() error {
	switch imagines := o.whatIf != "" || len(o.outage)+len(o.sets) > 0; {
	case o.by != "" && imagines:
		return errors.New("--by finds the change that is needed: leave out --what-if, --set and --outage")
	case o.expire != "" && (imagines || o.by != "" || o.Given("output")):
		return errors.New("--expire shows which nodes expire, as text: leave out -o, --by, --what-if, --set and --outage")
	case o.detailed && !imagines:
		return errors.New("--detailed-exitcode is for a plan that is compared: also write --what-if, --set or --outage")
	}
	return nil
}

// finish checks flags, and sets what depends on several.
func (o *options) finish(env command.Environment) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.set(env)
}

// set reads the texts of flags.
func (o *options) set(env command.Environment) error {
	assumed, err := o.takes.set(&o.model)
	o.assumed = assumed
	return errors.Join(o.Finish(env, o.model.Reasons), o.setUntil(), err, o.setPass(), o.setOutages(), o.checkValues())
}

// setUntil reads --by and --expire.
func (o *options) setUntil() (err error) {
	if o.by != "" {
		o.until, err = command.Time("--by", o.by, o.Zone)
	}
	if o.expire != "" {
		o.expiring, err = command.Range("--expire", o.expire, o.Zone)
	}
	return err
}

// setOutages parses --outage.
func (o *options) setOutages() error {
	var faults []error
	for _, text := range o.outage {
		outage, err := parseOutage(text, o.Zone)
		o.outages, faults = append(o.outages, outage), append(faults, err)
	}
	return errors.Join(faults...)
}

// checkValues returns an error if a flag is out of bounds, or matters for other engines alone.
func (o *options) checkValues() error {
	switch as := o.Policy.As; {
	case o.Given("runs") && (o.runs < 1 || o.runs > mostRuns):
		return fmt.Errorf("--runs %d is not a number from 1 to %d", o.runs, mostRuns)
	case len(o.outages) > 0 && as == engine.Karpenter:
		return errors.New("--outage: stock Karpenter asks no probes, and goes on in an outage: also write --engine guard or --engine disruptkit")
	case o.model.TerminateFirst && as == engine.Disruptkit:
		return errors.New("--terminate-first is a feature gate of Karpenter's own controller: write --engine karpenter or --engine guard, or --drain-first for an autoscaler whose nodes drain first")
	}
	return nil
}

const mostRuns = 10_000

// setPass sets how long a pass takes: the mean of those of Karpenter's metrics for drift.
func (o *options) setPass() error {
	if o.pass == "" {
		return nil
	}
	t, err := readTimes("pass", o.pass)
	if err != nil {
		return err
	}
	o.model.Pass = mean(t.all)
	if t.source != "" {
		o.model.Pass += plan.PassOf(0)
		o.assumed = append(o.assumed, fmt.Sprintf("a pass takes %s: the mean of %s, and %s until its launch is accepted",
			o.model.Pass, t.source, plan.PassOf(0)))
	}
	return nil
}

// planOptions returns the options of a plan for the engine of the cluster, without what is measured.
func (o *options) planOptions(cluster *manifest.Cluster) plan.Options {
	options := unmeasured(cluster, o.Policy.As, o.model)
	options.Horizon = o.horizon
	if o.pass != "" {
		options.Model.Pass = cmp.Or(o.model.Pass, -1)
	}
	return options
}

// Options returns the options of a plan of a cluster for an engine without flags. The drains and launches of the roll that goes on replace the
// default ones.
func Options(cluster *manifest.Cluster, as engine.Engine, in disruptkit.Input) plan.Options {
	o := unmeasured(cluster, as, plan.Model{Eviction: plan.Constant(30 * time.Second)})
	o.Model = measure(cluster, in).model(o.Model, func(string) bool { return false }, in.Now)
	return o
}

// unmeasured returns the options of a plan of a cluster for an engine, for which all durations are the model's but how long a pass takes.
func unmeasured(cluster *manifest.Cluster, as engine.Engine, m plan.Model) plan.Options {
	if as != engine.Disruptkit {
		m.Pass, m.Static = plan.PassOf(len(cluster.Nodes)), cluster.Static
		m.Replaces = func(n candidate.Node) bool { static, _ := cluster.Static(n.Pool); return static || !n.Vacant() }
		m.Spares = cluster.Spares
	}
	m.Grace, m.PodGrace, m.Terminates, m.Recovers, m.Begun = cluster.Grace, cluster.PodGrace, cluster.Terminates, cluster.Recovers, cluster.Begun
	if cluster.Expiring() {
		m.Expires = cluster.Expires
	}
	return plan.Options{Model: m, Decide: cluster.Decider(), Alike: true}
}

// read reads the cluster, and sets the time unless it was given.
func (o *options) read(env command.Environment) (*manifest.Cluster, error) {
	clusters, err := o.Read(env, o.horizon, o.Policy.As)
	if err != nil {
		return nil, err
	}
	return clusters[0], nil
}

// input returns the input of the plan.
func (o *options) input(cluster *manifest.Cluster) disruptkit.Input {
	in := cluster.Input(o.At)
	if o.ignoreProbes {
		in.Verdicts, in.Pools = nil, slices.Clone(in.Pools)
		for i := range in.Pools {
			in.Pools[i].Verdicts = nil
		}
		in.Groups = slices.Clone(in.Groups)
		for i := range in.Groups {
			in.Groups[i].Verdicts = nil
		}
	}
	return in
}

const mostPools = 5 // that an error names

// imagine returns the cluster as it is for what if, and what to call it: with what the file --what-if has.
func (o *options) imagine(cluster *manifest.Cluster, stderr io.Writer) (other *manifest.Cluster, title string, err error) {
	var with []string
	other = cluster
	if o.whatIf != "" {
		with = append(with, filepath.Base(o.whatIf))
		if other, err = o.instead(other, stderr); err != nil {
			return nil, "", err
		}
	}
	if len(o.sets) > 0 {
		with = append(with, o.sets...)
		if other, err = other.Set(o.sets); err != nil {
			return nil, "", fmt.Errorf("--set %w", err)
		}
	}
	if len(o.outages) > 0 {
		with = append(with, wording.Count(len(o.outages), "outage"))
	}
	return other, "with " + strings.Join(with, " and "), nil
}

// instead returns the cluster with the NodePools and DisruptionPolicies of the file --what-if.
func (o *options) instead(cluster *manifest.Cluster, stderr io.Writer) (*manifest.Cluster, error) {
	f, err := manifest.Open(o.whatIf, strings.NewReader(""))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := o.Policy.ReadPools(o.whatIf, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.whatIf, err)
	}
	if len(file.Faults) > 0 { // it may be a NodePool
		return nil, file.Faults[0]
	}
	for _, p := range file.Pools {
		for _, fault := range slices.Concat(p.Faults, p.Dropped) {
			fmt.Fprintln(stderr, fault)
		}
		o.imagined = o.imagined || len(p.Faults) > 0
	}
	var several []disruptionpolicy.Policy
	for _, p := range file.Policies {
		several = append(several, p.Policy)
		o.imagined = o.imagined || len(p.Faults) > 0
	}
	for _, fault := range manifest.PolicyFaults(o.Policy.As, file.Policies, nil) {
		fmt.Fprintln(stderr, fault)
	}
	other, err := cluster.Instead(file.Pools, several)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; there are %s", o.whatIf, err, wording.List(cluster.Pools, mostPools, func(p disruptkit.Pool) string { return wording.Quote(p.Name) }))
	}
	return other, nil
}
