package explain

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

const long = `explain says what codes mean, with an example, and what to do. Codes are in decisions, in findings of lint, and on dashboards.

Without a code it lists all of them.

The exit status is 0, or 2 if there is no such code.`

const examples = `  # list all codes
  kubectl disruption explain
  # what two of them mean, and what to do
  kubectl disruption explain exhausted never-binds`

// Command returns the command.
func Command(env *command.Environment) *cobra.Command {
	var w written
	c := command.New(env, &cobra.Command{
		Use:         "explain [flags] [CODE...]",
		Short:       "What a code means, and what to do",
		Long:        long,
		Example:     examples,
		Annotations: command.WithoutCluster(),
	}, w.run)
	for _, e := range All() {
		c.ValidArgs = append(c.ValidArgs, e.Code)
	}
	command.OneOf(c.Flags(), &w.json, "output", "o", "the `format`: %s", command.Is("text", false), command.Is("json", true))
	return c
}

// written is what the flags say.
type written struct{ json bool }

// run explains codes.
func (w *written) run(_ context.Context, env command.Environment, codes []string) (status int, err error) {
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
	case w.json && len(codes) == 0:
		err = printJSON(env.Stdout, All())
	case w.json:
		err = printJSON(env.Stdout, entries)
	case len(codes) == 0:
		list(env.Stdout)
	default:
		printText(env.Stdout, entries)
	}
	return status, err
}

func printText(w io.Writer, entries []Entry) {
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n%s\n%s\n%s\n", e.Code,
			tell.Wrap("  "+e.Means, "  "), tell.Wrap("  Example: "+e.Example, "    "), tell.Wrap("  What to do: "+e.Do, "    "))
		if atPods := Advice(candidate.GatePod, candidate.Code(e.Code)); atPods != e.Do {
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
