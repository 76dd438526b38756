package explain

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/program"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

const help = `explain says what codes mean, with an example and what to do. Codes are in decisions, in findings of lint, and on dashboards.

  %s [flags] [CODE ...]

Without a code it lists all of them.

  -o format  text (the default) or json

The exit status is 0, or 2 if there is no such code.
`

// newFlags returns the flags that there are.
func newFlags() (flags *flag.FlagSet, format *string) {
	flags = flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	return flags, flags.String("o", "text", "")
}

// Flags returns the flags that there are.
func Flags() *flag.FlagSet {
	flags, _ := newFlags()
	return flags
}

// Run is the whole program.
func Run(env program.Environment, args []string) int {
	codes, format, err := parse(env, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		env.Help(fmt.Sprintf(help, env.Name), examples...)
		return program.Good
	case err != nil:
		return env.Fail(err)
	}
	status := program.Good
	var entries []Entry
	for _, code := range codes {
		e, err := Of(code)
		if err != nil {
			status = env.Fail(err)
			continue
		}
		entries = append(entries, e)
	}
	switch {
	case format == "json" && len(codes) == 0:
		err = printJSON(env.Stdout, All())
	case format == "json":
		err = printJSON(env.Stdout, entries)
	case len(codes) == 0:
		list(env.Stdout)
	default:
		printText(env.Stdout, entries)
	}
	if err != nil {
		return env.Fail(err)
	}
	return status
}

// parse returns the codes, among which flags may stand, and the format.
func parse(env program.Environment, args []string) (codes []string, format string, err error) {
	flags, to := newFlags()
	if err = env.Parse(flags, args, func(code string) { codes = append(codes, code) }); err != nil {
		return nil, "", err
	}
	if *to != "text" && *to != "json" {
		return nil, "", fmt.Errorf("-o %q is unknown: write text or json", *to)
	}
	return codes, *to, nil
}

func printText(w io.Writer, entries []Entry) {
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n%s\n%s\n%s\n", e.Code,
			tell.Wrap("  "+e.Means, "  "), tell.Wrap("  Example: "+e.Example, "    "), tell.Wrap("  What to do: "+e.Do, "    "))
		if atPods := Advice(candidate.GatePod, e.Code); atPods != e.Do {
			fmt.Fprintf(w, "%s\n", tell.Wrap("  Where a pod blocks the node: "+atPods, "    "))
		}
	}
}

func list(w io.Writer) {
	width := 0
	for _, e := range All() {
		width = max(width, len(e.Code))
	}
	for _, e := range All() {
		fmt.Fprintln(w, tell.Wrap(fmt.Sprintf("%-*s  %s", width, e.Code, e.Means), strings.Repeat(" ", width+2)))
	}
}
