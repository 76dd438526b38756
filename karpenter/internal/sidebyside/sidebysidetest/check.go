// Package sidebysidetest tests commands of package sidebyside.
package sidebysidetest

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside"
)

// Check tests that the command prints its golden file in lines of at most so many columns, and that it refuses arguments.
func Check[Story any](t *testing.T, c sidebyside.Command[Story], columns int) {
	t.Run("it shows both stories, and ends", func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		if code := c.Run(nil, &stdout, &stderr); code != sidebyside.Good || stderr.Len() > 0 {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		golden.Check(t, c.Name+".txt", stdout.String())
		for line := range strings.Lines(stdout.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	})
	t.Run("arguments are refused", func(t *testing.T) {
		for _, args := range [][]string{{"fast"}, {"-zones", "5"}} {
			var stdout, stderr bytes.Buffer
			if code := c.Run(args, &stdout, &stderr); code != sidebyside.Hopeless || stdout.Len() > 0 {
				t.Errorf("%v: exit %d, want %d; it prints %q", args, code, sidebyside.Hopeless, stdout.String())
			}
			if !strings.Contains(stderr.String(), "usage: "+c.Name) {
				t.Errorf("%v: no usage in %q", args, stderr.String())
			}
		}
	})
}
