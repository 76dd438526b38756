package explain

import (
	"context"
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
	var asJSON bool
	c := command.New(env, &cobra.Command{
		Use:         "explain [flags] [CODE...]",
		Short:       "What a code means, and what to do",
		Long:        long,
		Example:     examples,
		Annotations: command.WithoutCluster(),
	}, func(_ context.Context, env command.Environment, codes []string) (int, error) {
		return run(env, codes, asJSON)
	})
	for _, e := range All() {
		c.ValidArgs = append(c.ValidArgs, e.Code)
	}
	command.OneOf(c.Flags(), &asJSON, "output", "o", "the `format`: %s", command.Is("text", false), command.Is("json", true))
	return c
}

// run explains codes.
func run(env command.Environment, codes []string, asJSON bool) (status int, err error) {
	var entries []Entry
	for _, code := range codes {
		e, err := Of(code)
		if err != nil {
			status = env.Fail(err)
			continue
		}
		entries = append(entries, e)
	}
	text := told
	if len(codes) == 0 {
		entries, text = All(), listed
	}
	if asJSON {
		return status, printJSON(env.Stdout, entries)
	}
	_, err = io.WriteString(env.Stdout, text(entries))
	return status, err
}

// told returns the whole text of entries.
func told(entries []Entry) string {
	var texts []string
	for _, e := range entries {
		text := e.Code + "\n" +
			tell.Wrap("  "+e.Means, "  ") + "\n" + tell.Wrap("  Example: "+e.Example, "    ") + "\n" + tell.Wrap("  What to do: "+e.Do, "    ") + "\n"
		if atPods := Advice(candidate.GatePod, candidate.Code(e.Code)); atPods != e.Do {
			text += tell.Wrap("  Where a pod blocks the node: "+atPods, "    ") + "\n"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}

// listed reports of entries what their codes mean.
func listed(entries []Entry) string {
	g := tell.NewGrid("CODE", "MEANS")
	for _, e := range entries {
		g.Add(e.Code, e.Means)
	}
	return g.String()
}
