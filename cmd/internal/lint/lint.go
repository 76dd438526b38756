// Package lint is the command for CI. It prints probable mistakes in the budgets of NodePools as text, JSON, SARIF or
// GitHub annotations, and fails if they are severe enough.
package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/explain"
	"github.com/disruptkit/disruptkit/cmd/internal/forecast"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const long = `lint says what in the disruption budgets of NodePools is probably a mistake, and what to write instead.

It reads NodePools in JSON or YAML, several documents and Lists, and objects that have budgets but no kind. The file - is standard
input. In a directory it reads the files *.yaml, *.yml and *.json, and skips templates. Without a file it asks the cluster of kubectl's context.
kubectl disruption explain says more about each code.

An advice that is a change of the list has been tried: it raises no limit without saying so. --diff prints what --fix would write. Where
several changes are possible, "; or" stands between them, and --fix=CODE:NUMBER takes one, in the order in which they stand.

A comment at the line of a finding, or alone on the line before, ignores it: # disruptkit:ignore never-binds, rounds-up
The annotation ` + annotation.LintIgnore + `: "never-binds, rounds-up" does so for a whole NodePool.

The exit status is 0; 1 if there is a finding that makes it fail (--fail-on); or 2 if a flag is wrong, or something cannot be read,
while all else is checked. With -o json and -o sarif, there is a document even then, which says so.`

const examples = `  # all NodePools below a directory
  kubectl disruption lint -R deploy
  # in a workflow, with a finding left out
  kubectl disruption lint --fail-on warning --disable rounds-up -o github deploy/*.yaml
  # for code scanning
  kubectl disruption lint -o sarif -R deploy > findings.sarif
  # what could be written instead, and to write it
  kubectl disruption lint --diff deploy/*.yaml
  kubectl disruption lint --fix deploy/*.yaml`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	o := &options{}
	c := command.New(env, &cobra.Command{
		Use:     "lint [flags] [file...]",
		Short:   "What in the budgets is probably a mistake, for CI",
		Long:    long,
		Example: examples,
	}, o.run)
	f := c.Flags()
	o.flags = f
	env.Documents(c, o.document)
	o.AddFlags(f)
	f.StringArrayVar(&o.Exclude, "exclude", nil,
		"leave out files and directories of directories whose name or path matches this `pattern`, such as templates or *.tmpl.yaml; there may be several")
	f.BoolVar(&o.IfAny, "if-any", false,
		"for a hook that hands over all files: those without NodePools are no error, and templates are skipped")
	f.StringVar(&o.leftOut, "disable", "", "leave out findings of these `codes`, with commas between them")
	command.OneOf(f, &o.failOn, "fail-on", "", "the least `severity` that makes it fail: %s",
		command.Is("error", lint.SeverityError), command.Is("warning", lint.SeverityWarning),
		command.Is("info", lint.SeverityInfo),
		command.Is("never", lint.Severity("")))
	f.BoolVar(&o.diff, "diff", false, "print what --fix would write into the files, as a diff, instead of findings")
	f.Var(&o.fix, "fix", "write fixes into the files, comments and order kept: those that nobody means otherwise or, as in "+
		"--fix=never-binds:2, one of several; there may be several, one after the other")
	f.Lookup("fix").NoOptDefVal = obvious
	f.StringVar(&o.now, "now", "",
		"look ahead from this `time`, such as 2026-11-23 or 2026-11-23T09:00:00Z (default: now)")
	o.zone.AddFlag(f,
		"the tz database zone in which dates are read and times are shown, such as Europe/Berlin; JSON is in UTC")
	command.OneOf(f, &o.print, "output", "o",
		"the `format`: %s; sarif is for code scanning, github prints annotations of a workflow",
		command.Is("text", printText), command.Is("json", printJSON),
		command.Is("sarif", printSARIF), command.Is("github", printGitHub))
	return c
}

// severities are all severities, worst first.
var severities = []lint.Severity{lint.SeverityError, lint.SeverityWarning, lint.SeverityInfo}

// An answer is everything to print.
type answer struct {
	forecast.Answer
	as       engine.Engine
	assumed  string // how many nodes are assumed; "": the numbers are known
	disabled int    // number of findings left out
	failed   error  // what could not be read
}

// options are what the arguments say.
type options struct {
	forecast.Question
	failOn  lint.Severity // "": nothing fails
	disable []string
	print   func(io.Writer, answer) error
	fix     choices
	diff    bool // print what --fix would write

	flags        *pflag.FlagSet
	zone         command.Zone
	leftOut, now string // as flags say it
}

// run looks for mistakes, and prints them.
func (o *options) run(_ context.Context, env command.Environment, files []string) (status int, err error) {
	if err := o.finish(files); err != nil {
		return command.Hopeless, err
	}
	return o.lint(env)
}

// lint looks for mistakes, fixes them if asked to, and prints what is left. Fixes that wait for others are taken after
// these.
func (o *options) lint(env command.Environment) (status int, err error) {
	var stdin bytes.Buffer
	env.Stdin = io.TeeReader(env.Stdin, &stdin)
	a, again := o.look(env), env
	for len(o.fix) > 0 && !o.diff {
		changed, wait, err := o.apply(env, a.Findings)
		if err != nil {
			return command.Hopeless, err
		}
		if !wait {
			o.fix = o.fix[1:]
		}
		if changed {
			again.Stdin, again.Stderr = bytes.NewReader(stdin.Bytes()), io.Discard // notes were printed
			a = o.look(again)
		}
	}
	switch {
	case len(a.Findings) == 0 && a.Pools == 0 && a.failed != nil:
		return command.Hopeless, a.failed
	case o.diff:
		_, _, err = o.apply(env, a.Findings)
	default:
		err = o.print(env.Stdout, a)
	}
	switch {
	case err != nil:
		return command.Hopeless, err
	case a.Pools == 0 && a.failed != nil:
		return env.Fail(a.failed), nil
	case a.failed != nil: // a note has said so
		return command.Hopeless, nil
	case slices.ContainsFunc(a.Findings, o.fails):
		return command.Faulty, nil
	}
	return command.Good, nil
}

// look looks for mistakes.
func (o options) look(env command.Environment) answer {
	found, err := forecast.Lint(env, o.Question)
	a := answer{Answer: found, as: o.Policy.As, failed: err}
	if found.Assumed {
		a.assumed = fmt.Sprintf("; %s assumed (--nodes says how many)", wording.Count(o.Nodes, "node"))
	}
	a.Findings = slices.DeleteFunc(a.Findings, func(f forecast.Finding) bool { return slices.Contains(o.disable, f.Code) })
	a.disabled = len(found.Findings) - len(a.Findings)
	return a
}

// fails reports whether a finding is severe enough to fail.
func (o options) fails(f forecast.Finding) bool {
	return o.failOn != "" && slices.Index(severities, f.Severity) <= slices.Index(severities, o.failOn)
}

// document prints that nothing was checked, if programs read the output.
func (o *options) document(out io.Writer, err error) error {
	switch o.flags.Lookup("output").Value.String() {
	case "json", "sarif":
		return o.print(out, answer{as: o.Policy.As, failed: err})
	}
	return nil
}

// finish sets what several flags say together.
func (o *options) finish(files []string) (err error) {
	o.Files = append(o.Files, files...)
	if o.diff && o.flags.Changed("output") {
		return errors.New("--diff prints a diff: leave out -o")
	}
	if o.Now = time.Now().In(o.zone.In); o.now != "" {
		o.Now, err = command.Time("--now", o.now, o.zone.In)
	}
	if err := errors.Join(o.Policy.Check(), o.setDisable(), err); err != nil {
		return err
	}
	return o.Policy.ReadCalendars(o.zone.Written, o.Now, o.Now)
}

func (o *options) setDisable() error {
	var errs []error
	for code := range strings.SplitSeq(o.leftOut, ",") {
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
