package lint

import (
	"bufio"
	"io"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// commands are GitHub's workflow commands for annotations.
var commands = map[lint.Severity]string{lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityInfo: "notice"}

// printGitHub prints a workflow command for each finding. GitHub shows it at its line.
func printGitHub(w io.Writer, a answer) error {
	out := bufio.NewWriter(w)
	for _, f := range a.Findings {
		text := says(f)
		if f.Advice != "" {
			text += "\n→ " + f.Advice
		}
		out.WriteString(command.Annotation(commands[f.Severity], f.Places[0].File, f.Places[0].Line, f.Code, text))
	}
	return out.Flush()
}
