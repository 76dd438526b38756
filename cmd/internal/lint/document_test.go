package lint

import (
	"encoding/json"
	"testing"
)

// Programs get a document, whatever could not be read.
func TestProgramsAlwaysGetADocument(t *testing.T) {
	for _, format := range []string{"json", "sarif"} {
		for _, in := range []string{"", "x: 1", "{", "kind: Pod"} {
			got := linted(in, "-o", format, "-")
			if !json.Valid([]byte(got.stdout)) || got.status != 2 && in != "{" {
				t.Errorf("%s: %q: %+v", format, in, got)
			}
		}
	}
}
