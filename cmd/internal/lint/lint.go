// Package lint is the command for CI. It prints probable mistakes in the budgets of NodePools as text, JSON, SARIF or
// GitHub annotations, and fails if they are severe enough.
package lint

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func help(env program.Environment) string {
	return `lint says what in the disruption budgets of NodePools is probably a mistake, and what to write instead.

  ` + env.Name + ` [flags] [file ...]

It reads NodePools in JSON or YAML, several documents and Lists, and objects that have budgets but no kind. The file - is standard
input. Of a directory it reads the files *.yaml, *.yml and *.json. explain says more about each code.
Without a file it asks the cluster of kubectl's context.

A comment at the line of a finding, or alone on the line before, ignores it: # disruptkit:ignore never-binds, rounds-up
The annotation ` + annotation.LintIgnore + `: "never-binds, rounds-up" does so for a whole NodePool.

  --engine engine      ` + engine.Help + `
  -f file         read this file or directory, as without -f; there may be several
  -R              read the directories in directories, too
  --disable codes  leave out findings of these codes, with commas between them
  --fail-on level  the least severity that makes it fail: error (the default), warning, info or never
  --pool name      look at one NodePool
  --reason names   leave out findings about other reasons: Drifted, Empty, Underutilized, Expired, Unhealthy, or children such as
                  Drifted/AMIDrift, in any case, with commas between them; those about no single reason stay
  --nodes number   how many nodes a pool has, for percentages (default: 100 are assumed)
  --now time       look ahead from this time, such as 2026-11-23 or 2026-11-23T09:00:00Z (default: now)
  --calendar file  ` + manifest.CalendarHelp + `
  --zone name      the tz database zone in which dates are read and times are shown, such as Europe/Berlin (default: UTC); JSON is in
                  UTC
  --most-specific  ` + manifest.MostSpecificHelp + `
  -o format       text (the default), json, sarif (for code scanning), or github (annotations of a workflow)

The exit status is 0; 1 if there is a finding that makes it fail; or 2 if something cannot be read, while all else is looked at.
`
}

// severities are all severities, worst first.
var severities = []budget.Severity{budget.SeverityError, budget.SeverityWarning, budget.SeverityInfo}

// An answer is everything to print.
type answer struct {
	findings []forecast.Finding
	as       engine.Engine
	pools    int
	disabled int      // number of findings left out
	ignored  int      // number of those that comments and annotations leave out
	files    []string // that were read, with those of directories
}

// options are what the arguments say.
type options struct {
	forecast.Question
	failOn  budget.Severity // "": nothing fails
	disable []string
	reasons []candidate.Reason // none: all
	print   func(io.Writer, answer) error
}

// Run is the whole program.
func Run(env program.Environment, args []string) int {
	o, err := parseOptions(env, args)
	if errors.Is(err, flag.ErrHelp) {
		env.Help(help(env), examples...)
		return program.Good
	} else if err != nil {
		return env.Fail(err)
	}
	found, err := forecast.Lint(env, o.Question)
	if len(found.Findings) == 0 && found.Pools == 0 && err != nil {
		return env.Fail(err)
	}
	a := answer{as: o.Policy.As, pools: found.Pools, ignored: found.Ignored, files: found.Files}
	for _, f := range found.Findings {
		switch {
		case slices.Contains(o.disable, f.Code):
			a.disabled++
		case o.about(f):
			a.findings = append(a.findings, f)
		}
	}
	if err := o.print(env.Stdout, a); err != nil {
		return env.Fail(err)
	}
	if found.Pools == 0 && err != nil {
		return env.Fail(err)
	}
	switch {
	case err != nil: // a note has said so
		return program.Hopeless
	case slices.ContainsFunc(a.findings, o.fails):
		return program.Faulty
	}
	return program.Good
}

// fails reports whether a finding is severe enough to fail.
func (o options) fails(f forecast.Finding) bool {
	return o.failOn != "" && slices.Index(severities, f.Severity) <= slices.Index(severities, o.failOn)
}

// written has the values of the flags as text.
type written struct {
	*flag.FlagSet
	files                        []string
	failOn, disable, format, now string
	pool, reason, zone, nodes    string
	deep                         bool
	policy                       manifest.Policy
}

func newFlags() *written {
	w := &written{FlagSet: flag.NewFlagSet("lint", flag.ContinueOnError)}
	w.SetOutput(io.Discard) // errors are returned
	w.Func("f", "", func(file string) error {
		w.files = append(w.files, file)
		return nil
	})
	w.BoolVar(&w.deep, "R", false, "")
	w.StringVar(&w.failOn, "fail-on", "error", "")
	w.StringVar(&w.disable, "disable", "", "")
	w.StringVar(&w.format, "o", "text", "")
	w.StringVar(&w.now, "now", "", "")
	w.StringVar(&w.zone, "zone", "UTC", "")
	w.StringVar(&w.pool, "pool", "", "")
	w.StringVar(&w.reason, "reason", "", "")
	w.StringVar(&w.nodes, "nodes", strconv.Itoa(forecast.AssumedNodes), "")
	w.policy.PoolFlags(w.FlagSet)
	return w
}

// Flags returns all flags.
func Flags() *flag.FlagSet { return newFlags().FlagSet }

// parseOptions parses the arguments. It returns flag.ErrHelp if they ask for help.
func parseOptions(env program.Environment, args []string) (o options, err error) {
	flags := newFlags()
	err = env.Parse(flags.FlagSet, args, func(file string) { flags.files = append(flags.files, file) })
	if err != nil {
		return o, err
	}
	o.Files, o.Deep = flags.files, flags.deep
	o.Policy, o.Pool = flags.policy, flags.pool
	zone, err := program.Zone("--zone", flags.zone)
	if err != nil {
		return o, err
	}
	err = errors.Join(o.Policy.Check(), o.setFailOn(flags.failOn), o.setDisable(flags.disable), o.setReasons(flags.reason),
		o.setNodes(flags.nodes), o.setNow(flags.now, zone), o.setFormat(flags.format))
	if err != nil {
		return o, err
	}
	return o, o.Policy.ReadCalendars(program.Given(flags.FlagSet, "zone"), o.Now, o.Now)
}

func (o *options) setNodes(text string) (err error) {
	o.Nodes, err = forecast.ParseNodes(text)
	return err
}

func (o *options) setFailOn(text string) error {
	level := budget.Severity(strings.ToLower(text))
	switch {
	case slices.Contains(severities, level):
		o.failOn = level
	case level != "never":
		return fmt.Errorf("--fail-on %q is unknown: write error, warning, info or never", text)
	}
	return nil
}

func (o *options) setDisable(text string) error {
	var errs []error
	for code := range strings.SplitSeq(text, ",") {
		if code = strings.TrimSpace(code); code == "" {
			continue
		}
		e, err := explain.Of(code)
		if err != nil {
			errs = append(errs, fmt.Errorf("--disable: %w", err))
		}
		o.disable = append(o.disable, e.Code)
	}
	return errors.Join(errs...)
}

func (o *options) setReasons(text string) (err error) {
	if text != "" {
		o.reasons, err = program.Reasons("--reason", text)
	}
	return err
}

// about reports whether a finding is about one of the reasons, or about no single one.
func (o options) about(f forecast.Finding) bool {
	return len(o.reasons) == 0 || f.Reason == "" || slices.ContainsFunc(o.reasons, func(r candidate.Reason) bool {
		return r.Covers(f.Reason) || f.Reason.Covers(r)
	})
}

func (o *options) setNow(text string, zone *time.Location) (err error) {
	o.Now = time.Now().In(zone)
	if text != "" {
		o.Now, err = program.Time("--now", text, zone)
	}
	return err
}

func (o *options) setFormat(text string) error {
	formats := map[string]func(io.Writer, answer) error{"text": printText, "json": printJSON, "sarif": printSARIF, "github": printGitHub}
	if o.print = formats[text]; o.print == nil {
		return fmt.Errorf("-o %q is unknown: write text, json, sarif or github", text)
	}
	return nil
}
