package forecast

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func help(env program.Environment) string {
	return `forecast shows what disruption budgets mean: when how many nodes may go, for which reason, and which budget says so.

  ` + env.Name + ` [flags] [file ...]

Without a file it asks the cluster of kubectl's context.

It reads NodePools in JSON or YAML, several documents and Lists, and objects that have budgets but no kind. The file -
is standard input. Each pool comes with its timeline, with findings about probable mistakes, and a week at a glance.

  --engine engine      ` + engine.Help + `
  -f file         read this file or directory, as without -f; there may be several
  --demo           ` + program.DemoHelp + `
  -R              read the directories in directories, too
  --from time      the start, such as 2026-11-23 or 2026-11-23T09:00:00Z (default: today, 0:00, and now is marked)
  --now time       mark this time, and begin on its day unless there is --from (default: the time)
  --to time        the end (default: a week after the start)
  --zone name      the tz database zone in which times are shown and dates are read, such as Europe/Berlin (default: UTC)
  --reason names   Drifted, Empty, Underutilized, Expired, Unhealthy (repair), or children such as Drifted/AMIDrift, in
                  any case, with commas between them (default: the first three, and those of the rest that the pool
                  names)
  --pool name      show one NodePool
  --nodes number   how many nodes a pool has, for percentages (default: 100 are assumed)
  --calendar file  ` + manifest.CalendarHelp + `, unless --zone
                  names another
  --most-specific  ` + manifest.MostSpecificHelp + `
  -o format       text (the default), json, svg or html; a picture is of the seven days from the start on
  --check          fail if a finding is an error, for use in CI pipelines

The exit status is 0; 1 if something in the input is broken, which lets nothing go, or --check finds an error, while all
else is shown; or 2 if nothing can be shown, or one of several files cannot be read.
`
}

// options are what the arguments say.
type options struct {
	files        []string // none is the bundled NodePool, - standard input
	deep         bool     // directories in directories are read, too
	live         bool     // or, without files, the cluster's
	from, to     time.Time
	now          time.Time // to be marked; zero: the forecast is of another time
	zone         *time.Location
	reasons      []candidate.Reason // none: those that matter to the pool
	pool         string             // "": all
	nodes        int
	nodesAssumed bool // nobody said how many
	compare      bool // with other engines
	form         bool // somebody asks in a form, and writes no flags
	policy       manifest.Policy
	check        bool
	print        func(io.Writer, report) error
}

// written is what the flags say, as text.
type written struct {
	*flag.FlagSet
	files                       []string
	from, to, now               string
	zone, reason, nodes, format string
	pool                        string
	policy                      manifest.Policy
	check, deep                 bool
}

func newFlags() *written {
	w := &written{FlagSet: flag.NewFlagSet("forecast", flag.ContinueOnError)}
	w.SetOutput(io.Discard) // errors are returned
	w.Func("f", "", func(file string) error {
		w.files = append(w.files, file)
		return nil
	})
	w.StringVar(&w.from, "from", "", "")
	w.StringVar(&w.now, "now", "", "")
	w.StringVar(&w.to, "to", "", "")
	w.StringVar(&w.zone, "zone", "UTC", "")
	w.StringVar(&w.reason, "reason", "", "")
	w.StringVar(&w.pool, "pool", "", "")
	w.StringVar(&w.nodes, "nodes", strconv.Itoa(AssumedNodes), "")
	w.StringVar(&w.format, "o", "text", "")
	program.AddDemo(w.FlagSet)
	w.policy.PoolFlags(w.FlagSet)
	w.BoolVar(&w.deep, "R", false, "")
	w.BoolVar(&w.check, "check", false, "")
	return w
}

// Flags returns the flags that there are.
func Flags() *flag.FlagSet { return newFlags().FlagSet }

// parseOptions returns flag.ErrHelp where help is asked for. Environment env may have a cluster to ask without a file.
func parseOptions(env program.Environment, args []string) (options, error) {
	flags, live := newFlags(), env.Cluster != nil
	o := options{live: live, compare: true}
	err := env.Parse(flags.FlagSet, args, func(file string) { flags.files = append(flags.files, file) })
	if err != nil {
		return options{}, err
	}
	if err := program.DemoAlone(flags.FlagSet, flags.files...); err != nil {
		return options{}, err
	}
	o.files, o.deep = flags.files, flags.deep
	if len(o.files) == 0 && !live {
		flags.policy.As.Bundled(flags.FlagSet)
	}
	o.policy, o.check, o.pool = flags.policy, flags.check, flags.pool
	o.nodesAssumed = program.Given(flags.FlagSet, "nodes") == ""
	if o.zone, err = program.Zone("--zone", flags.zone); err != nil {
		return options{}, err
	}
	err = errors.Join(o.policy.Check(), o.setSpan(flags.from, flags.to, flags.now), o.setReasons(flags.reason), o.setNodes(flags.nodes), o.setFormat(flags.format))
	if err != nil {
		return o, err
	}
	return o, o.policy.ReadCalendars(program.Given(flags.FlagSet, "zone"), o.from, o.to)
}

// bundledFrom is a Monday.
const bundledFrom = "2026-11-23"

func (o *options) setSpan(from, to, at string) (err error) {
	if from == "" && to == "" && at == "" && len(o.files) == 0 && !o.live {
		from = bundledFrom
	}
	now := time.Now().In(o.zone)
	if at != "" {
		if now, err = program.Time("--now", at, o.zone); err != nil {
			return err
		}
	}
	y, m, d := now.Date()
	o.from = time.Date(y, m, d, 0, 0, 0, 0, o.zone)
	if from != "" {
		if o.from, err = program.Time("--from", from, o.zone); err != nil {
			return err
		}
	}
	if from == "" || at != "" {
		o.now = now
	}
	o.to = o.from.AddDate(0, 0, 7)
	if to != "" {
		if o.to, err = program.Time("--to", to, o.zone); err != nil {
			return err
		}
	}
	_, err = (budget.Set{}).Forecast(o.from, o.to, 0, "") // its limits
	return err
}

func (o *options) setReasons(text string) error {
	if text == "" {
		return nil
	}
	reasons, err := program.Reasons("--reason", text)
	o.reasons = once(reasons)
	return err
}

// AssumedNodes is how many nodes a pool has where nobody says how many.
const AssumedNodes = 100

func (o *options) setNodes(text string) (err error) {
	o.nodes, err = ParseNodes(text)
	return err
}

// ParseNodes returns how many nodes a pool has, as the flag --nodes says.
func ParseNodes(text string) (int, error) {
	nodes, err := strconv.Atoi(text)
	if err != nil || nodes < 0 || nodes > math.MaxInt32 {
		return 0, fmt.Errorf("--nodes %q is not a number of nodes: write one from 0 to %d", text, math.MaxInt32)
	}
	return nodes, nil
}

func (o *options) setFormat(text string) error {
	formats := map[string]func(io.Writer, report) error{
		"text": printText, "json": printJSON, "svg": printSVG, "html": printHTML,
	}
	if o.print = formats[text]; o.print == nil {
		return fmt.Errorf("-o %q is unknown: write text, json, svg or html", text)
	}
	return nil
}
