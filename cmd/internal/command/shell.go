package command

import (
	"regexp"
	"strings"
)

var plainArgument = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)

// Argument returns a text as the shell takes it for what it is.
func Argument(text string) string {
	if plainArgument.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
