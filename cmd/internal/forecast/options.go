package forecast

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	source "github.com/disruptkit/disruptkit/cmd/internal/input"
)

const long = `forecast shows what disruption budgets mean: how many nodes may be disrupted when, for which reason, and which budget says so.

Without a file it asks the cluster of kubectl's context.

It reads NodePools in JSON or YAML, several documents and Lists, and objects that have budgets but no kind. The file -
is standard input. If annotations of NodePools in files name the steward or the guard, the answer is for that, unless
--engine says otherwise. Each pool comes with its timeline, with findings about probable mistakes, and a week at a glance.

The exit status is 0; 1 if something in the input is invalid and so allows nothing, while all else is shown; or 2 if nothing can be
shown, or one of several files cannot be read. kubectl disruption lint is for CI: it fails if a finding is an error.`

const examples = `  # the week of a NodePool, from today on
  kubectl disruption forecast nodepool.yaml
  # two weeks, with the times of Berlin
  kubectl disruption forecast --from 2026-12-20 --to 2027-01-05 --zone Europe/Berlin nodepool.yaml
  # one reason, of a pool of 40 nodes, as a page
  kubectl disruption forecast --reason Drifted --nodes 40 -o svg nodepool.yaml > week.svg`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "forecast [flags] [file...]",
		Short:   "How many nodes may be disrupted when, and which budget says so",
		Long:    long,
		Example: examples,
	}, o.run)
	o.addFlags(env, c.Flags())
	return c
}

// addFlags adds the flags.
func (o *options) addFlags(env *command.Environment, f *pflag.FlagSet) {
	o.flags = f
	o.AddFlags(f)
	env.AddDemo(f)
	f.StringVar(&o.written.from, "from", "", "the `time` of the start, such as 2026-11-23 or 2026-11-23T09:00:00Z "+
		"(default: today, 0:00, and now is marked)")
	f.StringVar(&o.written.now, "now", "", "mark this `time`, and begin on its day unless there is --from (default: now)")
	f.StringVar(&o.written.to, "to", "", "the `time` of the end (default: a week after the start)")
	o.written.zone.AddFlag(f, "the tz database zone in which times are shown and dates are read, such as Europe/Berlin")
	(*command.Reasons)(&o.reasons).AddFlag(f,
		"show these reasons: %s (default: the first three, and the others that the pool names)")
	command.OneOf(f, &o.print, "output", "o", "the `format`: %s; a picture is of the seven days from the start on",
		command.Is("text", printText), command.Is("json", printJSON),
		command.Is("svg", printSVG))
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show every pool hour by hour (by default, of several pools a line each)")
}

// options are what the arguments say.
type options struct {
	Question      // its time is to be marked; zero: the forecast is of another time
	live     bool // without files, the NodePools are the cluster's
	from, to time.Time
	zone     *time.Location
	reasons  []candidate.Reason // none: those that matter to the pool
	verbose  bool               // show all, of however many pools
	form     bool               // somebody asks in a form, and writes no flags
	print    func(io.Writer, report) error

	flags   *pflag.FlagSet
	written struct { // as flags say it
		from, to, now string
		zone          command.Zone
	}
}

// finish sets what several flags say together.
func (o *options) finish(env command.Environment, files []string) error {
	w := o.written
	o.Files, o.live, o.zone = append(o.Files, files...), env.Cluster != nil, w.zone.In
	if !o.flags.Changed("engine") && (len(o.Files) > 0 || o.live) {
		if e, says := source.Detect(env, o.Files...); says != "" {
			o.Policy.As = e
			fmt.Fprint(env.Stderr, says)
		}
	}
	if err := errors.Join(o.Policy.Check(), o.setSpan("--from", w.from, w.to, w.now)); err != nil {
		return err
	}
	return o.Policy.ReadCalendars(w.zone.Written, o.from, o.to)
}

// bundledFrom is a Monday.
const bundledFrom = "2026-11-23"

// setSpan reads the times of the forecast: from, which has a name, to, and now.
func (o *options) setSpan(name, from, to, at string) (err error) {
	if from == "" && to == "" && at == "" && len(o.Files) == 0 && !o.live && !o.form {
		from = bundledFrom
	}
	now := time.Now().In(o.zone)
	if at != "" {
		if now, err = command.Time("--now", at, o.zone); err != nil {
			return err
		}
	}
	y, m, d := now.Date()
	o.from = command.Day(y, m, d, o.zone)
	if from != "" {
		if o.from, err = command.Time(name, from, o.zone); err != nil {
			return err
		}
	}
	if from == "" || at != "" {
		o.Now = now
	}
	o.to = o.from.AddDate(0, 0, 7)
	if to != "" {
		if o.to, err = command.Time("--to", to, o.zone); err != nil {
			return err
		}
	}
	_, err = (budget.Set{}).Forecast(o.from, o.to, 0, "") // its limits
	return err
}
