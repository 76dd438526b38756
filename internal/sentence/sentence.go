// Package sentence writes errors and numbers as people read them.
package sentence

import (
	"fmt"
	"strings"
)

// Of returns an error on one line, also one of several that were joined.
func Of(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Count returns "1 node", or "2 nodes", of what there is.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
