package main

import (
	"errors"
	"flag"
	"iter"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/karpenter/internal/race"
)

// only yields a race, and then an error, if it is one.
func only(r race.Race, err error) iter.Seq2[race.Race, error] {
	return func(yield func(race.Race, error) bool) {
		if yield(r, nil) && err != nil {
			yield(race.Race{}, err)
		}
	}
}

func loop(b *testing.B) {
	for b.Loop() {
	}
}

// keep restores the flag of go test that measure sets.
func keep(t *testing.T) {
	t.Helper()
	f := flag.Lookup("test.benchtime")
	before := f.Value.String()
	t.Cleanup(func() { _ = f.Value.Set(before) })
}

func TestRun(t *testing.T) {
	quick := race.Race{Rule: "Quick", Karpenter: loop, DisruptKit: loop}
	broken := race.Race{Rule: "Broken", Karpenter: loop, DisruptKit: (*testing.B).FailNow}
	for _, c := range []struct {
		name           string
		args           string
		races          iter.Seq2[race.Race, error]
		status         int
		stdout, stderr string // parts of them
	}{
		{"each race is a line", "-rounds=2 -benchtime=2us", only(quick, nil), 0, "\nQuick ", ""},
		{"the footnote says how it was measured", "-rounds=2 -benchtime=2us", only(quick, nil), 0, "medians of 2 rounds", ""},
		{"Markdown has a rule", "-markdown -rounds=1 -benchtime=1us", only(quick, nil), 0, "| --- |", ""},
		{
			"a race between different answers is none", "-rounds=1 -benchtime=1us", only(quick, errors.New("3 is not 4")),
			1, "Quick", "3 is not 4",
		},
		{
			"a benchmark that fails has no time", "-rounds=1 -benchtime=1us", only(broken, nil),
			1, "RULE", "Broken : a benchmark failed",
		},
		{"no rounds are refused", "-rounds=0", only(quick, nil), 2, "", "at least one round"},
		{"arguments are refused", "fast", only(quick, nil), 2, "", "no arguments"},
		{"an unknown flag is refused", "-fast", only(quick, nil), 2, "", "-fast"},
	} {
		t.Run(c.name, func(t *testing.T) {
			keep(t)
			var stdout, stderr strings.Builder
			status := run(strings.Fields(c.args), &stdout, &stderr, c.races)
			out, err := stdout.String(), stderr.String()
			if status != c.status || !strings.Contains(out, c.stdout) || !strings.Contains(err, c.stderr) {
				t.Errorf("status %d, want %d\nstdout, which is to have %q:\n%s\nstderr, which is to have %q:\n%s",
					status, c.status, c.stdout, out, c.stderr, err)
			}
		})
	}
}
