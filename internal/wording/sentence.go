package wording

import (
	"fmt"
	"strings"
)

// Sentence returns an error on one line, even if it joins several.
func Sentence(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Count returns "1 node" or "2 nodes".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
