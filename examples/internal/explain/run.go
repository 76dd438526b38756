package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/program"
	"github.com/disruptkit/disruptkit/examples/internal/tell"
)

const help = `explain says what codes mean, with an example and what to do. Codes are in decisions, in findings of lint, and on dashboards.

  %s [CODE ...]

Without a code it lists all of them.

The exit status is 0, or 2 if there is no such code.
`

// Run is the whole program.
func Run(env program.Environment, args []string) int {
	status := program.Good
	switch {
	case len(args) == 0:
		list(env.Stdout)
	case strings.TrimLeft(args[0], "-") == "h" || strings.TrimLeft(args[0], "-") == "help":
		fmt.Fprintf(env.Stdout, help, env.Name)
		return program.Good
	}
	for i, code := range args {
		e, err := Of(code)
		if err != nil {
			status = env.Fail(err)
			continue
		}
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		fmt.Fprintf(env.Stdout, "%s\n  %s\n  Example: %s\n  What to do: %s\n", e.Code,
			tell.Wrap(e.Means, "  "), tell.Wrap(e.Example, "    "), tell.Wrap(e.Do, "    "))
		if atPods := Advice(candidate.GatePod, e.Code); atPods != e.Do {
			fmt.Fprintf(env.Stdout, "  Where a pod holds the node back: %s\n", tell.Wrap(atPods, "    "))
		}
	}
	return status
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
