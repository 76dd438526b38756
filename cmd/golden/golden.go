// Package golden compares what programs print with files in their testdata. It is for tests: go test -update rewrites
// the files.
package golden

import (
	"flag"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// Shown yields the commands of a page in Markdown that begin so, without that, and what the page shows below each as its output; "" if it
// shows nothing.
func Shown(t *testing.T, page, begin string) iter.Seq2[string, string] {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(command, output string) bool) {
		for _, part := range strings.Split(string(text), "```sh\n"+begin)[1:] {
			command, rest, _ := strings.Cut(part, "\n```\n")
			output, shown := strings.CutPrefix(rest, "\n```text\n")
			if output, _, _ = strings.Cut(output, "\n```"); !shown {
				output = ""
			}
			if !yield(command, output) {
				return
			}
		}
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
