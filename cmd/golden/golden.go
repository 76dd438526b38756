// Package golden compares what programs print with files in their testdata. It is for tests: go test -update rewrites
// the files.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Check compares what was printed with a file in testdata.
func Check(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update rewrites it)\n%s", path, diff)
	}
}

// Visible fails if a text has anything that cannot be seen: what reorders the text around it, such as U+202E, among others.
func Visible(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && !strconv.IsPrint(r) {
			t.Errorf("%U at %d cannot be seen: …%q…", r, i, text[max(0, i-40):min(len(text), i+40)])
			return
		}
	}
}
