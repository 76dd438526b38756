package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/examples/internal/golden"
)

func TestRoll(t *testing.T) {
	t.Run("it shows both rolls, and ends", func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		if code := run(nil, &stdout, &stderr); code != good || stderr.Len() > 0 {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		golden.Check(t, "roll.txt", stdout.String())
		for line := range strings.Lines(stdout.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	})
	t.Run("arguments are refused", func(t *testing.T) {
		for _, args := range [][]string{{"fast"}, {"-zones", "5"}} {
			var stdout, stderr bytes.Buffer
			if code := run(args, &stdout, &stderr); code != hopeless || stdout.Len() > 0 {
				t.Errorf("%v: exit %d, want %d; it prints %q", args, code, hopeless, stdout.String())
			}
			if !strings.Contains(stderr.String(), "usage: roll") {
				t.Errorf("%v: no usage in %q", args, stderr.String())
			}
		}
	})
}
