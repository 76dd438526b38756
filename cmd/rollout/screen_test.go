package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// played returns all that is drawn for the default seed, and how long that would take.
func played(t *testing.T, s *screen) (out string, took time.Duration) {
	t.Helper()
	var rolls []*history
	for _, sequential := range []bool{true, false} {
		h, err := anyOutage(t, 1).roll(sequential)
		if err != nil {
			t.Fatal(err)
		}
		rolls = append(rolls, h)
	}
	var drawn bytes.Buffer
	s.out, s.sleep = &drawn, func(d time.Duration) { took += d }
	if err := s.play(rolls, 3*time.Hour); err != nil {
		t.Fatal(err)
	}
	if want := screenHeight(rolls); s.drawn > want {
		t.Errorf("a frame has %d lines, and room for %d was asked for", s.drawn, want)
	}
	return drawn.String(), took
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*[A-Zm]|\r")

func TestAScreenFitsATerminal(t *testing.T) {
	out, took := played(t, &screen{width: leastWidth, colours: true})
	if took < 3*time.Second || took > 15*time.Second {
		t.Errorf("it takes %s", took)
	}
	for _, line := range strings.Split(escapes.ReplaceAllString(out, ""), "\n") {
		if utf8.RuneCountInString(line) > leastWidth {
			t.Fatalf("this would wrap:\n%s", line)
		}
	}
}

func TestAScreenShowsEachNode(t *testing.T) {
	out, _ := played(t, &screen{width: 100})
	if strings.Contains(out, "\x1b[3") {
		t.Error("it has colours, and none were asked for")
	}
	bar := regexp.MustCompile(`us-west-2(.) ([█▒·×]+) `)
	nodes := map[string]int{"a": 44, "b": 40, "c": 36}
	bars := bar.FindAllStringSubmatch(out, -1)
	for _, match := range bars {
		if n := utf8.RuneCountInString(match[2]); n != nodes[match[1]] {
			t.Fatalf("us-west-2%s has %d characters: %s", match[1], n, match[2])
		}
	}
	last := bars[len(bars)-1][2]
	if last != strings.Repeat("█", 35)+"×" {
		t.Errorf("in the end us-west-2c is %s", last)
	}
	for _, want := range []string{"down, 3 in flight", "waits: us-west-2c waits for us-west-2b (3 in flight, 0 to go)", "finished: 119 of 120"} {
		if !strings.Contains(out, want) {
			t.Errorf("it never shows %q", want)
		}
	}
}
