package manifest

import (
	"bytes"
	"regexp"
)

// renderFirst is what to do about a file that a program has yet to fill in.
const renderFirst = "this looks like a template: render it first, such as with helm template or envsubst, and read " +
	"the result"

// IsTemplate reports whether a text has expressions of Helm or variables of envsubst, as Flux uses them.
func IsTemplate(text []byte) bool { return templated.Match(text) }

var templated = regexp.MustCompile(`\{\{|\$\{[A-Za-z_]`)

// unquoted returns the value that YAML cannot read without quotes, such as @daily or */5 * * * *, and its line, from 1.
// The error of package yaml names that line or one beside it.
func unquoted(text []byte, line int) (at int, plain string) {
	for i, l := range bytes.SplitAfter(text, []byte("\n")) {
		if n := i + 1; n < line-1 || n > line+1 {
			continue
		}
		for _, pattern := range []*regexp.Regexp{reservedInFlow, reserved} {
			if match := pattern.FindSubmatch(l); match != nil && !alias.Match(match[1]) {
				return i + 1, string(match[1])
			}
		}
	}
	return 0, ""
}

// A plain value may not begin with these. An asterisk begins an alias, and a cron expression of five of them is none.
var (
	reserved       = regexp.MustCompile(`^\s*(?:-\s+)*(?:[^\s:'"#]+:\s+)?([@%*` + "`" + `].*?)(?:\s+#.*)?\s*$`)
	reservedInFlow = regexp.MustCompile(`[{\[,](?:\s*[^\s:'"#]+:)?\s*([@%*` + "`" + `][^,\]}]*?)\s*[,\]}]`)
	alias          = regexp.MustCompile(`^\*[\w.-]+$`)
)
