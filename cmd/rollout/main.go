// Command rollout simulates how a drifted fleet in three zones is replaced, one zone at a time, and shows the same fleet
// without the zones' turns for comparison:
//
//	go run ./rollout -svg rollout.svg
//
// The fleet is simulated, and so is time; the loop is that of package plan (controller.go). It asks
// disruptkit.Decide, keeps its memory, starts what is allowed, and sleeps until something happens, or until the decision
// says that time alone may change it. Each roll becomes a history, from which lines, display and picture are made.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// The exit status.
const (
	good     = 0
	hopeless = 2 // nothing could be simulated, or what was could not be written
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return good
	}
	if err == nil {
		err = simulate(o, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "rollout:", err)
		return hopeless
	}
	return good
}

// simulate simulates the rolls, and shows them.
func simulate(o options, stdout io.Writer) error {
	s, err := newScenario(o.seed)
	if err != nil {
		return err
	}
	var rolls []*history
	for _, sequential := range o.rolls {
		h, err := s.roll(sequential)
		if err != nil {
			return err
		}
		rolls = append(rolls, h)
	}
	if o.svg == "-" {
		return writePicture(stdout, rolls)
	}
	if err := show(stdout, o, rolls); err != nil {
		return err
	}
	if err := printSummary(stdout, rolls); err != nil || o.svg == "" {
		return err
	}
	return save(o.svg, rolls)
}

// show tells the rolls: as they go on a terminal that has room for it, else in lines.
func show(stdout io.Writer, o options, rolls []*history) error {
	if screen, ok := newScreen(stdout, rolls); ok && !o.lines {
		return screen.play(rolls, o.speed)
	}
	if err := printFleet(stdout, rolls[0].scenario); err != nil {
		return err
	}
	for _, h := range rolls {
		if err := printLines(stdout, h); err != nil {
			return err
		}
	}
	return nil
}

// save draws the rolls into a file.
func save(file string, rolls []*history) error {
	var picture bytes.Buffer
	if err := writePicture(&picture, rolls); err != nil {
		return err
	}
	return os.WriteFile(file, picture.Bytes(), 0o666)
}
