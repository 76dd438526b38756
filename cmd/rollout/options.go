package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"time"
)

const help = `rollout simulates how a drifted fleet of 120 nodes in three zones is replaced, one zone at a time, and then again
without the zones' turns. disruptkit makes every decision; time is simulated.

  go run ./rollout -svg rollout.svg

On a terminal both rolls are shown as they go; else, or with -lines, they are told line by line. A comparison follows.
The same seed gives the same output.

  -roll name    both (the default), sequential (one zone at a time) or plain (the same budgets without turns)
  -seed number  the fleet, and how long each boot and drain takes (default 1)
  -svg file     draw the rolls into a file; - is standard output, and nothing else is printed
  -lines        print lines on a terminal, too
  -speed time   the simulated time that passes in a second on a terminal, such as 90m (default 3h)
`

// options are what the arguments say.
type options struct {
	rolls []bool // each sequential or not
	seed  uint64
	svg   string // "" is none, - standard output
	lines bool
	speed time.Duration
}

// parseOptions returns flag.ErrHelp where help is asked for.
func parseOptions(args []string) (options, error) {
	flags := flag.NewFlagSet("rollout", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	var o options
	roll := flags.String("roll", "both", "")
	seed := flags.String("seed", "1", "")
	speed := flags.String("speed", "3h", "")
	flags.StringVar(&o.svg, "svg", "", "")
	flags.BoolVar(&o.lines, "lines", false, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return options{}, err
	case err != nil:
		return options{}, fmt.Errorf("%w: write rollout -h to see the flags", err)
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("%q is not a flag: write rollout -h to see the flags", flags.Arg(0))
	}
	return o, errors.Join(o.setRolls(*roll), o.setSeed(*seed), o.setSpeed(*speed))
}

func (o *options) setRolls(text string) error {
	switch text {
	case "both":
		o.rolls = []bool{true, false}
	case "sequential":
		o.rolls = []bool{true}
	case "plain":
		o.rolls = []bool{false}
	default:
		return fmt.Errorf("-roll %q is unknown: write both, sequential or plain", text)
	}
	return nil
}

func (o *options) setSeed(text string) (err error) {
	o.seed, err = strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("-seed %q is not a number: write one from 0 to 18446744073709551615", text)
	}
	return nil
}

func (o *options) setSpeed(text string) (err error) {
	o.speed, err = time.ParseDuration(text)
	if err != nil || o.speed < time.Minute || o.speed > 24*time.Hour {
		return fmt.Errorf("-speed %q is no simulated time for a second: write one from 1m to 24h, such as 90m", text)
	}
	return nil
}
