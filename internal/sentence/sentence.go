// Package sentence writes errors as people read them.
package sentence

import "strings"

// Of returns an error on one line, also one of several that were joined.
func Of(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
