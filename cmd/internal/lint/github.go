package lint

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/disruptkit/disruptkit/budget/lint"
)

// commands are GitHub's workflow commands for annotations.
var commands = map[lint.Severity]string{lint.SeverityError: "error", lint.SeverityWarning: "warning", lint.SeverityInfo: "notice"}

// printGitHub prints a workflow command for each finding. GitHub shows it at its line.
func printGitHub(w io.Writer, a answer) error {
	out := bufio.NewWriter(w)
	for _, f := range a.findings {
		text := says(f)
		if f.Advice != "" {
			text += "\n→ " + f.Advice
		}
		fmt.Fprintf(out, "::%s file=%s,line=%d,title=%s::%s\n", commands[f.Severity],
			property(f.Places[0].File), f.Places[0].Line, property(f.Code), data(text))
	}
	return out.Flush()
}

// data and property escape what would end a command, or a property of one.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
