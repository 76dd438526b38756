package program

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ConnectionHelp is the text of programs' help for kubectl's flags.
const ConnectionHelp = `The flags of kubectl say which cluster to ask, and as whom: --context, --kubeconfig, --cluster, --user, --server, --token,
--as, --as-group, --request-timeout and the like. They may stand before the subcommand, too. -n and -A have no effect: a
node has pods of all namespaces, so all are read.`

const helpWidth = 100

var (
	flagRow   = regexp.MustCompile(`^  (-\S+(?: \S+)?) {2,}(\S.*)$`)
	flagAfter = regexp.MustCompile(`^ {10,}(\S.*)$`)
)

// Help prints a program's help, with examples, of which each is a line of arguments and what they are for. The rows of the table of flags are
// aligned.
func (e Environment) Help(text string, examples ...[2]string) {
	var out []string
	var rows [][2]string
	flush := func() {
		out = append(out, aligned(rows)...)
		rows = nil
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if m := flagRow.FindStringSubmatch(line); m != nil {
			rows = append(rows, [2]string{m[1], m[2]})
		} else if m := flagAfter.FindStringSubmatch(line); m != nil && len(rows) > 0 {
			rows[len(rows)-1][1] += " " + m[1]
		} else {
			flush()
			out = append(out, line)
		}
	}
	flush()
	if e.Connection != nil {
		out = append(out, "", ConnectionHelp)
	}
	if len(examples) > 0 {
		out = append(out, "", "Examples:")
	}
	for _, x := range examples {
		out = append(out, "  # "+x[1], "  "+strings.ReplaceAll(x[0], "NAME", e.Name))
	}
	fmt.Fprintln(e.Stdout, strings.Join(out, "\n"))
}

// aligned returns the lines of a table with two columns, of which the second is wrapped.
func aligned(rows [][2]string) (lines []string) {
	if len(rows) == 0 {
		return nil
	}
	width := len(slices.MaxFunc(rows, func(a, b [2]string) int { return len(a[0]) - len(b[0]) })[0])
	for _, row := range rows {
		line := fmt.Sprintf("  %-*s ", width, row[0])
		for word := range strings.FieldsSeq(row[1]) {
			if len(line)+1+len(word) > helpWidth {
				lines, line = append(lines, line), strings.Repeat(" ", width+3)
			}
			line += " " + word
		}
		lines = append(lines, line)
	}
	return lines
}
